/** Takes secrets out of a text. */
export type Hide = (text: string) => string;

/** Anything shorter is more likely a word that happens to stand in a text, too. */
const SHORTEST_SECRET = 8;

/**
 * Makes a function that takes secrets out of texts. What a server says may repeat what it was called with: the token is
 * part of every address, and servers of the Bot API are not always Telegram's own.
 */
export function createHide(secrets: readonly string[]): Hide {
  const known = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  return (text) => known.reduce((rest, secret) => rest.replaceAll(secret, "<token>"), text);
}

/** An address as it may be shown: without what stands before the host and behind the path, where passwords stand. */
export function showAddress(address: string): string {
  return address.replace(/^.*@/su, (start) => `${/^\w+:\/\//u.exec(start)?.[0] ?? ""}…@`).replace(/[?#].*$/su, "");
}
