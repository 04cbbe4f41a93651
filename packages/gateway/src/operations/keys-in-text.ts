import type { IncomingHttpHeaders } from "node:http";

/** Takes keys out of a text. */
export type Redact = (text: string) => string;

/** Anything shorter is more likely a word that happens to stand in a text, too. */
const SHORTEST_KEY = 12;

/** Makes a function that takes the given keys out of texts. */
export function createRedact(keys: readonly string[]): Redact {
  const known = keys.filter((key) => key.length >= SHORTEST_KEY).sort((one, other) => other.length - one.length);
  return (text) => known.reduce((rest, key) => rest.replaceAll(key, "[redacted]"), text);
}

/** The parameters of a query that hold keys: Gemini's clients can put theirs there, others do so by mistake. */
const KEY_PARAMETER = /key|token|secret/iu;

/** The headers that hold keys: those of the dialects, of proxies, and the one for a caller's own. */
const KEY_HEADERS = ["authorization", "x-api-key", "x-goog-api-key", "proxy-authorization", "x-fullstop-provider-key"];

/** What in a request may be a key: where the dialects have it, in the headers and in the query. */
export function keysOfRequest({ headers, url }: { headers: IncomingHttpHeaders; url: string }): readonly string[] {
  const query = [...new URLSearchParams(url.slice(`${url}?`.indexOf("?")))];
  const inQuery = query.flatMap(([name, value]) => (KEY_PARAMETER.test(name) ? [value] : []));
  const values = [...KEY_HEADERS.map((name) => headers[name]), inQuery].flat().filter((value) => value !== undefined);
  return values.flatMap((value) => value.split(/\s+/u).concat(value));
}
