import type { CitationEvent } from "../../events.ts";
import type { WireFormatName } from "../format.ts";
import { warnOfHomeless } from "./annotations.ts";
import type { Warn } from "./options.ts";
import type { AnswerPart, AnswerWriter, TextPart } from "./parts.ts";

/** Dialects whose citations are for all of a block of text, so that what follows a citation is another block. */
const BLOCKWISE: ReadonlySet<WireFormatName> = new Set(["anthropic-messages"]);

/** Brings the citations of one answer to the parts that hold their text. */
export class CitationKeeper {
  readonly #writer: AnswerWriter;
  readonly #warn: Warn;
  readonly #dialect: WireFormatName;
  readonly #isBlockwise: boolean;
  readonly #texts: TextPart[] = [];
  /** Those whose text is not all there yet: some of it may be held back. */
  #waiting: CitationEvent[] = [];
  /** With how much text the first of them has all of its own. */
  #awaited = Infinity;
  #textLength = 0;

  constructor(dialect: WireFormatName, writer: AnswerWriter, warn: Warn) {
    this.#writer = writer;
    this.#warn = warn;
    this.#dialect = dialect;
    this.#isBlockwise = BLOCKWISE.has(dialect);
  }

  /** How much visible text has been written. */
  get textLength(): number {
    return this.#textLength;
  }

  /** Whether more text has to go into another part. */
  isEnded(part: AnswerPart): boolean {
    return this.#isBlockwise && part.type === "text" && part.citations.length > 0;
  }

  /** A part of text has opened. */
  open(part: TextPart): void {
    this.#texts.push(part);
  }

  /** So much more visible text has been written. */
  advance(length: number): void {
    this.#textLength += length;
    if (this.#textLength < this.#awaited) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#awaited = Infinity;
    for (const citation of waiting) this.add(citation);
  }

  add(citation: CitationEvent): void {
    const { end = 0 } = citation;
    if (this.#texts.length > 0 && end <= this.#textLength) {
      this.#attach(citation);
      return;
    }
    this.#waiting.push(citation);
    this.#awaited = Math.min(this.#awaited, end);
  }

  /**
   * No more text comes. What is cited of text that was cut is cited up to the cut, and what is cited of nothing else goes
   * with it. In a whole answer a place past the end is a wrong one, and the source is told without it.
   */
  end(isWhole: boolean): void {
    for (const citation of this.#waiting) {
      const { start = 0, end = 0, value, ...rest } = citation;
      if (end <= this.#textLength) this.#warnOfLoss();
      else if (start < this.#textLength) this.#attach({ ...rest, start, end: this.#textLength });
      else if (isWhole && this.#texts.length > 0) this.#attach({ ...rest, value });
    }
    this.#waiting = [];
  }

  #attach(citation: CitationEvent): void {
    const { end = Infinity, url, format } = citation;
    // One that cannot be written is nothing that ends a block.
    if (url === undefined && format !== this.#dialect) {
      warnOfHomeless(citation, this.#warn);
      return;
    }
    const part = this.#partBefore(end);
    if (part === undefined || (this.#isBlockwise && part.isClosed)) {
      this.#warnOfLoss();
      return;
    }
    part.citations.push(citation);
    this.#writer.cite(part, citation);
  }

  /** The last part that begins before a place. */
  #partBefore(place: number): TextPart | undefined {
    let low = 0;
    let high = this.#texts.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#texts[middle]!.start < place) low = middle + 1;
      else high = middle;
    }
    return this.#texts[low - 1];
  }

  #warnOfLoss(): void {
    this.#warn("citations", "A citation came without its text, or too late for it, and was left out");
  }
}

/** The citations of all the parts of an answer. */
export function citationsOf(parts: readonly AnswerPart[]): readonly CitationEvent[] {
  return parts.flatMap((part) => (part.type === "text" ? part.citations : []));
}
