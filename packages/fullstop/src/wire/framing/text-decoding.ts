import { checkBytes } from "../../check.ts";

const BYTE_ORDER_MARK = "\uFEFF";
const NO_BYTES = new Uint8Array(0);

/**
 * Turns bytes into text as they come, keeping a character whose bytes are not all there yet, and takes off a byte order
 * mark. A `TextDecoder` in stream mode does the same and takes two to three times as long for the few hundred bytes of
 * an event, so the end of a piece is looked at here and the rest is decoded as a whole.
 */
export class TextDecoding {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #rest: Uint8Array = NO_BYTES;
  #isFirst = true;

  push(bytes: Uint8Array): string {
    checkBytes("chunk", bytes);
    const all = this.#rest.length === 0 ? bytes : join(this.#rest, bytes);
    const unfinished = countUnfinished(all);
    // A copy, because the caller may use the memory of its bytes again.
    this.#rest = unfinished === 0 ? NO_BYTES : all.slice(all.length - unfinished);
    return this.#decode(unfinished === 0 ? all : all.subarray(0, all.length - unfinished));
  }

  /** What is left: the replacement for a character that was never finished. */
  end(): string {
    const rest = this.#rest;
    this.#rest = NO_BYTES;
    return this.#decode(rest);
  }

  #decode(bytes: Uint8Array): string {
    if (bytes.length === 0) return "";
    const text = this.#decoder.decode(bytes);
    const isMarked = this.#isFirst && text.startsWith(BYTE_ORDER_MARK);
    this.#isFirst = false;
    return isMarked ? text.slice(1) : text;
  }
}

function join(one: Uint8Array, other: Uint8Array): Uint8Array {
  const joined = new Uint8Array(one.length + other.length);
  joined.set(one);
  joined.set(other, one.length);
  return joined;
}

/** How many bytes at the end belong to a character of which more bytes may come. */
function countUnfinished(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back]!;
    if (byte < 0x80) return 0;
    // A byte that goes on with a character; the one that begins it stands before.
    if (byte < 0xc0) continue;
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < size ? back : 0;
  }
  return 0;
}
