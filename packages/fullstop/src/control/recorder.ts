import { checkNames } from "../check.ts";
import { systemClock } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { GenerationEvent } from "../events.ts";
import type { TerminationSignal } from "../termination.ts";
import { after, isPromise } from "./at-once.ts";
import { createEnding } from "./recorded-ending.ts";
import type { Ending, RecordedEnding } from "./recorded-ending.ts";
import type { EventRecords, GenerationRecord, RecordResult } from "./store.ts";
import { withholdContent, withholdMessage } from "./withhold.ts";

/** How long readers wait for a store before they are shown what it may not have. */
const PATIENCE_MILLISECONDS = 250;

/**
 * The last part of this patience, which has a timer of its own. A process that was busy itself finds the first one to be
 * over before it has heard what the store has said; by the second it has.
 */
const SECOND_LOOK_MILLISECONDS = 40;
const WAITS = [PATIENCE_MILLISECONDS - SECOND_LOOK_MILLISECONDS, SECOND_LOOK_MILLISECONDS];

/** After how many times this patience a call counts as lost, so that it is made again: 10 seconds. */
const LOST_AFTER = 40;

/** How long to wait before a store that failed is tried again, and for how long that goes on after the end. */
const RETRY_MILLISECONDS = 500;
const RETRY_AFTER_END_MILLISECONDS = 600_000;

/** How many events are told to the store in one go; more than that have only come together while it was away. */
const MOST_AT_ONCE = 1_000;

/** What a {@link Recorder} needs to know. */
export interface RecorderOptions {
  readonly store: Pick<EventRecords, "open" | "append" | "finish" | "immediate">;
  readonly record: GenerationRecord;
  /** The events so far, but for the finish. Those that were given once stay as they are. */
  readonly events: () => readonly GenerationEvent[];
  /** Called with how many events may be shown to readers, whenever there are more. */
  readonly onRelease: (events: number) => void;
  /**
   * Called when somebody else has ended the generation, because this process seemed to be gone. Nothing more is
   * released: stop generating, and call {@link Recorder.finish} to be told what comes last.
   */
  readonly onEnded: (signal: TerminationSignal) => void;
  /** Whether what is written in the events is recorded, or only how much that is. Default: true. */
  readonly keepsContent?: boolean | undefined;
  /** Told of what the store could not do. Default: nobody. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
  /** Default: that of the machine. */
  readonly clock?: Clock | undefined;
}

const NAMES: Readonly<Record<keyof RecorderOptions, true>> = {
  store: true,
  record: true,
  events: true,
  onRelease: true,
  onEnded: true,
  keepsContent: true,
  onFailure: true,
  clock: true,
};

/**
 * Records a generation as it comes. An event is released to readers when the store has it, so that nobody has read
 * what is lost in a crash. While the store is away the stream goes on all the same, and what it has missed is recorded
 * when it is back.
 */
export class Recorder {
  /** Fulfilled when nothing more is told to the store: it has all of it, or was given up. */
  readonly done: Promise<void>;
  readonly #options: RecorderOptions;
  readonly #clock: Clock;
  #activity: "idle" | "calling" | "resting" | "over" = "idle";
  /** Counts the calls to the store, so that the answer to one that was given up is not taken for that to another. */
  #calls = 0;
  /** The one timer: while calling, for a store that is silent; while resting, for the next try. */
  #stopTimer: (() => void) | undefined;
  /** Whether the store knows the generation. */
  #isOpened = false;
  #recorded = 0;
  #released = 0;
  /** Whether the store fails or is silent, so that nobody waits for it. */
  #isAway = false;
  /** Whether the store was behind and has not caught up since. */
  #isCatchingUp = false;
  #ending: Ending | undefined;
  /** The end that holds, once that is known. */
  #outcome: RecordedEnding | undefined;
  #settleDone: (() => void) | undefined;

  constructor(options: RecorderOptions) {
    checkNames("recorder options", options, NAMES);
    this.done = new Promise((resolve) => (this.#settleDone = resolve));
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.advance();
  }

  /** Whether the store knows of the generation. */
  get isOpened(): boolean {
    return this.#isOpened;
  }

  /** Says that there are more events. */
  advance(): void {
    if (this.#activity === "over") return;
    if (this.#isAway) this.#release(this.#options.events().length);
    if (this.#activity === "idle") this.#step();
  }

  /**
   * Ends the record; no event may follow. Gives the end that holds, which is another one if somebody else was first.
   * If the store is away this is the one that was given, and the store is told for another ten minutes. The first
   * call counts.
   */
  finish(signal: TerminationSignal): Promise<RecordedEnding> {
    if (this.#ending === undefined) {
      this.#ending = createEnding(signal, this.#clock.now() + RETRY_AFTER_END_MILLISECONDS);
      if (this.#outcome !== undefined) this.#ending.settle(this.#outcome);
      else if (this.#isAway || this.#activity === "over") this.#settleWithout();
      this.advance();
    }
    return this.#ending.settled;
  }

  /** Lets go of the store at once, such as when the process ends: what it does not have by now, it will not get. */
  close(): void {
    this.#stop();
    this.#settleWithout();
  }

  /** Tells the store what it does not know yet, one thing after the other. */
  #step(): void {
    // Whoever was called in between may have closed it.
    if (this.#activity === "over") return;
    if (!this.#isBehind()) {
      this.#activity = "idle";
      return;
    }
    this.#activity = "calling";
    this.#calls += 1;
    const call = this.#calls;
    let told: Told | Promise<Told>;
    try {
      told = this.#tell();
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (isPromise(told)) this.#await(told, () => call === this.#calls);
    else this.#hear(told);
  }

  #await(telling: Promise<Told>, isMeant: () => boolean): void {
    if (this.#stopTimer === undefined) this.#watch(0);
    telling.then(
      (told) => isMeant() && this.#hear(told),
      (error: unknown) => isMeant() && this.#fail(error),
    );
  }

  #isBehind(): boolean {
    return !this.#isOpened || this.#ending !== undefined || this.#options.events().length > this.#recorded;
  }

  /** Tells the store one thing. What comes of it is there at once where the store can do that. */
  #tell(): Told | Promise<Told> {
    const { record, events, keepsContent = true } = this.#options;
    const store = this.#options.store.immediate ?? this.#options.store;
    const recorded = this.#recorded;
    if (!this.#isOpened) return after(store.open(record), () => OPENED);
    const missing = events().slice(recorded, recorded + MOST_AT_ONCE);
    if (missing.length > 0 || this.#ending === undefined) {
      const kept = keepsContent ? missing : missing.map(withholdContent);
      return after(store.append(record.id, recorded, kept), (result): Told =>
        result.state === "recorded" ? { state: "recorded", events: recorded + missing.length } : result,
      );
    }
    const { signal } = this.#ending;
    return after(store.finish(record.id, keepsContent ? signal : withholdMessage(signal), recorded), (result): Told =>
      result.state === "recorded" ? { state: "ended", signal } : result,
    );
  }

  #hear(told: Told): void {
    switch (told.state) {
      case "opened":
        this.#isOpened = true;
        break;
      case "recorded":
        this.#isAway = false;
        this.#isCatchingUp = false;
        this.#recorded = told.events;
        this.#release(told.events);
        break;
      case "behind":
        // Told again and again, it would be asked without end.
        if (this.#isCatchingUp) {
          this.#fail(new Error(`The store does not keep what it is told of generation ${this.#options.record.id}`));
          return;
        }
        this.#isCatchingUp = true;
        this.#recorded = told.events;
        this.#isOpened = told.events > 0;
        break;
      case "ended":
        this.#end(told.signal);
        return;
    }
    this.#step();
  }

  #end(signal: TerminationSignal): void {
    this.#stop();
    // What is released is what the store has. Only if it was away is that more, and cannot be taken back.
    this.#outcome = { signal, events: this.#released };
    if (this.#ending === undefined) this.#options.onEnded(signal);
    else this.#ending.settle(this.#outcome);
  }

  #stop(): void {
    this.#activity = "over";
    this.#calls += 1;
    this.#clearTimer();
    this.#settleDone?.();
  }

  /** Leaves a store alone that takes too long. One timer looks after all calls of a while, which are many. */
  #watch(times: number): void {
    const call = this.#calls;
    this.#stopTimer = this.#clock.after(WAITS[times] ?? PATIENCE_MILLISECONDS, () => {
      this.#stopTimer = undefined;
      if (this.#activity !== "calling") return;
      if (this.#calls !== call) {
        this.#watch(0);
      } else if (times < LOST_AFTER) {
        if (times > 0) this.#goOnWithout();
        this.#watch(times + 1);
      } else {
        this.#fail(new Error(`The store has not answered for ${PATIENCE_MILLISECONDS * LOST_AFTER} ms`));
      }
    });
  }

  #fail(error: unknown): void {
    this.#calls += 1;
    this.#clearTimer();
    this.#isCatchingUp = false;
    this.#activity = "resting";
    if (this.#ending !== undefined && this.#clock.now() >= this.#ending.triedUntil) this.#stop();
    else this.#stopTimer = this.#clock.after(RETRY_MILLISECONDS, () => this.#retry());
    this.#goOnWithout();
    this.#options.onFailure?.(error);
  }

  #retry(): void {
    this.#stopTimer = undefined;
    this.#step();
  }

  #goOnWithout(): void {
    this.#isAway = true;
    this.#release(this.#options.events().length);
    this.#settleWithout();
  }

  #settleWithout(): void {
    this.#ending?.settle({ signal: this.#ending.signal, events: this.#options.events().length });
  }

  #release(events: number): void {
    if (events <= this.#released) return;
    this.#released = events;
    this.#options.onRelease(events);
  }

  #clearTimer(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }
}

/** What came of telling the store something; a finish of one's own that was recorded is an end like any other. */
type Told =
  | { readonly state: "opened" }
  | { readonly state: "recorded"; readonly events: number }
  | Exclude<RecordResult, { readonly state: "recorded" }>;

const OPENED: Told = { state: "opened" };
