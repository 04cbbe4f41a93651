import type { IncomingHttpHeaders } from "node:http";

/** What tells who asks. */
export interface Request {
  readonly headers: IncomingHttpHeaders;
  /** The address that is asked, which may have a key in its query. */
  readonly url?: string | undefined;
}

/** The key of a request, where the clients of the four dialects put it. */
export function keyOf({ headers, url = "" }: Request): string | undefined {
  const bearer = /^Bearer\s+(?<key>\S+)$/iu.exec(headers.authorization ?? "")?.groups?.["key"];
  return bearer ?? single(headers["x-api-key"]) ?? single(headers["x-goog-api-key"]) ?? keyInQuery(url);
}

/** The value of a header that stands there once and says something. */
export function single(value: string | string[] | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Only Gemini has it there. Elsewhere an address is no place for a key: addresses are written into logs. */
function keyInQuery(url: string): string | undefined {
  const query = url.startsWith("/v1beta/") ? url.split("?")[1] : undefined;
  return query === undefined ? undefined : single(new URLSearchParams(query).get("key") ?? undefined);
}
