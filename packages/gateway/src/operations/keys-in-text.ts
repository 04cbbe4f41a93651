import type { IncomingHttpHeaders } from "node:http";

/** Takes keys out of a text. */
export type Redact = (text: string) => string;

/** Anything shorter is more likely a word that happens to stand in a text, too. */
const SHORTEST_KEY = 8;

/** Makes a function that takes the given keys out of texts. */
export function createRedact(keys: readonly string[]): Redact {
  const known = keys.filter((key) => key.length >= SHORTEST_KEY).sort((one, other) => other.length - one.length);
  return (text) => known.reduce((rest, key) => rest.replaceAll(key, "[redacted]"), text);
}

/** What in a request may be a key: where the dialects have it, in the headers and in the query. */
export function keysOfRequest({ headers, url }: { headers: IncomingHttpHeaders; url: string }): readonly string[] {
  const query = new URLSearchParams(url.slice(`${url}?`.indexOf("?")));
  const named = [
    headers.authorization,
    headers["x-api-key"],
    headers["x-goog-api-key"],
    headers["proxy-authorization"],
    headers["x-fullstop-provider-key"],
  ];
  const values = [...named.flat(), ...query.values()].filter((value) => value !== undefined);
  return values.flatMap((value) => value.split(/\s+/u).concat(value));
}
