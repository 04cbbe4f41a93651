import type { DocumentStore } from "fullstop/control";

/** How long it is remembered that something was stopped: longer than any update is on its way. */
const KEEP_MILLISECONDS = 60_000;

/** The last stop in each place, by its update, for questions that it has overtaken on their way. */
export class StopMarks {
  readonly #store: DocumentStore;
  readonly #folder: string;

  constructor(store: DocumentStore, bot: number) {
    this.#store = store;
    this.#folder = `telegram-stops-${bot}`;
  }

  /** Stops can overtake each other, too: the latest one counts. */
  async put(placeName: string, updateId: number): Promise<void> {
    for (;;) {
      const found = await this.#store.readDocument(this.#folder, placeName);
      const value = String(Math.max(updateId, numberIn(found?.value)));
      const options = { keepMilliseconds: KEEP_MILLISECONDS, expected: found ?? "none" } as const;
      if ((await this.#store.writeDocument(this.#folder, placeName, value, options)) !== undefined) return;
    }
  }

  /** The update of the last stop in a place; 0 if there was none lately. */
  async read(placeName: string): Promise<number> {
    return numberIn((await this.#store.readDocument(this.#folder, placeName))?.value);
  }
}

function numberIn(value: string | undefined): number {
  const updateId = Number(value);
  return Number.isSafeInteger(updateId) ? updateId : 0;
}
