const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const NO_BYTES = new Uint8Array(0);

/** Cuts the bytes of an event stream after each blank line, so that every event can be kept or dropped as it came. */
export class FrameSplitter {
  /** What has come of a frame whose end has not. */
  #pieces: Uint8Array[] = [];
  /** Whether nothing has come since the last line end. */
  #isLineEmpty = true;
  #isAfterReturn = false;

  push(bytes: Uint8Array): readonly Uint8Array[] {
    const frames: Uint8Array[] = [];
    let start = 0;
    for (let index = 0; index < bytes.length; index++) {
      const byte = bytes[index];
      if (byte === LINE_FEED && this.#isAfterReturn) {
        // The second half of a line end, whose first has ended the line. Where that has ended a frame as well, which went
        // out by itself, this follows it: some clients look for both halves.
        this.#isAfterReturn = false;
        if (index === 0 && this.#pieces.length === 0) {
          frames.push(bytes.subarray(0, 1));
          start = 1;
        }
        continue;
      }
      this.#isAfterReturn = byte === CARRIAGE_RETURN;
      if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) {
        this.#isLineEmpty = false;
        continue;
      }
      if (this.#isLineEmpty) {
        const hasFeed = byte === CARRIAGE_RETURN && bytes[index + 1] === LINE_FEED;
        if (hasFeed) {
          index += 1;
          this.#isAfterReturn = false;
        }
        frames.push(this.#take(bytes.subarray(start, index + 1)));
        start = index + 1;
      }
      this.#isLineEmpty = true;
    }
    if (start < bytes.length) this.#pieces.push(start === 0 ? bytes : bytes.subarray(start));
    return frames;
  }

  /** What is left without a blank line behind it. */
  end(): Uint8Array {
    return this.#take(NO_BYTES);
  }

  #take(last: Uint8Array): Uint8Array {
    const pieces = this.#pieces;
    if (pieces.length === 0) return last;
    this.#pieces = [];
    return joinBytes([...pieces, last]);
  }
}

/** Bytes one after the other, in one piece. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0] ?? NO_BYTES;
  const joined = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    joined.set(piece, offset);
    offset += piece.length;
  }
  return joined;
}
