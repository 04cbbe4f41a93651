import type { Clock } from "fullstop";
import type { DocumentStore } from "fullstop/control";
import { array, number, parse } from "valibot";
import type { BotLog } from "../operations/log.ts";

const MINUTE = 60_000;

const STORED = array(number());

/** What it needs to be known how much people write. */
export interface RecentMessagesParts {
  readonly store: DocumentStore;
  readonly bot: number;
  readonly clock: Clock;
  readonly log: BotLog;
}

/** When each person has written within the last minute, to whichever process. */
export class RecentMessages {
  readonly #parts: RecentMessagesParts;
  readonly #folder: string;
  /** What this process knows by itself: whoever writes far too much is no load for the store, nor free where it is away. */
  readonly #here = new Map<number, readonly number[]>();

  constructor(parts: RecentMessagesParts) {
    this.#parts = parts;
    this.#folder = `telegram-people-${parts.bot}`;
  }

  /** Counts a message of somebody, unless there were as many of them as there may be. False if there were. */
  async add(user: number, most: number): Promise<boolean> {
    const addedAt = this.#addHere(user, most);
    if (addedAt === undefined) return false;
    try {
      if (await this.#addEverywhere(String(user), most)) return true;
      // What is not answered does not count, or else whoever tries again and again would be kept waiting for longer.
      this.#takeBack(user, addedAt);
      return false;
    } catch (error) {
      this.#parts.log.warn({ err: error }, "the store could not say how much somebody has written to other processes");
      return true;
    }
  }

  /** Gives the time at which it was counted; undefined if there were too many. */
  #addHere(user: number, most: number): number | undefined {
    const now = this.#parts.clock.now();
    for (const [other, times] of this.#here) if (recentOf(times, now).length === 0) this.#here.delete(other);
    const recent = recentOf(this.#here.get(user) ?? [], now);
    if (recent.length >= most) return undefined;
    this.#here.set(user, [...recent, now]);
    return now;
  }

  #takeBack(user: number, addedAt: number): void {
    const times = this.#here.get(user) ?? [];
    const index = times.lastIndexOf(addedAt);
    this.#here.set(
      user,
      times.filter((_, each) => each !== index),
    );
  }

  async #addEverywhere(name: string, most: number): Promise<boolean> {
    const { store, clock } = this.#parts;
    for (;;) {
      const found = await store.readDocument(this.#folder, name);
      const now = clock.now();
      const recent = recentOf(decode(found?.value), now);
      if (recent.length >= most) return false;
      const options = { keepMilliseconds: MINUTE, expected: found ?? "none" } as const;
      const value = JSON.stringify([...recent, now]);
      if ((await store.writeDocument(this.#folder, name, value, options)) !== undefined) return true;
    }
  }
}

function recentOf(times: readonly number[], now: number): readonly number[] {
  return times.filter((time) => time > now - MINUTE);
}

function decode(value: string | undefined): readonly number[] {
  if (value === undefined) return [];
  try {
    return parse(STORED, JSON.parse(value));
  } catch {
    // Nobody is kept waiting for longer than a minute because of something that cannot be read.
    return [];
  }
}
