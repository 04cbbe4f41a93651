import { checkBytes } from "../../check.ts";
import type { Sink } from "../../stage.ts";
import { crc32 } from "./crc32.ts";

/** One message of an AWS event stream. */
export interface AwsFrame {
  readonly headers: ReadonlyMap<string, string>;
  readonly payload: Uint8Array;
}

/** What comes out of the bytes of an AWS event stream. */
export interface AwsFrameListener {
  frame(frame: AwsFrame): void;
  /** A checksum is wrong, or a length cannot be. Nothing is read any more. */
  corrupt(): void;
  /** A frame announces more bytes than the limit. Nothing is read any more. */
  oversized(): void;
}

/** Total length, length of the headers, and a checksum of these two. */
const PRELUDE = 12;
/** The checksum at the end of a frame. */
const TRAILER = 4;
const STRING_HEADER = 7;
/** How many bytes the value of a header has, by its type; strings and byte arrays tell it themselves. */
const HEADER_SIZES: readonly number[] = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16];

/** Takes a stream of AWS event-stream frames apart, however it is cut. */
export class AwsFrameReader implements Sink<Uint8Array> {
  readonly #listener: AwsFrameListener;
  readonly #maxSize: number;
  readonly #decoder = new TextDecoder();
  #isClosed = false;
  /** Bytes whose frame is not complete. The room grows by doubling, so that small pieces do not cost a copy each. */
  #buffer = new Uint8Array(1024);
  #length = 0;

  constructor(listener: AwsFrameListener, maxSize: number) {
    this.#listener = listener;
    this.#maxSize = maxSize;
  }

  /** Whether a frame has begun whose end has not come. */
  get isInside(): boolean {
    return this.#length > 0;
  }

  push(bytes: Uint8Array): void {
    checkBytes("chunk", bytes);
    if (this.#isClosed) return;
    this.#append(bytes);
    let start = 0;
    for (let size = this.#frameSize(start); size > 0; size = this.#frameSize(start)) {
      this.#readFrame(this.#buffer.subarray(start, start + size));
      start += size;
    }
    if (this.#isClosed) return;
    this.#buffer.copyWithin(0, start, this.#length);
    this.#length -= start;
  }

  end(): void {
    this.#isClosed = true;
  }

  #append(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * this.#buffer.length));
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length = needed;
  }

  /** The size of the frame at `start` if all of it is there, else 0. */
  #frameSize(start: number): number {
    if (this.#isClosed || this.#length - start < PRELUDE) return 0;
    const view = new DataView(this.#buffer.buffer, start);
    const size = view.getUint32(0);
    const isSound =
      view.getUint32(8) === crc32(this.#buffer.subarray(start, start + 8)) &&
      size >= PRELUDE + view.getUint32(4) + TRAILER;
    if (!isSound) this.#close(() => this.#listener.corrupt());
    else if (size > this.#maxSize) this.#close(() => this.#listener.oversized());
    return isSound && !this.#isClosed && this.#length - start >= size ? size : 0;
  }

  #readFrame(frame: Uint8Array): void {
    const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
    const end = frame.length - TRAILER;
    const headersEnd = PRELUDE + view.getUint32(4);
    const headers =
      view.getUint32(end) === crc32(frame.subarray(0, end)) ? this.#readHeaders(frame, headersEnd) : undefined;
    if (headers === undefined) this.#close(() => this.#listener.corrupt());
    else this.#listener.frame({ headers, payload: frame.slice(headersEnd, end) });
  }

  /** The headers whose value is a string, which are all that matter here; undefined if they make no sense. */
  #readHeaders(frame: Uint8Array, end: number): ReadonlyMap<string, string> | undefined {
    const headers = new Map<string, string>();
    const view = new DataView(frame.buffer, frame.byteOffset, end);
    let at = PRELUDE;
    while (at < end) {
      const nameEnd = at + 1 + view.getUint8(at);
      if (nameEnd >= end) return undefined;
      const type = view.getUint8(nameEnd);
      const fixed = HEADER_SIZES[type];
      if (fixed === undefined || (fixed === -1 && nameEnd + 3 > end)) return undefined;
      const valueStart = fixed === -1 ? nameEnd + 3 : nameEnd + 1;
      const valueEnd = valueStart + (fixed === -1 ? view.getUint16(nameEnd + 1) : fixed);
      if (valueEnd > end) return undefined;
      if (type === STRING_HEADER) {
        const name = this.#decoder.decode(frame.subarray(at + 1, nameEnd));
        headers.set(name, this.#decoder.decode(frame.subarray(valueStart, valueEnd)));
      }
      at = valueEnd;
    }
    return headers;
  }

  #close(tell: () => void): void {
    this.#isClosed = true;
    this.#length = 0;
    tell();
  }
}
