const QUOTE = 34;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const SPACE = 32;

/**
 * Follows a JSON text by its brackets and quotes, piece by piece, to tell when an object may be whole. To parse all of
 * it again at every piece would take time with the square of its length.
 */
export class JsonBalance {
  #state: "before" | "inside" | "string" | "escape" | "after" | "no object" = "before";
  #depth = 0;

  /** Whether it is one object from its first bracket to its last, with nothing but blanks around it. */
  get isClosed(): boolean {
    return this.#state === "after";
  }

  push(piece: string): void {
    for (let index = 0; index < piece.length; index++) this.#read(piece.charCodeAt(index));
  }

  #read(code: number): void {
    switch (this.#state) {
      case "inside":
        if (code === QUOTE) this.#state = "string";
        else if (code === OPEN_OBJECT || code === OPEN_LIST) this.#depth += 1;
        else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
          this.#depth -= 1;
          if (this.#depth === 0) this.#state = "after";
        }
        break;
      case "string":
        if (code === QUOTE) this.#state = "inside";
        else if (code === BACKSLASH) this.#state = "escape";
        break;
      case "escape":
        this.#state = "string";
        break;
      case "before":
        if (code === OPEN_OBJECT) {
          this.#state = "inside";
          this.#depth = 1;
        } else if (!isBlank(code)) this.#state = "no object";
        break;
      case "after":
        if (!isBlank(code)) this.#state = "no object";
        break;
      case "no object":
        break;
    }
  }
}

/** Whether `trim` takes a character off; all that are above the space are looked at by the parser, if it comes to it. */
function isBlank(code: number): boolean {
  return code <= SPACE || code > 127;
}
