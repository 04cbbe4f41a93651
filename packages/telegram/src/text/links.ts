/**
 * What can be done with the target of a link. Telegram refuses the whole message for one address that it does not
 * like, so only those are linked that it is known to take; other addresses are better read than lost.
 */
export type LinkTarget =
  | { readonly kind: "link"; readonly url: string }
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "none" };

const NONE: LinkTarget = { kind: "none" };

/** Judges where a link in Markdown leads. */
export function readLinkTarget(href: string): LinkTarget {
  if (!URL.canParse(href)) return NONE;
  const url = new URL(href);
  switch (url.protocol) {
    case "http:":
    case "https:":
      return isPublic(url) ? { kind: "link", url: url.href } : { kind: "address", address: href };
    case "tg:":
      return isInsideTelegram(url) ? { kind: "link", url: url.href } : NONE;
    case "mailto:":
      // As a link it would be stored as a web address; as text, Telegram makes it a mail link by itself.
      return { kind: "address", address: href.slice("mailto:".length) };
    default:
      return NONE;
  }
}

/** Telegram takes names with a dot in them and numbers of version 6; "localhost" is an error. */
function isPublic({ hostname, port, username, password }: URL): boolean {
  if (username !== "" || password !== "" || port === "0") return false;
  return hostname.startsWith("[") || /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+\.?$/u.test(hostname);
}

/** A link to a person by number fails if the bot does not know that person. */
function isInsideTelegram({ hostname, port, username, password }: URL): boolean {
  if (username !== "" || password !== "" || port !== "") return false;
  return /^[a-z0-9_-]+$/iu.test(hostname) && hostname.toLowerCase() !== "user";
}
