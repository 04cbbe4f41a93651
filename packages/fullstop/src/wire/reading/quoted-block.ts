import { isRecord } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import type { Answer } from "./answer.ts";
import type { Citation } from "./citation.ts";

/** How many citations of one block are kept until it ends. */
const MOST_CITATIONS = 1000;

/**
 * The citations of the text block under way. They are for all of its text and may come before it, so they are told
 * when the block ends.
 */
export class QuotedBlock {
  readonly #answer: Answer;
  readonly #read: (citation: JsonRecord, start: number, end: number) => Citation;
  #start = 0;
  #citations: JsonRecord[] = [];

  constructor(answer: Answer, read: (citation: JsonRecord, start: number, end: number) => Citation) {
    this.#answer = answer;
    this.#read = read;
  }

  /** A block begins, which in a whole answer has all its citations. */
  begin(citations: readonly unknown[]): void {
    this.end();
    for (const citation of citations) this.add(citation);
  }

  add(citation: unknown): void {
    if (!isRecord(citation)) return;
    if (this.#citations.length === MOST_CITATIONS) throw new Error("A block has more citations than the limit");
    this.#citations.push(citation);
  }

  end(): void {
    const start = this.#start;
    const end = this.#answer.textLength;
    for (const citation of this.#citations) this.#answer.citation(this.#read(citation, start, end));
    this.#citations = [];
    this.#start = end;
  }
}
