import type { ReasoningTokenMarkers } from "../reasoning/markers.ts";

/** What the thinking of one generation is held to. */
export interface ThinkingLimits {
  /** The most tokens between markers over the whole answer, however many blocks it has; undefined for no limit. */
  readonly budgetTokens: number | undefined;
  readonly startsInside: boolean;
}

/** Follows a generation into and out of its thinking, and knows when the thinking has to end. */
export class ThinkingWatch {
  readonly #markers: ReasoningTokenMarkers | undefined;
  readonly #budget: number;
  #isInside: boolean;
  #tokens = 0;
  #thoughts = 0;
  #isSkipped = false;
  #hasEnded = false;

  constructor(markers: ReasoningTokenMarkers | undefined, { budgetTokens, startsInside }: ThinkingLimits) {
    this.#markers = markers;
    this.#budget = budgetTokens ?? Number.POSITIVE_INFINITY;
    this.#isInside = startsInside;
  }

  /** Whether the next token is one of thinking, as far as is known. */
  get isInside(): boolean {
    return this.#isInside;
  }

  /** How many tokens the thinking has had so far, markers included. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Whether the thinking is to be closed now. */
  get isOver(): boolean {
    return this.#isInside && (this.#isSkipped || this.#thoughts >= this.#budget);
  }

  /** Takes note of a token of the answer. */
  read(id: number): void {
    const opens = !this.#isInside && id === this.#markers?.openId;
    const closes = this.#isInside && id === this.#markers?.closeId;
    if (opens || this.#isInside) this.#tokens += 1;
    if (opens) this.#isInside = true;
    else if (closes) this.#isInside = false;
    else if (this.#isInside) this.#thoughts += 1;
    if (!this.#isInside) this.#hasEnded = true;
  }

  /** Asks for the end of the thinking, also of thinking that has not begun. False if there is none to end any more. */
  skip(): boolean {
    if (this.#markers === undefined || (this.#hasEnded && !this.#isInside)) return false;
    this.#isSkipped = true;
    return true;
  }
}
