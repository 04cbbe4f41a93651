import type { Clock } from "fullstop";
import type { Place } from "../place.ts";
import type { RecentMessages } from "./recent-messages.ts";

/** Who may use the bot. Without either list everybody may. */
export interface AllowList {
  readonly users?: readonly number[] | undefined;
  /** Groups and channels in which everybody may. */
  readonly chats?: readonly number[] | undefined;
}

/** How much one person may ask for, of all processes together. */
export interface PersonLimits {
  readonly messagesPerMinute: number;
  /** In how many places at once. */
  readonly answersAtOnce: number;
}

/** What becomes of a message. Who goes on all the same is told only once a minute that it is too much. */
export type Verdict = "admitted" | "refused" | "refused again";

/** Why a message is not answered, as whoever wrote it is told. */
export type Refusal = "notAllowed" | "onlyText" | "tooMany";

const MINUTE = 60_000;

/** Decides who is answered. */
export class Admission {
  readonly #allow: AllowList;
  readonly #limits: PersonLimits;
  readonly #recent: Pick<RecentMessages, "add">;
  readonly #clock: Clock;
  /** When each person was last told that they are not answered, and why. */
  readonly #told = new Map<string, number>();

  constructor(allow: AllowList, limits: PersonLimits, recent: Pick<RecentMessages, "add">, clock: Clock) {
    this.#allow = allow;
    this.#limits = limits;
    this.#recent = recent;
    this.#clock = clock;
  }

  /** Whether somebody may use the bot in a chat. */
  isAllowed({ chat, user }: Pick<Place, "chat" | "user">): boolean {
    const { users, chats } = this.#allow;
    if (users === undefined && chats === undefined) return true;
    return users?.includes(user) === true || this.isListed(chat);
  }

  /** Whether everybody in a chat may use the bot because the chat is on the list. */
  isListed(chat: number): boolean {
    return this.#allow.chats?.includes(chat) === true;
  }

  /** Counts a message of somebody who is being answered in so many other places. */
  async admit({ user }: Pick<Place, "user">, answersElsewhere: number): Promise<Verdict> {
    const { messagesPerMinute, answersAtOnce } = this.#limits;
    if (answersElsewhere < answersAtOnce && (await this.#recent.add(user, messagesPerMinute))) return "admitted";
    return this.isNews({ user }, "tooMany") ? "refused" : "refused again";
  }

  /** Whether somebody is to be told why they are not answered. Once a minute is enough: it makes calls, too. */
  isNews({ user }: Pick<Place, "user">, why: Refusal): boolean {
    const now = this.#clock.now();
    const news = `${user} ${why}`;
    for (const [other, time] of this.#told) if (time <= now - MINUTE) this.#told.delete(other);
    if (this.#told.has(news)) return false;
    this.#told.set(news, now);
    return true;
  }
}
