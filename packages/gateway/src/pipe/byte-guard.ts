import { createTextGuard, createTerminationSignal } from "fullstop";
import type { StopRules, TerminationSignal, TextGuard } from "fullstop";
import { ByteDecoder } from "./byte-decoder.ts";
import type { StopSearch } from "./stop-search.ts";

const NOTHING = new Uint8Array(0);

/** A text guard for bytes: bytes of UTF-8 go in, bytes that may be shown come out. */
export class ByteGuard {
  readonly #decoder = new ByteDecoder();
  readonly #guard: TextGuard;
  readonly #search: StopSearch | undefined;
  /** How many characters have gone in and not come out. */
  #held = 0;
  /** How many characters the guard has not seen, because nothing was to be found among them. */
  #skipped = 0;
  #hasEnded = false;

  /** A search may be given where stop strings and time are all there is to look at. */
  constructor(rules: StopRules, search?: StopSearch) {
    this.#guard = createTextGuard(rules);
    this.#search = search;
  }

  /** How the text ended, once it has. */
  get signal(): TerminationSignal | undefined {
    const { signal } = this.#guard;
    if (signal === undefined) return this.#hasEnded ? INPUT_ENDED : undefined;
    return this.#skipped === 0 ? signal : moveBy(this.#skipped, signal);
  }

  /** Takes the next bytes and gives those that may be shown now. */
  push(chunk: Uint8Array): Uint8Array {
    const { text, layout } = this.#decoder.push(chunk);
    const wasHolding = this.#held > 0;
    const isPlain = this.#search !== undefined && !wasHolding && !this.#search.mayBeIn(text);
    const skipped = isPlain ? text.length - this.#search.tail : 0;
    this.#skipped += skipped;
    const shown = this.#guard.push(skipped === 0 ? text : text.slice(skipped));
    const shownLength = skipped + shown.length;
    this.#held += text.length - shownLength;
    // Nearly always all or nearly all of the chunk may go on as it is, which spares encoding it again.
    if (!wasHolding && layout !== "other" && shownLength === text.length) return chunk;
    if (!wasHolding && layout === "bytewise") return chunk.subarray(0, shownLength);
    return encode(skipped === 0 ? shown : text.slice(0, shownLength));
  }

  /** Looks at the time again, for a text of which nothing comes. */
  tick(): Uint8Array {
    return encode(this.#guard.push("", []));
  }

  /** Takes the end of the input and gives what was held back. */
  end(): Uint8Array {
    const shown = this.#pushHalf() + this.#guard.end();
    this.#hasEnded = true;
    return encode(shown);
  }

  /** Ends the text from outside and gives what was held back. */
  cancel(detail: string): Uint8Array {
    return encode(this.#pushHalf() + this.#guard.cancel(detail));
  }

  #pushHalf(): string {
    const half = this.#decoder.end();
    // Not an empty piece: the time that it takes to notice the end does not count.
    return half === "" ? "" : this.#guard.push(half);
  }
}

const INPUT_ENDED = createTerminationSignal({
  reason: "natural_completion",
  originalField: "input",
  originalValue: "end",
  message: "The input has ended",
});

/** A signal whose places in the text are counted from further ahead. */
function moveBy(count: number, signal: TerminationSignal): TerminationSignal {
  const { providerSpecific } = signal;
  const { metadata = {} } = providerSpecific;
  const places = Object.entries(metadata).filter(([name]) => name === "start" || name === "end");
  const moved = Object.fromEntries(places.map(([name, place]) => [name, Number(place) + count]));
  return { ...signal, providerSpecific: { ...providerSpecific, metadata: { ...metadata, ...moved } } };
}

function encode(text: string): Uint8Array {
  return text === "" ? NOTHING : Buffer.from(text);
}
