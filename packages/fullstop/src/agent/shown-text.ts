/**
 * What a viewer has on the screen of the answer under way, and how much of it may stay. What has to go is taken back
 * only when something else comes in its place: if nothing does, it is still the best there is.
 */
export class ShownText {
  #text = "";
  #keep: number | undefined;
  #isNew = true;

  /** The model is asked. Tells whether for a new answer. */
  begin(): boolean {
    const isNew = this.#isNew;
    if (isNew) this.#text = "";
    this.#isNew = true;
    return isNew;
  }

  /** The same answer goes on, and only this much of it stays; all of it unless a number is given. */
  keep(length: number | undefined): void {
    this.#isNew = false;
    this.#keep = length;
  }

  /** The answer goes on from this text. Tells what of it is not on the screen, where it is more than that. */
  fill(text: string): string {
    if (!text.startsWith(this.#text)) return "";
    const missing = text.slice(this.#text.length);
    this.#text = text;
    return missing;
  }

  /** Only this much of the answer under way stays, as soon as something else comes. */
  cut(length: number): void {
    this.#keep = length;
  }

  /** A piece of text comes. Tells how much of what is shown has to stay, if something has to go first. */
  add(piece: string): number | undefined {
    if (piece === "") return undefined;
    const keep = this.#rewind();
    this.#text += piece;
    return keep;
  }

  /**
   * The answer is final. Tells how much of what is shown belongs to it, if not all does, and which text of it is not
   * shown: where one text was taken back for another that never came to its end, the first is the answer after all.
   */
  settle(text: string): { readonly keep: number | undefined; readonly rest: string } {
    if (text.startsWith(this.#text)) return { keep: undefined, rest: text.slice(this.#text.length) };
    let keep = 0;
    while (keep < text.length && text.charCodeAt(keep) === this.#text.charCodeAt(keep)) keep += 1;
    return { keep, rest: text.slice(keep) };
  }

  #rewind(): number | undefined {
    const keep = this.#keep;
    this.#keep = undefined;
    if (keep === undefined || keep >= this.#text.length) return undefined;
    this.#text = this.#text.slice(0, keep);
    return keep;
  }
}
