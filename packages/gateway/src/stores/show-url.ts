/** An address as it may be shown: without what stands before the host and behind the path, where passwords stand. */
export function showUrl(url: string): string {
  return url.replace(/^.*@/su, (start) => `${/^\w+:\/\//u.exec(start)?.[0] ?? ""}…@`).replace(/[?#].*$/su, "");
}
