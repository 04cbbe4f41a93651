import type { FileHandle } from "node:fs/promises";

/** How much is read from the disk at a time: a vocabulary is a megabyte or more. */
const WINDOW_BYTES = 1 << 18;

/** A file that is open. */
export type ReadableFile = Pick<FileHandle, "read">;

/** What stands behind the end of a file was to be read. */
export class BehindTheEnd extends Error {
  override readonly name = "BehindTheEnd";
}

/**
 * Reads numbers one after the other from the beginning of a file, and skips what is between them. It never reads behind
 * the end of the file, nor keeps more than a small part of it. Numbers stand there with their lowest byte first.
 */
export class HeaderReader {
  readonly #handle: ReadableFile;
  readonly #size: number;
  readonly #windowBytes: number;
  #window: Buffer = Buffer.alloc(0);
  #windowStart = 0;
  #place: number;

  constructor(handle: ReadableFile, size: number, place: number, windowBytes: number = WINDOW_BYTES) {
    this.#handle = handle;
    this.#size = size;
    this.#windowBytes = windowBytes;
    this.#place = place;
  }

  /** Where the next number stands. */
  get place(): number {
    return this.#place;
  }

  /** How much of the file is left. */
  get left(): number {
    return this.#size - this.#place;
  }

  /** Leaves out some bytes. */
  skip(bytes: number): void {
    if (bytes > this.left) throw new BehindTheEnd();
    this.#place += bytes;
  }

  /**
   * Makes sure that so many bytes can be taken. Is undefined where they are at hand, so that nobody waits: a vocabulary
   * has a few hundred thousand entries.
   */
  need(bytes: number): Promise<void> | undefined {
    if (bytes > this.left) throw new BehindTheEnd();
    const isAtHand = this.#place >= this.#windowStart && this.#place + bytes <= this.#windowStart + this.#window.length;
    return isAtHand ? undefined : this.#moveWindow(bytes);
  }

  /** Takes a number of 4 bytes that is at hand. */
  takeUint32(): number {
    const value = this.#window.readUInt32LE(this.#place - this.#windowStart);
    this.#place += 4;
    return value;
  }

  /** Takes a number of 8 bytes that is at hand. Above 2⁵³ it is not exact, which is as good as any number here. */
  takeUint64(): number {
    const value = Number(this.#window.readBigUInt64LE(this.#place - this.#windowStart));
    this.#place += 8;
    return value;
  }

  /** Takes bytes that are at hand, as text. */
  takeText(bytes: number): string {
    const start = this.#place - this.#windowStart;
    this.#place += bytes;
    return this.#window.toString("utf8", start, start + bytes);
  }

  async #moveWindow(bytes: number): Promise<void> {
    const wanted = Math.min(Math.max(bytes, this.#windowBytes), this.left);
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(wanted), 0, wanted, this.#place);
    // The file may have become shorter since its size was asked for.
    if (bytesRead < bytes) throw new BehindTheEnd();
    this.#window = buffer.subarray(0, bytesRead);
    this.#windowStart = this.#place;
  }
}
