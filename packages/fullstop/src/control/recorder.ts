import { systemClock } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { GenerationEvent } from "../events.ts";
import type { TerminationSignal } from "../termination.ts";
import type { EventRecords, GenerationRecord, RecordResult } from "./store.ts";

/** How long readers wait for a store before they are shown what it may not have. */
const PATIENCE_MILLISECONDS = 250;

/** How long to wait before a store that failed is tried again, and for how long that goes on after the end. */
const RETRY_MILLISECONDS = 500;
const TRIES_AFTER_END = 1_200;

/** What a {@link Recorder} needs to know. */
export interface RecorderOptions {
  readonly store: Pick<EventRecords, "open" | "append" | "finish">;
  readonly record: GenerationRecord;
  /** The events so far, but for the finish. Those that were given once stay as they are. */
  readonly events: () => readonly GenerationEvent[];
  /** Called with how many events may be shown to readers, whenever there are more. */
  readonly onRelease: (events: number) => void;
  /** Called when somebody else has ended the generation, because this process seemed to be gone. */
  readonly onEnded: (signal: TerminationSignal) => void;
  /** Told of what the store could not do. Default: nobody. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
  /** Default: that of the machine. */
  readonly clock?: Clock | undefined;
}

/**
 * Records a generation as it comes. An event is released to readers when the store has it, so that nobody has read
 * what is lost in a crash. While the store is away the stream goes on all the same, and what it has missed is recorded
 * when it is back.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #clock: Clock;
  /** Whether the store knows the generation. */
  #isOpened = false;
  #recorded = 0;
  #released = 0;
  /** Counts the calls to the store, so that one that takes too long is told from the next one. */
  #calls = 0;
  #isWriting = false;
  /** Whether the store fails or is silent, so that nobody waits for it. */
  #isAway = false;
  #isWatched = false;
  #ending: Ending | undefined;
  /** The ending that the store has. */
  #outcome: TerminationSignal | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.advance();
  }

  /** Says that there are more events. */
  advance(): void {
    if (this.#isAway) this.#release(this.#options.events().length);
    if (!this.#isWriting) void this.#write();
  }

  /** Ends the record. Gives the ending that holds, which is another one if somebody else was first. */
  finish(signal: TerminationSignal): Promise<TerminationSignal> {
    return new Promise((settle) => {
      this.#ending = { signal, settle, triesLeft: TRIES_AFTER_END };
      if (this.#outcome !== undefined) settle(this.#outcome);
      else if (this.#isAway) settle(signal);
      this.advance();
    });
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) {
        this.#calls += 1;
        this.#watch();
        await next;
      }
    } catch (error) {
      this.#options.onFailure?.(error);
      this.#goOnWithout();
      this.#tryLater();
    }
    this.#isWriting = false;
  }

  /** What is to be told to the store next. */
  #next(): Promise<void> | undefined {
    const { store, record, events } = this.#options;
    if (this.#outcome !== undefined) return undefined;
    if (!this.#isOpened) return this.#open();
    const missing = events().slice(this.#recorded);
    if (missing.length > 0) {
      return store.append(record.id, this.#recorded, missing).then((result) => this.#take(result, missing.length));
    }
    return this.#ending === undefined ? undefined : this.#recordEnding(this.#ending);
  }

  async #recordEnding({ signal }: Ending): Promise<void> {
    const { store, record } = this.#options;
    const result = await store.finish(record.id, signal, this.#recorded);
    if (result.state === "recorded") this.#end(signal);
    else this.#take(result, 0);
  }

  async #open(): Promise<void> {
    await this.#options.store.open(this.#options.record);
    this.#isOpened = true;
  }

  #take(result: RecordResult, events: number): void {
    this.#isAway = false;
    switch (result.state) {
      case "recorded":
        this.#recorded += events;
        this.#release(this.#recorded);
        break;
      case "behind":
        this.#recorded = result.events;
        this.#isOpened = result.events > 0;
        break;
      case "ended":
        if (this.#ending === undefined) this.#options.onEnded(result.signal);
        this.#end(result.signal);
        break;
    }
  }

  #end(signal: TerminationSignal): void {
    this.#outcome = signal;
    this.#release(this.#options.events().length);
    this.#ending?.settle(signal);
  }

  /** Leaves a store alone that takes too long. One timer looks after all calls of a while, which are many. */
  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    const call = this.#calls;
    this.#clock.after(PATIENCE_MILLISECONDS, () => {
      this.#isWatched = false;
      if (!this.#isWriting) return;
      if (this.#calls === call) this.#goOnWithout();
      else this.#watch();
    });
  }

  #goOnWithout(): void {
    this.#isAway = true;
    this.#release(this.#options.events().length);
    this.#ending?.settle(this.#ending.signal);
  }

  #tryLater(): void {
    if (this.#ending !== undefined) {
      this.#ending.triesLeft -= 1;
      if (this.#ending.triesLeft <= 0) return;
    }
    this.#clock.after(RETRY_MILLISECONDS, () => {
      if (!this.#isWriting) void this.#write();
    });
  }

  #release(events: number): void {
    if (events <= this.#released) return;
    this.#released = events;
    this.#options.onRelease(events);
  }
}

interface Ending {
  readonly signal: TerminationSignal;
  readonly settle: (signal: TerminationSignal) => void;
  triesLeft: number;
}
