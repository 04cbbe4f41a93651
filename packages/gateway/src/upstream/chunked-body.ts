import { MalformedResponse } from "./malformed-response.ts";

/** Told of the bytes of a body, by where they stand; they are only there during the call. */
export type TakeBytes = (bytes: Buffer, start: number, end: number) => void;

/** How long what stands behind the size of a chunk may be, and all lines behind the last chunk together. */
const MOST_BESIDE = 16_384;
/** A size of more digits is none that anybody could send. */
const MOST_DIGITS = 12;

const UNREADABLE_SIZE = "The answer has a chunk whose size cannot be read";

const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;
const SEMICOLON = 59;
const SPACE = 32;
const TAB = 9;

/** What the next byte belongs to, where it is looked at by itself. */
type Beside =
  | "size"
  | "blanks behind size"
  | "extension"
  | "line feed of size"
  | "carriage return of data"
  | "line feed of data"
  | "line of trailer"
  | "within trailer"
  | "line feed of trailer"
  | "last line feed";

/** Reads a body that comes in chunks. What is said beside them, with their sizes and behind the last, is left out. */
export class ChunkedBody {
  readonly #take: TakeBytes;
  #place: Beside | "data" | "behind" = "size";
  #size = 0;
  #digits = 0;
  #beside = 0;

  constructor(take: TakeBytes) {
    this.#take = take;
  }

  get isOver(): boolean {
    return this.#place === "behind";
  }

  /** Reads on from a place in the bytes. Gives the place where it has stopped, which is behind the body if that is over. */
  read(bytes: Buffer, start: number, end: number): number {
    let at = start;
    while (at < end) {
      const place = this.#place;
      if (place === "behind") break;
      if (place === "data") at = this.#readData(bytes, at, end);
      else this.#readByte(bytes[at++]!, place);
    }
    return at;
  }

  #readData(bytes: Buffer, start: number, end: number): number {
    const stop = Math.min(end, start + this.#size);
    this.#size -= stop - start;
    if (this.#size === 0) this.#place = "carriage return of data";
    this.#take(bytes, start, stop);
    return stop;
  }

  #readByte(byte: number, place: Beside): void {
    switch (place) {
      case "size":
        this.#readSize(byte);
        break;
      case "blanks behind size":
        this.#passBlank(byte);
        break;
      case "extension":
        this.#pass(byte, "line feed of size");
        break;
      case "line feed of size":
        expect(byte, LINE_FEED);
        this.#place = this.#size === 0 ? "line of trailer" : "data";
        this.#beside = 0;
        break;
      case "carriage return of data":
        expect(byte, CARRIAGE_RETURN);
        this.#place = "line feed of data";
        break;
      case "line feed of data":
        expect(byte, LINE_FEED);
        this.#place = "size";
        this.#digits = 0;
        break;
      case "line of trailer":
        this.#place = byte === CARRIAGE_RETURN ? "last line feed" : "within trailer";
        if (byte !== CARRIAGE_RETURN) this.#pass(byte, "line feed of trailer");
        break;
      case "within trailer":
        this.#pass(byte, "line feed of trailer");
        break;
      case "line feed of trailer":
        expect(byte, LINE_FEED);
        this.#place = "line of trailer";
        break;
      case "last line feed":
        expect(byte, LINE_FEED);
        this.#place = "behind";
        break;
    }
  }

  #readSize(byte: number): void {
    const digit = digitOf(byte);
    if (digit !== undefined && this.#digits < MOST_DIGITS) {
      this.#size = this.#size * 16 + digit;
      this.#digits += 1;
    } else if (this.#digits > 0) {
      this.#passBlank(byte);
    } else {
      throw new MalformedResponse(UNREADABLE_SIZE);
    }
  }

  /** What can stand behind a size. Another number there could be taken for the rest of it. */
  #passBlank(byte: number): void {
    if (byte === CARRIAGE_RETURN) this.#place = "line feed of size";
    else if (byte === SEMICOLON) this.#place = "extension";
    else if (byte === SPACE || byte === TAB) {
      this.#place = "blanks behind size";
      this.#pass(byte, "line feed of size");
    } else throw new MalformedResponse(UNREADABLE_SIZE);
  }

  /** Leaves out what stands beside the chunks, up to the end of its line. */
  #pass(byte: number, next: Beside): void {
    this.#beside += 1;
    if (byte === LINE_FEED) throw new MalformedResponse("The answer has a line feed where none can be");
    if (this.#beside > MOST_BESIDE) throw new MalformedResponse("The answer says too much beside its chunks");
    if (byte === CARRIAGE_RETURN) this.#place = next;
  }
}

function digitOf(byte: number): number | undefined {
  if (byte >= 48 && byte <= 57) return byte - 48;
  // The bit by which small letters differ from capitals.
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : undefined;
}

function expect(byte: number, expected: number): void {
  if (byte !== expected) throw new MalformedResponse("The answer has a chunk that does not end where it says");
}
