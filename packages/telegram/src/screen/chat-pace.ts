import type { Clock } from "fullstop";

/** For how many calls the pace is slower after Telegram has asked for a pause, and by how much. */
const CAREFUL_CALLS = 10;
const CAREFUL_FACTOR = 2;

/**
 * When the next call about a chat may be made. Telegram counts the calls of a chat together, whatever their topic, so
 * that all answers in a chat share one pace.
 */
export class ChatPace {
  readonly #clock: Clock;
  readonly #interval: number;
  readonly #urgent: (() => void)[] = [];
  readonly #usual: (() => void)[] = [];
  /** Nobody calls before this. */
  #pausedUntil = 0;
  /** Nobody who can wait calls before this. */
  #nextAt = 0;
  #carefulCalls = 0;
  #stopTimer: (() => void) | undefined;

  constructor(clock: Clock, intervalMilliseconds: number) {
    this.#clock = clock;
    this.#interval = intervalMilliseconds;
  }

  /** Whether it has nothing to remember, so that another one would do as well. */
  get isIdle(): boolean {
    const isWaiting = this.#urgent.length + this.#usual.length > 0;
    return !isWaiting && this.#carefulCalls === 0 && Math.max(this.#pausedUntil, this.#nextAt) <= this.#clock.now();
  }

  /**
   * Waits for a turn. Whoever is urgent goes first and waits only for a pause that Telegram has asked for: the last
   * state of an answer, which nothing follows that could replace it.
   */
  turn(kind: "usual" | "urgent"): Promise<void> {
    return new Promise((resolve) => {
      (kind === "urgent" ? this.#urgent : this.#usual).push(resolve);
      this.#schedule();
    });
  }

  /** Nobody calls for so long. After a flood the pace is slower for a while, too. */
  pause(milliseconds: number, isFlood: boolean): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + milliseconds);
    if (isFlood) this.#carefulCalls = CAREFUL_CALLS;
    this.#schedule();
  }

  /** Lets everybody go who waits. */
  release(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    for (const go of [...this.#urgent.splice(0), ...this.#usual.splice(0)]) go();
  }

  #schedule(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (this.#urgent.length + this.#usual.length === 0) return;
    const at = this.#urgent.length > 0 ? this.#pausedUntil : Math.max(this.#pausedUntil, this.#nextAt);
    this.#stopTimer = this.#clock.after(Math.max(0, at - this.#clock.now()), () => this.#admit());
  }

  #admit(): void {
    this.#stopTimer = undefined;
    const isCareful = this.#carefulCalls > 0;
    if (isCareful) this.#carefulCalls -= 1;
    this.#nextAt = this.#clock.now() + this.#interval * (isCareful ? CAREFUL_FACTOR : 1);
    const next = this.#urgent.shift() ?? this.#usual.shift();
    next?.();
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
  of(chat: number, isPrivate: boolean): ChatPace {
    const found = this.#paces.get(chat);
    if (found !== undefined) return found;
    for (const [other, pace] of this.#paces) if (pace.isIdle) this.#paces.delete(other);
    const { privateMilliseconds, groupMilliseconds } = this.#settings;
    const pace = new ChatPace(this.#clock, isPrivate ? privateMilliseconds : groupMilliseconds);
    this.#paces.set(chat, pace);
    return pace;
  }
  /** Lets everybody go who waits for a turn in any chat. */
  release(): void {
    for (const pace of this.#paces.values()) pace.release();
  }
}
