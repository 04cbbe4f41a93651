import type { DocumentStore } from "fullstop/control";

/**
 * How many rounds in a row have to find a process gone before others take its questions. One that was only cut off has
 * that while to say that it lives.
 */
const SIGHTINGS = 3;

/** For how many rounds nobody is judged after the store was away: it was so for the others, too. */
const GRACE_ROUNDS = 2;

/** Says whether a process is gone for good. */
export type Judge = (holder: string) => boolean;

/** What has to be known to say that a process lives. */
export interface LivingProcessesParts {
  readonly store: DocumentStore;
  readonly bot: number;
  /** The name of this process. */
  readonly holder: string;
  /** After how long a process that does not say that it lives counts as dead. */
  readonly leaseMilliseconds: number;
}

/** Which processes of a bot live, by what they say of themselves in the store. */
export class LivingProcesses {
  readonly #parts: LivingProcessesParts;
  readonly #folder: string;
  /** Processes that seem to be gone, and how often in a row that was seen. */
  #suspects: ReadonlyMap<string, number> = new Map();
  #graceRounds = 0;

  constructor(parts: LivingProcessesParts) {
    this.#parts = parts;
    this.#folder = `telegram-processes-${parts.bot}`;
  }

  /** Says that this process lives, and gives what judges the others, as often as it is asked in this round. */
  async beginRound(): Promise<Judge> {
    const { store, holder, leaseMilliseconds } = this.#parts;
    await store.writeDocument(this.#folder, holder, "", { keepMilliseconds: leaseMilliseconds, expected: "any" });
    const living = new Set(await store.documentNames(this.#folder));
    const before = this.#suspects;
    const suspects = new Map<string, number>();
    this.#suspects = suspects;
    if (this.#graceRounds > 0) {
      this.#graceRounds -= 1;
      return () => false;
    }
    return (other) => {
      if (living.has(other)) return false;
      const sightings = (before.get(other) ?? 0) + 1;
      suspects.set(other, sightings);
      return sightings >= SIGHTINGS;
    };
  }

  /** The store was away, so that nobody could say anything: what was suspected before does not count. */
  beginAnew(): void {
    this.#suspects = new Map();
    this.#graceRounds = GRACE_ROUNDS;
  }
}
