import { checkAmount } from "../check.ts";
import { systemClock } from "../clock.ts";
import type { Clock } from "../clock.ts";
import { invalidArgument } from "../errors.ts";
import { createTerminationSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import type { StopOrder } from "./order.ts";
import type { GenerationStore, Unwatch } from "./store.ts";

/** Which parts of a lease's time the steps may take, so that a loss is known before all of it is over. */
const LIFE_PART = 0.4;
const TICK_PART = 0.125;
const DOUBT_PART = 0.25;

/** What a {@link Replica} needs to know. */
export interface ReplicaOptions {
  readonly store: Pick<GenerationStore, "orders" | "watchOrders" | "renew" | "abandoned" | "finish">;
  /** The name of this process; no other process has it, also not this one after a restart. */
  readonly name: string;
  /** Within this time after a replica has died, its generations are ended by another one. Default: 10 seconds. */
  readonly leaseMilliseconds?: number | undefined;
  /** Told of what the store could not do. Default: nobody. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
  /** Default: that of the machine. */
  readonly clock?: Clock | undefined;
}

/** One of several processes that share a store: takes orders for what it generates, and looks after the others. */
export interface Replica {
  readonly name: string;
  /** Takes the orders for a generation from now on. Returns what ends that. */
  take(id: string, carryOut: (order: StopOrder) => void): Unwatch;
  /** Ends the replica's part. Its generations should have ended before. */
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
  const { name, leaseMilliseconds = 10_000 } = options;
  checkAmount("leaseMilliseconds", leaseMilliseconds);
  if (name === "") throw invalidArgument("name", "must not be empty", name);
  const member = new Member(options, leaseMilliseconds);
  await member.start();
  return member;
}

interface Taker {
  readonly carryOut: (order: StopOrder) => void;
  done: number;
}

class Member implements Replica {
  readonly name: string;
  readonly #options: ReplicaOptions;
  readonly #lease: number;
  readonly #clock: Clock;
  readonly #takers = new Map<string, Taker>();
  /** Generations whose holder seems to be gone, and since when. */
  #suspects: ReadonlyMap<string, number> = new Map();
  #unwatch: Unwatch | undefined;
  #stopTick: (() => void) | undefined;
  #isClosed = false;

  constructor(options: ReplicaOptions, lease: number) {
    this.name = options.name;
    this.#options = options;
    this.#lease = lease;
    this.#clock = options.clock ?? systemClock;
  }

  async start(): Promise<void> {
    await this.#tick();
  }

  take(id: string, carryOut: (order: StopOrder) => void): Unwatch {
    this.#takers.set(id, { carryOut, done: 0 });
    return () => this.#takers.delete(id);
  }

  close(): void {
    this.#isClosed = true;
    this.#unwatch?.();
    this.#stopTick?.();
  }

  async #tick(): Promise<void> {
    try {
      await this.#watchOrders();
      await this.#options.store.renew(this.name, this.#lease * LIFE_PART);
      await this.#endAbandoned();
    } catch (error) {
      // Whoever could not be reached from here may have been alive all the time.
      this.#suspects = new Map();
      this.#options.onFailure?.(error);
    }
    if (!this.#isClosed) this.#stopTick = this.#clock.after(this.#lease * TICK_PART, () => void this.#tick());
  }

  async #watchOrders(): Promise<void> {
    if (this.#unwatch !== undefined) return;
    const { store, onFailure } = this.#options;
    this.#unwatch = await store.watchOrders(this.name, (id) => {
      const ids = id === undefined ? [...this.#takers.keys()] : [id];
      for (const each of ids) this.#carryOut(each).catch((error: unknown) => onFailure?.(error));
    });
  }

  /** Carries out the orders for a generation that were not carried out before. */
  async #carryOut(id: string): Promise<void> {
    if (!this.#takers.has(id)) return;
    const orders = await this.#options.store.orders(id);
    // Looked up again: what has ended in the meantime takes no orders.
    const taker = this.#takers.get(id);
    if (taker === undefined) return;
    const fresh = orders.slice(taker.done);
    taker.done = Math.max(taker.done, orders.length);
    for (const order of fresh) taker.carryOut(order);
  }

  /**
   * Ends generations whose holder has been gone for a while. A holder that was only cut off from the store, as all of
   * them are when the store itself was away, has that while to say that it lives.
   */
  async #endAbandoned(): Promise<void> {
    const { store } = this.#options;
    const now = this.#clock.now();
    const abandoned = await store.abandoned();
    const before = this.#suspects;
    this.#suspects = new Map(abandoned.map(({ id }) => [id, before.get(id) ?? now]));
    const lost = abandoned.filter(({ id }) => now - (before.get(id) ?? now) >= this.#lease * DOUBT_PART);
    await Promise.all(lost.map(({ id, holder }) => store.finish(id, ownerLostSignal(holder))));
  }
}
