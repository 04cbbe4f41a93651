import { checkCount, checkNames } from "../check.ts";
import { sleep, systemClock } from "../clock.ts";
import type { Clock } from "../clock.ts";
import { invalidArgument } from "../errors.ts";
import { createTerminationSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import { Answers } from "./answers.ts";
import { OrderTaker } from "./order-taker.ts";
import type { StopOrder } from "./order.ts";
import type { GenerationStore, Unwatch } from "./store.ts";

/** Which parts of a lease's time the steps may take, so that a loss is known before all of it is over. */
const LIFE_PART = 0.4;
const TICK_PART = 0.125;
const ANSWER_PART = 0.125;

/**
 * How many ticks in a row have to find a holder gone: 3, which are two ticks apart. A holder that was only cut off has
 * that while to say that it lives.
 */
const SIGHTINGS = 3;

/**
 * For how many ticks nobody is judged after the store was away: it was so for the others too, and they come back to it
 * one after the other.
 */
const GRACE_TICKS = 4;

/** Below this, leases end because of a busy process or a slow answer. */
const SHORTEST_LEASE_MILLISECONDS = 100;

/** What a {@link Replica} needs to know. */
export interface ReplicaOptions {
  readonly store: Pick<GenerationStore, "orders" | "watchOrders" | "renew" | "abandoned" | "finish">;
  /** The name of this process; no other process has it, also not this one after a restart. */
  readonly name: string;
  /**
   * Within this time after a replica has died, or after the store is back, its generations are ended by another one.
   * All replicas of a store should have the same. Default: 10 seconds; at least 100 milliseconds.
   */
  readonly leaseMilliseconds?: number | undefined;
  /** Told of what the store could not do. Default: nobody. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
  /** Default: that of the machine. */
  readonly clock?: Clock | undefined;
}

const NAMES: Readonly<Record<keyof ReplicaOptions, true>> = {
  store: true,
  name: true,
  leaseMilliseconds: true,
  onFailure: true,
  clock: true,
};

/** One of several processes that share a store: takes orders for what it generates, and looks after the others. */
export interface Replica {
  readonly name: string;
  /**
   * Takes the orders for a generation from now on, each of them once and in the order in which they were left; also
   * those that were left before or while the store could not be reached. Returns what ends that.
   */
  take(id: string, carryOut: (order: StopOrder) => void): Unwatch;
  /** Ends the replica's part: nothing is carried out any more. Its generations should have ended before. */
  close(): void;
}

/** The signal of a generation whose process has gone. */
export function ownerLostSignal(holder: string): TerminationSignal {
  return createTerminationSignal({
    reason: "error_termination",
    detail: "owner_lost",
    originalField: "lease",
    originalValue: holder,
    message: "The server that generated this answer has gone",
  });
}

/**
 * Joins the replicas of a store. The store may be away, now or later: what can be done without it is done, and the rest
 * when it is back.
 */
export async function joinReplicas(options: ReplicaOptions): Promise<Replica> {
  checkNames("replica options", options, NAMES);
  const { name, leaseMilliseconds = 10_000 } = options;
  checkCount("leaseMilliseconds", leaseMilliseconds, SHORTEST_LEASE_MILLISECONDS);
  if (typeof name !== "string" || name === "") throw invalidArgument("name", "must be a word that is not empty", name);
  const member = new Member(options, leaseMilliseconds);
  await member.start();
  return member;
}

class Member implements Replica {
  readonly name: string;
  readonly #options: ReplicaOptions;
  readonly #lease: number;
  readonly #clock: Clock;
  readonly #answers: Answers;
  readonly #takers = new Map<string, OrderTaker>();
  /** Aborted when the replica is closed. */
  readonly #closing = new AbortController();
  #watching: Promise<Unwatch> | undefined;
  /** When the store last failed: notices of orders may have been lost until then. */
  #failedAt = -Infinity;
  /** Generations whose holder seems to be gone, and how often in a row that was seen. */
  #suspects: ReadonlyMap<string, number> = new Map();
  #graceTicks = 0;

  constructor(options: ReplicaOptions, lease: number) {
    this.name = options.name;
    this.#options = options;
    this.#lease = lease;
    this.#clock = options.clock ?? systemClock;
    this.#answers = new Answers(this.#clock, lease * ANSWER_PART);
  }

  take(id: string, carryOut: (order: StopOrder) => void): Unwatch {
    const taker = new OrderTaker({ read: () => this.#answers.of(this.#options.store.orders(id)), carryOut });
    this.#takers.set(id, taker);
    return () => {
      taker.end();
      if (this.#takers.get(id) === taker) this.#takers.delete(id);
    };
  }

  close(): void {
    this.#closing.abort();
    this.#answers.close();
    for (const taker of this.#takers.values()) taker.end();
    this.#takers.clear();
    this.#watching?.then(
      (unwatch) => unwatch(),
      () => undefined,
    );
  }

  /** Does for the first time what is then done again and again. */
  async start(): Promise<void> {
    const first = this.#tick();
    void this.#goOn(first);
    await first;
  }

  async #goOn(first: Promise<void>): Promise<void> {
    // The pause is counted from the beginning of a tick: with a slow store they would come too late otherwise.
    for (let tick = first; !this.#isClosed(); tick = this.#tick()) {
      await Promise.all([tick, sleep(this.#clock, this.#lease * TICK_PART, this.#closing.signal)]);
    }
  }

  async #tick(): Promise<void> {
    if (this.#isClosed()) return;
    // Each on its own: whoever cannot be given orders is alive all the same, and has to say so.
    await Promise.all([this.#lookAfterOthers(), this.#attempt(() => this.#lookForOrders())]);
  }

  async #lookAfterOthers(): Promise<void> {
    const isThere = await this.#attempt(async () => {
      await this.#answers.of(this.#options.store.renew(this.name, this.#lease * LIFE_PART));
      await this.#endAbandoned();
    });
    if (isThere) return;
    // Whoever could not be reached from here may have been alive all the time.
    this.#suspects = new Map();
    this.#graceTicks = GRACE_TICKS;
  }

  /** Does something that needs the store. False if it could not be done. */
  async #attempt(step: () => Promise<void>): Promise<boolean> {
    try {
      await step();
      return true;
    } catch (error) {
      if (!this.#isClosed()) {
        this.#failedAt = this.#clock.now();
        this.#options.onFailure?.(error);
      }
      return false;
    }
  }

  /** Ends generations whose holder has been gone for a while. */
  async #endAbandoned(): Promise<void> {
    const { store } = this.#options;
    if (this.#graceTicks > 0) {
      this.#graceTicks -= 1;
      return;
    }
    const abandoned = await this.#answers.of(store.abandoned());
    const before = this.#suspects;
    this.#suspects = new Map(abandoned.map(({ id }) => [id, (before.get(id) ?? 0) + 1]));
    const lost = abandoned.filter(({ id }) => (this.#suspects.get(id) ?? 0) >= SIGHTINGS);
    await this.#answers.of(Promise.all(lost.map(({ id, holder }) => store.finish(id, ownerLostSignal(holder)))));
  }

  /** Looks for orders whose notice may have been lost on its way here. */
  async #lookForOrders(): Promise<void> {
    // Where nobody can be called, the look that follows is all there is.
    await this.#attempt(async () => {
      this.#watching ??= this.#watchOrders();
      await this.#answers.of(this.#watching);
    });
    const now = this.#clock.now();
    // After a failure at all of them; otherwise at each once in a lease, as a notice can be lost without a failure.
    const due = Math.max(this.#failedAt, now - this.#lease);
    const takers = [...this.#takers.values()].filter(({ lookedAt }) => lookedAt <= due);
    await Promise.all(takers.map((taker) => taker.look(now)));
  }

  async #watchOrders(): Promise<Unwatch> {
    const { store, name } = this.#options;
    try {
      return await store.watchOrders(name, (id) => this.#notice(id));
    } catch (error) {
      this.#watching = undefined;
      throw error;
    }
  }

  #notice(id: string | undefined): void {
    const taker = id === undefined ? undefined : this.#takers.get(id);
    const takers = id === undefined ? [...this.#takers.values()] : taker === undefined ? [] : [taker];
    const now = this.#clock.now();
    void this.#attempt(async () => {
      await Promise.all(takers.map((each) => each.look(now)));
    });
  }

  #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }
}
