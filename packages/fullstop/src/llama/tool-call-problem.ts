/** What can be wrong with a tool call, apart from where it was broken off. */
export type ToolCallFault =
  | "not-json"
  | "too-deep"
  | "too-long"
  | "no-name"
  | "empty-name"
  | "odd-name"
  | "two-names"
  | "odd-arguments"
  | "two-arguments";

/** How a block came to its end. */
export type BlockEnding =
  /** At its closing marker. */
  | "closed"
  /** The model was done without having written it. */
  | "ended"
  /** The output was over before the model was done. */
  | "cut"
  /** At another opening marker. */
  | "interrupted";

const FAULTS: Readonly<Record<ToolCallFault, string>> = {
  "not-json": "The tool call is not valid JSON",
  "too-deep": "The tool call is nested too deep",
  "too-long": "The tool call is too long",
  "no-name": "The tool call has no name",
  "empty-name": "The name of the tool call is empty",
  "odd-name": "The name of the tool call is not a string",
  "two-names": "The tool call has two names",
  "odd-arguments": "The arguments of the tool call are not an object",
  "two-arguments": "The tool call gives its arguments twice",
};

/** How much of a block a sentence quotes. */
const QUOTED_LENGTH = 200;
/** How much of that stands before a fault, where text follows it. */
const QUOTED_BEFORE = 100;

/** Keeps the part of a block that a sentence about its fault may quote: what stands on both sides of it. */
export class BlockExcerpt {
  #before = "";
  #after = "";
  #isCut = false;

  /** Adds text in which no fault was found. */
  add(text: string): void {
    this.#before += text;
    // Not at each piece, because every cut makes a new string.
    if (this.#before.length <= QUOTED_LENGTH * 8) return;
    this.#before = this.#before.slice(-QUOTED_LENGTH);
    this.#isCut = true;
  }

  /** Adds text from the fault on. */
  addRest(text: string): void {
    // One more than is quoted tells whether it goes on.
    this.#after += text.slice(0, QUOTED_LENGTH + 1 - this.#after.length);
  }

  /** One sentence on a fault. */
  describeFault(fault: ToolCallFault): string {
    const [before, after] = this.#quote();
    if (fault !== "not-json") return `${FAULTS[fault]}: ${oneLine(before + after)}`;
    const place = oneLine(before) === "" ? "at its beginning" : `after ${oneLine(before)}`;
    return `${FAULTS[fault]}: unexpected "${oneLine(after)}" ${place}`;
  }

  /** One sentence on a block that has no fault but ended too soon. */
  describeEnd(ending: BlockEnding): string {
    const before = oneLine(this.#quote()[0]);
    const after = before === "" ? "" : `, after ${before}`;
    if (ending === "interrupted") return `Another tool call begins inside the tool call${after}`;
    if (ending !== "closed") return `The tool call ended in the middle${after}`;
    return before === "" ? "The tool call is empty" : `${FAULTS["not-json"]}: unexpected end after ${before}`;
  }

  #quote(): readonly [before: string, after: string] {
    const before = this.#before.slice(this.#after === "" ? -QUOTED_LENGTH : -QUOTED_BEFORE);
    const after = this.#after.slice(0, QUOTED_LENGTH - before.length);
    const isCutBefore = this.#isCut || before.length < this.#before.length;
    return [`${isCutBefore ? "…" : ""}${before}`, `${after}${after.length < this.#after.length ? "…" : ""}`];
  }
}

function oneLine(text: string): string {
  return text.toWellFormed().replaceAll(/\s+/g, " ").trim();
}
