import { RequestError } from "../request-error.ts";
import type { Limits, Spent } from "./limits.ts";
import { RecentRequests } from "./recent-requests.ts";

const DAY = 86_400_000;

/** When a place may become free that nobody can tell the time of. */
const SOON = 1000;

/** What somebody has used of what they may use. */
export class Account {
  readonly #limits: Limits;
  readonly #requests: RecentRequests | undefined;
  #running = 0;
  /** The day of UTC that the sums are of. */
  #day = 0;
  #tokens = 0;
  #cost = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
    const { requestsPerMinute } = limits;
    this.#requests = requestsPerMinute === undefined ? undefined : new RecentRequests(requestsPerMinute);
  }

  /** Counts a generation that begins now. Refuses it, and counts nothing, where a limit is reached. */
  enter(now: number): void {
    this.#turnPage(now);
    this.#checkRunning();
    this.#checkBudgets(now);
    this.#checkRequests(now);
    this.#requests?.add(now);
    this.#running += 1;
  }

  /** Counts what a generation has used up that has ended now. */
  leave(now: number, { tokens, cost }: Spent): void {
    this.#turnPage(now);
    this.#running -= 1;
    this.#tokens += tokens;
    this.#cost += cost;
  }

  #turnPage(now: number): void {
    const day = Math.floor(now / DAY);
    // A clock that is put back must not give a budget twice.
    if (day <= this.#day) return;
    this.#day = day;
    this.#tokens = 0;
    this.#cost = 0;
  }

  #checkRunning(): void {
    const { concurrent = Infinity } = this.#limits;
    if (this.#running < concurrent) return;
    const advice = "there is room again when one of them has ended";
    throw tooMuch(`The limit of ${concurrent} generations at once (concurrent) is reached; ${advice}`, SOON);
  }

  #checkBudgets(now: number): void {
    const { tokensPerDay = Infinity, costPerDay = Infinity } = this.#limits;
    const midnight = (this.#day + 1) * DAY;
    if (this.#tokens < tokensPerDay && this.#cost < costPerDay) return;
    const advice = `there is a new one at ${timeOf(midnight)}`;
    if (this.#tokens >= tokensPerDay) {
      throw tooMuch(`The budget of ${tokensPerDay} tokens a day (tokensPerDay) is used up; ${advice}`, midnight - now);
    }
    throw tooMuch(`The budget of money, ${costPerDay} a day (costPerDay), is used up; ${advice}`, midnight - now);
  }

  #checkRequests(now: number): void {
    const freeAt = this.#requests?.freeAt() ?? now;
    if (freeAt <= now) return;
    const { requestsPerMinute } = this.#limits;
    const advice = `there is room again at ${timeOf(freeAt)}`;
    throw tooMuch(
      `The limit of ${requestsPerMinute} requests a minute (requestsPerMinute) is reached; ${advice}`,
      freeAt - now,
    );
  }
}

function tooMuch(message: string, retryAfterMilliseconds: number): RequestError {
  return new RequestError("rate_limited", message, { retryAfterMilliseconds });
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
