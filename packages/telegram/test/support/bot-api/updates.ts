import type { Update } from "grammy/types";
import { Refusal } from "./refusal.ts";

/** What an update is about. */
export type UpdateContent = Omit<Update, "update_id">;

type UpdateType = Exclude<keyof Update, "update_id">;

/** An update that the bot has not taken yet. */
export interface PendingUpdate {
  readonly update: Update;
  /** Updates of one lane are posted to a webhook one after the other; Telegram has one for each chat's messages. */
  readonly lane: string;
  /** The same update once more: it comes whatever has been confirmed. */
  readonly isAgain: boolean;
}

const NOT_BY_DEFAULT = new Set(["chat_member", "message_reaction", "message_reaction_count"]);

interface Poll {
  readonly offset: number;
  readonly limit: number;
  answer(updates: readonly Update[]): void;
  fail(refusal: Refusal): void;
}

/** The updates that wait for the bot, and the bot's waiting for them. */
export class UpdateQueue {
  /** Every update that there was. */
  readonly all: Update[] = [];
  pending: readonly PendingUpdate[] = [];
  /** Called when there is something new. */
  onUpdate: () => void = () => undefined;
  #nextId = 1000;
  #allowed: readonly string[] = [];
  #poll: Poll | undefined;

  get allowed(): readonly UpdateType[] {
    return this.#allowed as readonly UpdateType[];
  }

  /** Which updates the bot wants from now on; an empty list stands for the usual ones. */
  allow(types: readonly unknown[] | undefined): void {
    if (types !== undefined) this.#allowed = types.map(String);
  }

  /** Makes an update of something that happened; none if the bot does not want to know. */
  add(content: UpdateContent, lane: string): Update | undefined {
    const type = Object.keys(content)[0] ?? "";
    const isWanted = this.#allowed.length > 0 ? this.#allowed.includes(type) : !NOT_BY_DEFAULT.has(type);
    if (!isWanted) return undefined;
    const update: Update = { update_id: this.#nextId++, ...content };
    this.all.push(update);
    this.#enqueue({ update, lane, isAgain: false });
    return update;
  }

  /** Delivers an update that was delivered before. */
  again(update: Update): void {
    this.#enqueue({ update, lane: `again ${update.update_id}`, isAgain: true });
  }

  drop(): void {
    this.pending = [];
  }

  remove(taken: PendingUpdate): void {
    this.pending = this.pending.filter((pending) => pending !== taken);
  }

  /** Waits for updates, as getUpdates does. Whoever polls later puts an end to the poll before. */
  async poll(offset: number, limit: number, timeoutMs: number, gone: AbortSignal): Promise<readonly Update[]> {
    this.conflict("other getUpdates request; make sure that only one bot instance is running");
    this.#confirm(offset);
    const ready = this.#take(offset, limit);
    if (ready.length > 0 || timeoutMs === 0 || gone.aborted) return ready;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        if (this.#poll === poll) this.#poll = undefined;
        clearTimeout(timer);
        gone.removeEventListener("abort", leave);
      };
      const answer = (updates: readonly Update[]): void => {
        end();
        resolve(updates);
      };
      const fail = (refusal: Refusal): void => {
        end();
        reject(refusal);
      };
      const leave = (): void => answer([]);
      const timer = setTimeout(leave, timeoutMs);
      const poll: Poll = { offset, limit, answer, fail };
      this.#poll = poll;
      gone.addEventListener("abort", leave);
    });
  }

  /** Puts an end to the poll that is under way. */
  conflict(by: string): void {
    this.#poll?.fail(new Refusal(409, `Conflict: terminated by ${by}`));
  }

  #enqueue(pending: PendingUpdate): void {
    this.pending = [...this.pending, pending];
    const poll = this.#poll;
    if (poll !== undefined) poll.answer(this.#take(poll.offset, poll.limit));
    else this.onUpdate();
  }

  #confirm(offset: number): void {
    if (offset > 0) this.pending = this.pending.filter(({ update, isAgain }) => isAgain || update.update_id >= offset);
    const firstKept = this.pending.length + offset;
    if (offset < 0) this.pending = this.pending.slice(Math.max(0, firstKept));
  }

  #take(offset: number, limit: number): readonly Update[] {
    // Repeated ones go first, since a bot goes on from the last id that it was given.
    const repeated = this.pending.filter(({ isAgain }) => isAgain);
    const fresh = this.pending.filter(({ update, isAgain }) => !isAgain && update.update_id >= offset);
    const taken = [...repeated, ...fresh].slice(0, limit);
    this.pending = this.pending.filter((pending) => !(pending.isAgain && taken.includes(pending)));
    return taken.map(({ update }) => update);
  }
}
