import { createObservable } from "./observable.ts";
import type { Observable } from "./observable.ts";

/** The pages there are. */
export const PAGES = ["playground", "live", "history", "inspect"] as const;

/** One of them. */
export type PageName = (typeof PAGES)[number];

/** Where somebody is: on a page, and perhaps at one thing of it. */
export interface Route {
  readonly page: PageName;
  /** The id of what is looked at; empty for none. */
  readonly id: string;
}

function readRoute(): Route {
  const [name = "", id = ""] = location.hash.replace(/^#\/?/u, "").split("/");
  return { page: PAGES.find((page) => page === name) ?? "playground", id: decode(id) };
}

/** An address that was cut off or mistyped may have no meaning; then it is taken as it is, and nothing is found. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Where somebody is. It stands behind the `#` of the address, so that the gateway has one page to serve. */
export const route: Observable<Route> = createObservable(readRoute());

addEventListener("hashchange", () => route.set(readRoute()));

/** The address of a page, or of one thing of it. */
export function addressOf(page: PageName, id = ""): string {
  return id === "" ? `#/${page}` : `#/${page}/${encodeURIComponent(id)}`;
}
