/**
 * Text that waits to be shown or dropped. Kept as the pieces it came in, because joining and cutting one string
 * for every token is what a long hold would otherwise cost.
 */
export class HeldText {
  readonly #pieces: string[] = [];
  // The pieces in use are those from `first` to `end`; `offset` units of the first one have left already.
  #first = 0;
  #end = 0;
  #offset = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(text: string): void {
    if (text === "") return;
    this.#pieces[this.#end++] = text;
    this.#length += text.length;
  }

  /** Takes out the first `count` units; there are at least as many. */
  release(count: number): string {
    if (count === 0) return "";
    if (count === this.#length) return this.releaseAll();
    this.#length -= count;
    let released = this.#releaseFromFirst(count);
    while (released.length < count) released += this.#releaseFromFirst(count - released.length);
    if (this.#first >= COMPACT_AFTER && this.#first * 2 > this.#end) {
      this.#pieces.copyWithin(0, this.#first, this.#end);
      this.#end -= this.#first;
      this.#first = 0;
    }
    return released;
  }

  /** Takes out everything. */
  releaseAll(): string {
    const all = this.toString();
    this.#first = 0;
    this.#end = 0;
    this.#offset = 0;
    this.#length = 0;
    return all;
  }

  /** The whole of it, left where it is. */
  toString(): string {
    if (this.#length === 0) return "";
    let text = this.#pieces[this.#first]!;
    if (this.#offset > 0) text = text.slice(this.#offset);
    for (let index = this.#first + 1; index < this.#end; index++) text += this.#pieces[index]!;
    return text;
  }

  /** Takes up to `count` units out of the first piece, and the piece itself once it is used up. */
  #releaseFromFirst(count: number): string {
    const piece = this.#pieces[this.#first]!;
    const from = this.#offset;
    if (piece.length - from > count) {
      this.#offset = from + count;
      return piece.slice(from, from + count);
    }
    this.#first += 1;
    this.#offset = 0;
    return from === 0 ? piece : piece.slice(from);
  }
}

/** Pieces that have left are cleared out once they are the larger part of a list worth clearing. */
const COMPACT_AFTER = 64;
