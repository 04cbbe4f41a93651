/** A provider's proof for its thinking, and whose proof it is. */
export interface Proof {
  readonly signature: string;
  /** The dialect of the provider that has signed. */
  readonly signedBy: string;
  /** True when the provider withholds the thinking itself. */
  readonly redacted?: true;
}

/** What a wrapped proof begins with: `fullstop:` in base 64. Nine letters become these, whatever follows them. */
const MARK = "ZnVsbHN0b3A6";

/** What is wrapped: the dialect of the provider, a word before it if the thinking is withheld, and the proof. */
const WRAPPED = /^fullstop:(?<redacted>redacted-)?(?<signedBy>[a-z-]+):(?<signature>.*)$/su;

/**
 * A proof as a client of a dialect gets it. The dialect's own goes as it is, and so does one of which nobody says whose
 * it is. Another provider's is wrapped together with the name of its dialect, so that it comes back to whoever has given
 * it and to nobody else. `isRedacted` is for thinking that is withheld, in a dialect that has no other way to say so.
 *
 * The wrapping is base 64 in every dialect: clients of Gemini in most languages take a signature for bytes in base 64
 * and refuse an answer in which it is anything else.
 */
export function wrapSignature(
  signature: string,
  signedBy: string | undefined,
  dialect: string,
  isRedacted = false,
): string {
  const signer = signedBy ?? dialect;
  // A proof that looks wrapped was wrapped by another fullstop upstream, which wants it back like that.
  if (signer === dialect && !isRedacted && !signature.startsWith(MARK)) return signature;
  return toBase64(`fullstop:${isRedacted ? "redacted-" : ""}${signer}:${signature}`);
}

/** The proof that a client of a dialect has sent back. One that is not wrapped is the dialect's own. */
export function unwrapSignature(text: string, dialect: string): Proof {
  const { redacted, signedBy, signature } = WRAPPED.exec(fromBase64(text))?.groups ?? {};
  if (signedBy === undefined || signature === undefined) return { signature: text, signedBy: dialect };
  return { signature, signedBy, ...(redacted !== undefined && { redacted: true }) };
}

function toBase64(text: string): string {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** The text of a wrapped proof, in either alphabet; nothing if it is none. */
function fromBase64(encoded: string): string {
  if (!encoded.startsWith(MARK)) return "";
  try {
    // Google's client for Python sends bytes back in the alphabet that is meant for addresses.
    const binary = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder().decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)));
  } catch {
    // Not base 64 after all: whatever it is, it was not wrapped here.
    return "";
  }
}
