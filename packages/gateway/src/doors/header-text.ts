/** Wrong bytes are told apart from right ones, and not replaced. */
const STRICT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The text of a header. Node hands its bytes over as Latin-1, whatever they are; most programs send UTF-8, and what is
 * UTF-8 is hardly ever anything else. Browsers and Node's own `fetch` send Latin-1, which is kept.
 */
export function headerText(value: string): string {
  // Most headers are plain ASCII, which is the same in both.
  if (!/[\u0080-\u00ff]/u.test(value)) return value;
  try {
    return STRICT.decode(Buffer.from(value, "latin1"));
  } catch {
    // Bytes that are no UTF-8 are Latin-1, as they were handed over.
    return value;
  }
}
