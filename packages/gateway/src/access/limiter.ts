import { RequestError } from "../request-error.ts";
import { Account } from "./account.ts";
import type { Limits, Spent } from "./limits.ts";

/** The place that a generation has taken. */
export interface Place {
  /** Gives it back when the generation has ended, and counts what that has used up. To be called once. */
  leave(spent: Spent): void;
}

/** Options of {@link Limiter}. */
export interface LimiterOptions {
  /** How many generations the whole server may run at once. */
  readonly concurrent: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Whoever wants a generation. */
interface Guest {
  readonly name: string;
  readonly limits: Limits;
}

/**
 * Counts what everybody uses, and lets nobody use more than they may. There is one account for each name, so that it
 * needs no more memory than the configuration has names. What it knows is gone with the process.
 */
export class Limiter {
  readonly #options: LimiterOptions;
  readonly #accounts = new Map<string, Account>();
  #running = 0;

  constructor(options: LimiterOptions) {
    this.#options = options;
  }

  /** Takes a place for a generation that is about to start. Refuses where a limit is reached. */
  enter(guest: Guest): Place {
    const { concurrent, now } = this.#options;
    if (this.#running >= concurrent) {
      const advice = "there is room again when one of them has ended";
      throw new RequestError(
        "overloaded",
        `The server runs ${concurrent} generations, which is as many as it may (limits.concurrent); ${advice}`,
        { retryAfterMilliseconds: 1000 },
      );
    }
    const account = this.#accountOf(guest);
    account.enter(now());
    this.#running += 1;
    return {
      leave: (spent) => {
        this.#running -= 1;
        account.leave(now(), spent);
      },
    };
  }

  #accountOf({ name, limits }: Guest): Account {
    const known = this.#accounts.get(name);
    if (known !== undefined) return known;
    const account = new Account(limits);
    this.#accounts.set(name, account);
    return account;
  }
}
