import type { Conversations } from "./conversations.ts";
import type { UnfinishedAnswers, UnfinishedEntry } from "./unfinished.ts";

/** How many are remembered; those that are forgotten are finished once more, which does no harm. */
const MOST = 10_000;

/** What is needed to take answers off the list. */
export interface SaidAnswersParts {
  readonly conversations: Pick<Conversations, "writeLate" | "writeAllLate">;
  readonly unfinished: Pick<UnfinishedAnswers, "remove">;
}

/**
 * The answers that this process has shown to the end and that are still on the list of those under way, because the
 * store is away. Nobody has to finish them, and they are taken off as soon as it is back.
 *
 * The order is the same for all: an answer is put into its conversation, then taken off the list, and then its record
 * ends. On the list it can be finished by others should this process die, and off it only this one knows of it; but
 * whoever finds an answer there whose record has ended finishes it.
 */
export class SaidAnswers {
  readonly #parts: SaidAnswersParts;
  readonly #entries = new Map<string, UnfinishedEntry>();

  constructor(parts: SaidAnswersParts) {
    this.#parts = parts;
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  /** Takes an answer off the list, now or in a later round. Rejected if it is not now. */
  async takeOff(entry: UnfinishedEntry): Promise<void> {
    this.#entries.set(entry.id, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MOST && oldest !== undefined) this.#entries.delete(oldest);
    await this.#takeOff(entry);
  }

  /** Does what could not be done when it was due. One after the other: a store that is away is asked only once. */
  async round(): Promise<void> {
    await this.#parts.conversations.writeAllLate();
    for (const entry of this.#entries.values()) await this.#takeOff(entry);
  }

  async #takeOff(entry: UnfinishedEntry): Promise<void> {
    await this.#parts.conversations.writeLate(entry.placeName);
    await this.#parts.unfinished.remove(entry);
    this.#entries.delete(entry.id);
  }
}
