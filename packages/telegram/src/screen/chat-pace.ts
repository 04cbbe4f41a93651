import type { Clock } from "fullstop";

/** For how many calls the pace is slower after Telegram has asked for a pause, and by how much. */
const CAREFUL_CALLS = 10;
const CAREFUL_FACTOR = 2;

/** After how long without a call nobody needs to be careful any more. */
const CAREFUL_MILLISECONDS = 60_000;

/** A place in the queue of a chat. */
export interface Turn {
  /** Fulfilled when the call may be made. */
  readonly granted: Promise<void>;
  /** Makes it urgent, if it still waits. */
  readonly hurry: () => void;
}

/**
 * When the next call about a chat may be made. Telegram counts the calls of a chat together, whatever their topic, so
 * that all answers in a chat share one pace.
 */
export class ChatPace {
  readonly #clock: Clock;
  readonly #interval: number;
  #urgent: readonly (() => void)[] = [];
  #usual: readonly (() => void)[] = [];
  /** Nobody calls before this. */
  #pausedUntil = 0;
  /** Nobody who can wait calls before this. */
  #nextAt = 0;
  /** When those that were urgent would have been made at the usual pace, so that many of them are no flood either. */
  #urgentPaidAt = 0;
  #carefulCalls = 0;
  /** How many calls have their turn and are not over yet. */
  #underWay = 0;
  /** How long the turn that was given last is to be followed by none. */
  #lastInterval = 0;
  #stopTimer: (() => void) | undefined;

  constructor(clock: Clock, intervalMilliseconds: number) {
    this.#clock = clock;
    this.#interval = intervalMilliseconds;
  }

  /** Whether Telegram wants to hear nothing about this chat for now. */
  get isPaused(): boolean {
    return this.#clock.now() < this.#pausedUntil;
  }

  /** Whether it has nothing to remember, so that another one would do as well. */
  get isIdle(): boolean {
    const isWaiting = this.#urgent.length + this.#usual.length > 0;
    const memory = this.#carefulCalls > 0 ? CAREFUL_MILLISECONDS : 0;
    if (isWaiting || this.#underWay > 0) return false;
    return Math.max(this.#pausedUntil, this.#nextAt, this.#urgentPaidAt) + memory <= this.#clock.now();
  }

  /**
   * Queues for a turn. Whoever is urgent goes first, and waits only for a pause that Telegram has asked for, and if
   * there were two others in the last interval: one for the first sign of an answer, one for its last state, which
   * nothing follows that could replace it.
   */
  turn(kind: "usual" | "urgent"): Turn {
    let resolve: (() => void) | undefined;
    const granted = new Promise<void>((settle) => (resolve = settle));
    const grant = (): void => resolve?.();
    if (kind === "urgent") this.#urgent = [...this.#urgent, grant];
    else this.#usual = [...this.#usual, grant];
    this.#schedule();
    return {
      granted,
      hurry: () => {
        if (!this.#usual.includes(grant)) return;
        this.#usual = this.#usual.filter((other) => other !== grant);
        this.#urgent = [...this.#urgent, grant];
        this.#schedule();
      },
    };
  }

  /**
   * Says that a call is over, which has to be said of each turn that was granted, whatever came of it. Telegram counts
   * from when it has got a call, which may be a while after its turn; so the next one waits from now on.
   */
  called(): void {
    this.#underWay -= 1;
    this.#nextAt = Math.max(this.#nextAt, this.#clock.now() + this.#lastInterval);
    this.#schedule();
  }

  /** Nobody calls for so long. After a flood the pace is slower for a while, too. */
  pause(milliseconds: number, cause: "failure" | "flood"): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + milliseconds);
    if (cause === "flood") this.#carefulCalls = CAREFUL_CALLS;
    this.#schedule();
  }

  /** Lets everybody go who waits. */
  release(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const waiting = [...this.#urgent, ...this.#usual];
    this.#underWay += waiting.length;
    this.#urgent = [];
    this.#usual = [];
    for (const go of waiting) go();
  }

  #schedule(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (this.#urgent.length + this.#usual.length === 0) return;
    const turnAt = this.#urgent.length > 0 ? this.#urgentPaidAt - this.#interval : this.#nextAt;
    const at = Math.max(this.#pausedUntil, turnAt);
    this.#stopTimer = this.#clock.after(Math.max(0, at - this.#clock.now()), () => {
      // Timers can be a moment early, which Telegram would not forgive.
      if (this.#clock.now() >= at) this.#admit();
      else this.#schedule();
    });
  }

  #admit(): void {
    this.#stopTimer = undefined;
    this.#underWay += 1;
    const isCareful = this.#carefulCalls > 0;
    if (isCareful) this.#carefulCalls -= 1;
    const now = this.#clock.now();
    const interval = this.#interval * (isCareful ? CAREFUL_FACTOR : 1);
    this.#lastInterval = interval;
    this.#nextAt = now + interval;
    const [urgent, ...others] = this.#urgent;
    if (urgent !== undefined) {
      this.#urgent = others;
      this.#urgentPaidAt = Math.max(this.#urgentPaidAt, now) + interval;
      urgent();
    } else {
      const [usual, ...rest] = this.#usual;
      this.#usual = rest;
      usual?.();
    }
    this.#schedule();
  }
}

/** How far apart the calls about a chat are. */
export interface PaceSettings {
  readonly privateMilliseconds: number;
  /** In groups and channels, where Telegram allows some twenty calls a minute. */
  readonly groupMilliseconds: number;
}

/** The paces of all chats, each of them there for as long as it matters. */
export class ChatPaces {
  readonly #clock: Clock;
  readonly #settings: PaceSettings;
  readonly #paces = new Map<number, ChatPace>();

  constructor(clock: Clock, settings: PaceSettings) {
    this.#clock = clock;
    this.#settings = settings;
  }

  /** The pace of a chat, for one call: ask for it again for the next, because it is forgotten when it is idle. */
  of(chat: number, kind: "private" | "group"): ChatPace {
    const found = this.#paces.get(chat);
    if (found !== undefined) return found;
    for (const [other, pace] of this.#paces) if (pace.isIdle) this.#paces.delete(other);
    const { privateMilliseconds, groupMilliseconds } = this.#settings;
    const pace = new ChatPace(this.#clock, kind === "private" ? privateMilliseconds : groupMilliseconds);
    this.#paces.set(chat, pace);
    return pace;
  }

  /** Lets everybody go who waits for a turn in any chat. */
  release(): void {
    for (const pace of this.#paces.values()) pace.release();
  }
}
