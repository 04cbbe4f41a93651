import type { Clock } from "fullstop";
import type { DocumentStore } from "fullstop/control";
import { nameOf } from "../place.ts";
import type { Place } from "../place.ts";

/** How long to wait before looking again whether a turn is free. It is taken for some milliseconds at a time. */
const LOOK_MILLISECONDS = 20;

/** Gives a turn back. */
export type EndTurn = () => Promise<void>;

/**
 * Who may begin an answer in a place. Only one process at a time looks whether another one answers there and begins an
 * answer of its own; otherwise two of them could find nobody, and both begin.
 */
export class Turns {
  readonly #store: DocumentStore;
  readonly #folder: string;
  readonly #clock: Clock;
  /** After how long the turn of a process that has died is over. */
  readonly #keepMilliseconds: number;

  constructor(store: DocumentStore, bot: number, keepMilliseconds: number, clock: Clock) {
    this.#store = store;
    this.#folder = `telegram-turns-${bot}`;
    this.#keepMilliseconds = keepMilliseconds;
    this.#clock = clock;
  }

  /** Waits for a turn. */
  async take(place: Place): Promise<EndTurn> {
    const name = nameOf(place);
    const options = { keepMilliseconds: this.#keepMilliseconds, expected: "none" } as const;
    for (;;) {
      const taken = await this.#store.writeDocument(this.#folder, name, "", options);
      if (taken !== undefined) return async () => void (await this.#store.deleteDocument(this.#folder, name, taken));
      await new Promise<void>((resolve) => this.#clock.after(LOOK_MILLISECONDS, resolve));
    }
  }
}
