/** The beginnings of the keys that providers hand out. */
const KEY_PREFIX = "(?:sk|pk|rk|gsk|csk|xai|fw|pplx|hf|nvapi|key|AIza|ya29|AKIA|ASIA)";

/**
 * What a secret looks like: a key with one of the usual beginnings, whatever follows `Bearer` or `Basic`, a password in
 * an address, a long number in hexadecimal, or an unbroken run of characters that is too long for a word.
 */
export const SECRETS: RegExp = new RegExp(
  `\\b(?:(?:Bearer|Basic)\\s+\\S+|${KEY_PREFIX}[-_.]?[\\w-]{12,}|\\d{6,}:[\\w-]{20,}|[\\da-f]{32,}|[\\w+/=-]{40,})|//[^\\s/@]+:[^\\s/@]+@`,
  "gu",
);

const PLAIN_WORD = new RegExp(`^(?!__|${KEY_PREFIX}[-_.]|\\d{6,}:)(?:[\\w.:@+-]|/(?!/)){1,100}$`, "u");

/** Whether a text is an id or a name, as opposed to a sentence, which may be somebody's, or a key. */
export function isPlainWord(text: string): boolean {
  return PLAIN_WORD.test(text);
}
