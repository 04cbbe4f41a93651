import { FullstopError } from "../errors.ts";

/**
 * The events of a run, of which there is one row: whoever iterates over them reads them, and otherwise whoever wants
 * nothing but the result. Two who read would have half of them each, and neither would know.
 */
export class RunReading<Event> {
  readonly #events: AsyncGenerator<Event, void, undefined>;
  #reader: "nobody" | "iteration" | "result" = "nobody";

  constructor(events: AsyncGenerator<Event, void, undefined>) {
    this.#events = events;
  }

  /** The events, for whoever iterates over them. Throws where they are read for the result. */
  iterate(): AsyncGenerator<Event, void, undefined> {
    if (this.#reader === "result") {
      throw new FullstopError(
        "use_after_end",
        "The events of the run are being read for its result already; begin to read them before result() is called, or in the same step",
      );
    }
    this.#reader = "iteration";
    return this.#events;
  }

  /** Reads to the end, if nobody else does. */
  async readToEnd(): Promise<void> {
    // Whoever wants both often asks for the result first, and begins to iterate right after.
    await Promise.resolve();
    if (this.#reader !== "nobody") return;
    this.#reader = "result";
    for (let step = await this.#events.next(); step.done !== true;) step = await this.#events.next();
  }
}
