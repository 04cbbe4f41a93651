import { createTracker, followGeneration, joinReplicas } from "../../../src/control/index.ts";
import type { Replica, Tracker } from "../../../src/control/index.ts";
import type { Clock, GenerationEvent } from "../../../src/index.ts";
import { Link } from "./link.ts";
import type { Lags } from "./link.ts";
import { LiveGeneration } from "./live-generation.ts";
import type { SharedStore } from "./shared-store.ts";

/** What a server needs to know. */
export interface ServerOptions {
  readonly name: string;
  readonly shared: SharedStore;
  readonly clock: Clock;
  readonly leaseMilliseconds: number;
  readonly lags?: Lags | undefined;
  /** How wrong its clock is. */
  readonly skewMilliseconds?: number | undefined;
}

/** One of several processes that generate and share a store. */
export class Server {
  readonly name: string;
  readonly link: Link;
  readonly tracker: Tracker = createTracker();
  readonly generations = new Map<string, LiveGeneration>();
  readonly #clock: OwnClock;
  readonly #replica: Replica;

  static async start(options: ServerOptions): Promise<Server> {
    const clock = new OwnClock(options.clock, options.skewMilliseconds ?? 0);
    const link = new Link(options.shared, options.clock, options.lags);
    const { name, leaseMilliseconds } = options;
    const replica = await joinReplicas({ store: link.store, name, leaseMilliseconds, clock });
    return new Server(link, clock, replica);
  }

  private constructor(link: Link, clock: OwnClock, replica: Replica) {
    this.name = replica.name;
    this.link = link;
    this.#clock = clock;
    this.#replica = replica;
  }

  /** How many timers of the process run. */
  get timers(): number {
    return this.#clock.timers;
  }

  generate(id: string): LiveGeneration {
    const { link, tracker } = this;
    const generation = new LiveGeneration(id, {
      store: link.store,
      tracker,
      clock: this.#clock,
      replica: this.#replica,
      isReached: () => link.state === "up",
    });
    this.generations.set(id, generation);
    void generation.ended.then(() => this.generations.delete(id));
    return generation;
  }

  /** Reads a generation from where the reader is: here if it runs here, otherwise from the store. */
  read(
    id: string,
    from: number,
    signal: AbortSignal,
    see: (events: readonly GenerationEvent[]) => void,
  ): Promise<void> {
    const live = this.generations.get(id);
    return live === undefined ? this.#readStored(id, from, signal, see) : readLive(live, from, signal, see);
  }

  /** Ends the process in order. */
  close(): void {
    this.#replica.close();
  }

  /** Ends the process as a power cut does. */
  crash(): void {
    this.link.set("gone");
    this.#clock.stop();
  }

  async #readStored(
    id: string,
    from: number,
    signal: AbortSignal,
    see: (events: readonly GenerationEvent[]) => void,
  ): Promise<void> {
    for await (const batch of followGeneration(this.link.store, id, { from, signal, clock: this.#clock })) see(batch);
  }
}

async function readLive(
  live: LiveGeneration,
  from: number,
  signal: AbortSignal,
  see: (events: readonly GenerationEvent[]) => void,
): Promise<void> {
  let offset = from;
  const look = (): void => {
    const fresh = signal.aborted ? [] : live.shown.slice(offset);
    offset += fresh.length;
    if (fresh.length > 0) see(fresh);
  };
  look();
  const leave = live.onShown(look);
  const left = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
  await Promise.race([live.ended, left]);
  leave();
}

/** The clock of one process: it may be wrong, and it ends with the process. */
class OwnClock implements Clock {
  readonly #clock: Clock;
  readonly #skew: number;
  readonly #timers = new Set<() => void>();
  #isStopped = false;

  constructor(clock: Clock, skew: number) {
    this.#clock = clock;
    this.#skew = skew;
  }

  get timers(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#clock.now() + this.#skew;
  }

  after(milliseconds: number, callback: () => void): () => void {
    if (this.#isStopped) return () => undefined;
    const stop = this.#clock.after(milliseconds, () => {
      this.#timers.delete(cancel);
      callback();
    });
    const cancel = (): void => {
      this.#timers.delete(cancel);
      stop();
    };
    this.#timers.add(cancel);
    return cancel;
  }

  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#timers) cancel();
  }
}
