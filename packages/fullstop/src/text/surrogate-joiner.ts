import { isHighSurrogate } from "./surrogates.ts";

/**
 * Joins surrogate pairs that a source has cut in two, so that whatever follows sees whole characters only. It looks
 * at the edges of a piece, which is where a cut can be: a half that stands alone in the middle is the source's own
 * mistake and passes as it is.
 */
export class SurrogateJoiner {
  #half = "";

  /** The text up to the last whole character. */
  push(text: string): string {
    if (text === "") return "";
    const endsInHalf = isHighSurrogate(text.charCodeAt(text.length - 1));
    if (this.#half === "" && !endsInHalf) return text;
    const whole = this.#half + text;
    this.#half = endsInHalf ? text.slice(-1) : "";
    return endsInHalf ? whole.slice(0, -1) : whole;
  }

  /** U+FFFD if half a character was left, else nothing. */
  end(): string {
    if (this.#half === "") return "";
    this.#half = "";
    return "\ufffd";
  }
}
