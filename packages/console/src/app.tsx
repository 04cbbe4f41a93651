import type { ComponentType } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { access, forgetKey } from "./api/http.ts";
import { KeyForm } from "./components/key-form.tsx";
import { Lazy } from "./components/lazy.tsx";
import { Live } from "./pages/live/live.tsx";
import { Playground } from "./pages/playground/playground.tsx";
import { MAIN_ID, focusMain } from "./state/focus.ts";
import { useValue } from "./state/observable.ts";
import { PAGES, addressOf, route } from "./state/route.ts";
import type { PageName, Route } from "./state/route.ts";

const TITLES: Readonly<Record<PageName, string>> = {
  playground: "Playground",
  live: "Live",
  history: "History",
  inspect: "Inspect",
};

// These two bring plots and decoders with them, which nobody needs who only talks to a model.
const loadHistory = async (): Promise<ComponentType> => (await import("./pages/history/history.tsx")).History;
const loadInspect = async (): Promise<ComponentType> => (await import("./pages/inspect/inspect.tsx")).Inspect;

/** The frame around all pages. */
export function App() {
  const where = useValue(route);
  const { page } = where;
  const current = useValue(access);
  useEffect(() => {
    document.title = `${TITLES[page]} · fullstop`;
  }, [page]);
  useFocusAfter(where);
  return (
    <>
      <a class="skip" href={`#${MAIN_ID}`} onClick={skipToMain}>
        Skip to the content
      </a>
      <header class="top">
        <a class="logo" href={addressOf("playground")} aria-label="fullstop, to the playground">
          fullstop
          <span aria-hidden="true" />
        </a>
        <nav aria-label="Pages">
          {PAGES.map((each) => (
            <a key={each} href={addressOf(each)} aria-current={each === page ? "page" : undefined}>
              {TITLES[each]}
            </a>
          ))}
        </nav>
        {current.state === "given" && (
          <button type="button" class="quiet-button" onClick={forgetKey}>
            Forget the key
          </button>
        )}
      </header>
      <main id={MAIN_ID} tabIndex={-1} class={`page-${page}`}>
        {current.state === "needed" ? <KeyForm message={current.message} /> : <Page page={page} />}
      </main>
    </>
  );
}

/** Where somebody follows a link, it is gone with what it stood in, and the focus goes to what has come instead. */
function useFocusAfter(where: Route): void {
  const seen = useRef(where);
  useLayoutEffect(() => {
    if (seen.current === where) return;
    seen.current = where;
    if (document.activeElement === document.body) focusMain();
  }, [where]);
}

function Page({ page }: { readonly page: PageName }) {
  if (page === "history") return <Lazy key={page} load={loadHistory} />;
  if (page === "inspect") return <Lazy key={page} load={loadInspect} />;
  return page === "live" ? <Live /> : <Playground />;
}

/** The address says which page it is, so that it must not become that of the content. */
function skipToMain(event: MouseEvent): void {
  event.preventDefault();
  focusMain();
}
