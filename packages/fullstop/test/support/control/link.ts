import type { GenerationStore, Unwatch } from "../../../src/control/index.ts";
import type { Clock } from "../../../src/index.ts";
import type { SharedStore } from "./shared-store.ts";

/**
 * How the way to a store is:
 * - `up`: it works;
 * - `failing`: nothing arrives, and calls are rejected;
 * - `deaf`: calls arrive, and are rejected all the same;
 * - `silent`: nothing arrives, and calls are not answered until that changes;
 * - `gone`: the process is no more.
 */
export type LinkState = "up" | "failing" | "deaf" | "silent" | "gone";

/** How long things take on the way. A notice that takes for ever never arrives. */
export interface Lags {
  readonly call: () => number;
  readonly notice: () => number;
}

const NO_LAGS: Lags = { call: () => 0, notice: () => 0 };

/** The way from one process to the store that it shares with others, with all that can happen on it. */
export class Link {
  readonly store: GenerationStore;
  readonly #shared: SharedStore;
  readonly #clock: Clock;
  readonly #lags: Lags;
  readonly #unwatches = new Set<Unwatch>();
  #state: LinkState = "up";
  #held: (() => void)[] = [];
  #lastDue = 0;
  /** How many calls were made. */
  calls = 0;

  constructor(shared: SharedStore, clock: Clock, lags: Lags = NO_LAGS) {
    this.#shared = shared;
    this.#clock = clock;
    this.#lags = lags;
    this.store = this.#createStore();
  }

  get state(): LinkState {
    return this.#state;
  }

  /** What was held while it was silent goes on its way. */
  set(state: LinkState): void {
    this.#state = state;
    if (state === "silent") return;
    const held = this.#held;
    this.#held = [];
    if (state === "gone") for (const unwatch of this.#unwatches) unwatch();
    else for (const go of held) go();
  }

  #createStore(): GenerationStore {
    const data = (): GenerationStore => this.#shared.data;
    return {
      open: (record) => this.#call(() => data().open(record)),
      append: (id, offset, events) => this.#call(() => data().append(id, offset, events)),
      finish: (id, signal, offset) => this.#call(() => data().finish(id, signal, offset)),
      find: (id) => this.#call(() => data().find(id)),
      read: (id, from) => this.#call(() => data().read(id, from)),
      live: (owner) => this.#call(() => data().live(owner)),
      ended: () => this.#call(() => data().ended()),
      delete: (id) => this.#call(() => data().delete(id)),
      order: (id, order) => this.#call(() => data().order(id, order)),
      orders: (id) => this.#call(() => data().orders(id)),
      renew: (holder, milliseconds) => this.#call(() => data().renew(holder, milliseconds)),
      abandoned: () => this.#call(() => data().abandoned()),
      watch: (id, changed) => this.#watch((store) => store.watch(id, () => this.#notice(changed))),
      watchOrders: (holder, ordered) =>
        this.#watch((store) => store.watchOrders(holder, (id) => this.#notice(() => ordered(id)))),
      close: async () => undefined,
    };
  }

  async #watch(begin: (store: GenerationStore) => Promise<Unwatch>): Promise<Unwatch> {
    let leave: Unwatch = () => undefined;
    try {
      return await this.#call(async () => {
        const unwatch = await this.#shared.watch(begin);
        leave = () => {
          this.#unwatches.delete(leave);
          unwatch();
        };
        this.#unwatches.add(leave);
        return leave;
      });
    } catch (error) {
      // Nobody watches by way of a connection that has broken.
      leave();
      throw error;
    }
  }

  #notice(tell: () => void): void {
    const lag = this.#lags.notice();
    if (lag === Infinity || this.#state !== "up") return;
    if (lag === 0) tell();
    else this.#clock.after(lag, () => this.#state !== "gone" && tell());
  }

  #call<T>(apply: () => Promise<T>): Promise<T> {
    this.calls += 1;
    return new Promise((resolve, reject) => {
      const fail = (): void => reject(new Error("The store cannot be reached"));
      const answer = (settle: () => void): void => {
        this.#pass(() => (this.#state === "up" ? settle() : fail()));
      };
      this.#pass(() => {
        if (this.#state === "failing") fail();
        else {
          apply().then(
            (value) => answer(() => resolve(value)),
            (error: unknown) => answer(() => reject(error)),
          );
        }
      });
    });
  }

  /** Goes one way, after what was sent before. */
  #pass(arrive: () => void): void {
    const now = this.#clock.now();
    this.#lastDue = Math.max(this.#lastDue, now + this.#lags.call());
    if (this.#lastDue === now) this.#arrive(arrive);
    else this.#clock.after(this.#lastDue - now, () => this.#arrive(arrive));
  }

  #arrive(arrive: () => void): void {
    if (this.#state === "silent") this.#held.push(arrive);
    else if (this.#state !== "gone") arrive();
  }
}
