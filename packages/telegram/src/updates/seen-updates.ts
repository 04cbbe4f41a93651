import type { Clock } from "fullstop";
import type { DocumentStore } from "fullstop/control";
import type { BotLog } from "../operations/log.ts";

/** Longer than it takes until Telegram delivers an update again, or a process that has died is back. */
const REPEATED_FOR_MILLISECONDS = 60 * 60 * 1_000;

/** How long to wait for the store: one that is silent must not keep a stop waiting. */
const PATIENCE_MILLISECONDS = 500;

/** What it needs to be known which updates have come. */
export interface SeenUpdatesParts {
  readonly store: DocumentStore;
  readonly bot: number;
  readonly log: BotLog;
  readonly clock: Clock;
}

/** The updates that have come, to whichever process. They can come twice: a web server may be too slow for Telegram. */
export class SeenUpdates {
  readonly #parts: SeenUpdatesParts;

  constructor(parts: SeenUpdatesParts) {
    this.#parts = parts;
  }

  /** Whether an update has not come before. Where the store cannot say, it is taken for new. */
  async isFirst(updateId: number): Promise<boolean> {
    const { store, bot, log, clock } = this.#parts;
    const options = { keepMilliseconds: REPEATED_FOR_MILLISECONDS, expected: "none" } as const;
    let cancel: (() => void) | undefined;
    const tooLate = new Promise<never>((_resolve, reject) => {
      const fail = (): void => reject(new Error(`The store has not answered for ${PATIENCE_MILLISECONDS} ms`));
      cancel = clock.after(PATIENCE_MILLISECONDS, fail);
    });
    try {
      const written = store.writeDocument(`telegram-updates-${bot}`, String(updateId), "", options);
      return (await Promise.race([written, tooLate])) !== undefined;
    } catch (error) {
      log.warn({ err: error }, "the store could not say whether an update has come before");
      return true;
    } finally {
      cancel?.();
    }
  }
}
