import { isAscii, isUtf8 } from "node:buffer";
import { createUtf8Decoder } from "fullstop";

/** A chunk of bytes as text. */
export interface DecodedChunk {
  readonly text: string;
  /**
   * How the text lies in the bytes: one byte a character, all the bytes and only they, or neither: a character began in
   * an earlier chunk, is not whole yet, or had to be replaced.
   */
  readonly layout: "bytewise" | "whole" | "other";
}

/**
 * Decodes UTF-8 as it comes, with the result of `createUtf8Decoder`. That one is made for the few bytes of a token and
 * reads 60 MB a second; here whole characters in large chunks go through the machine code of Node, and only what lies
 * across two chunks or is broken goes to it.
 */
export class ByteDecoder {
  readonly #decoder = createUtf8Decoder();

  push(chunk: Uint8Array): DecodedChunk {
    if (!this.#decoder.isPending) {
      if (isAscii(chunk)) return { text: toBuffer(chunk).toString("latin1"), layout: "bytewise" };
      if (isUtf8(chunk)) return { text: toBuffer(chunk).toString(), layout: "whole" };
    }
    let text = "";
    let start = 0;
    while (this.#decoder.isPending && start < chunk.length) text += this.#decoder.push(chunk.subarray(start, ++start));
    const rest = chunk.subarray(start);
    const end = wholeCharactersEnd(rest);
    const whole = rest.subarray(0, end);
    text += isUtf8(whole) ? toBuffer(whole).toString() : this.#decoder.push(whole);
    return { text: text + this.#decoder.push(rest.subarray(end)), layout: "other" };
  }

  /** U+FFFD if a character was left unfinished, else nothing. */
  end(): string {
    return this.#decoder.end();
  }
}

/** Where the last character begins if its bytes may not all be there, else the end. */
function wholeCharactersEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return bytes.length - back;
    if (byte < 0x80) break;
  }
  return bytes.length;
}

/** The same bytes with the methods of a Buffer. */
function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
