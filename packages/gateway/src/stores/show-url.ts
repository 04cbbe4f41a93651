/** An address as it may be shown: without what stands before the host and behind the path, where passwords stand. */
export function showUrl(url: string): string {
  return url.replace(/^.*@/su, (start) => `${/^\w+:\/\//u.exec(start)?.[0] ?? ""}…@`).replace(/[?#].*$/su, "");
}

/** An address that was refused, as it may be shown: where it cannot be read, nobody knows where its password ends. */
export function showRefusedUrl(url: string): string {
  return URL.canParse(url) ? showUrl(url) : `${/^\w+:\/\//u.exec(url)?.[0] ?? ""}…`;
}
