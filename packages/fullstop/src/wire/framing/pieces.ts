/** How many pieces are kept apart before they are joined. */
const MOST_PIECES = 256;

/**
 * A text that grows by pieces. Adding to a string makes a tree of its pieces, which for single characters takes dozens
 * of bytes each; joining some hundreds at a time keeps the memory near that of the text.
 */
export class PiecedText {
  #text = "";
  #pieces: string[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: string): void {
    this.#length += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length >= MOST_PIECES) this.#join();
  }

  /** Everything that was added. The text begins anew. */
  take(): string {
    if (this.#length === 0) return "";
    this.#join();
    const text = this.#text;
    this.#text = "";
    this.#length = 0;
    return text;
  }

  #join(): void {
    const joined = this.#pieces.length === 1 ? this.#pieces[0]! : this.#pieces.join("");
    this.#text = this.#text === "" ? joined : this.#text + joined;
    this.#pieces = [];
  }
}
