import type { StopOrder } from "./order.ts";

/** What an {@link OrderTaker} needs to know. */
export interface OrderTakerOptions {
  /** All orders that were left, the first one first. */
  readonly read: () => Promise<readonly StopOrder[]>;
  readonly carryOut: (order: StopOrder) => void;
}

const NOTHING_TO_TAKE: OrderTakerOptions = { read: async () => [], carryOut: () => undefined };

/** Carries out the orders for one generation, each of them once and in the order in which they were left. */
export class OrderTaker {
  #options: OrderTakerOptions;
  #done: readonly StopOrder[] = [];
  #state: "resting" | "looking" | "looking again" | "over" = "resting";
  #lookedAt = -Infinity;

  constructor(options: OrderTakerOptions) {
    this.#options = options;
  }

  /** When a look was last begun, whatever came of it. */
  get lookedAt(): number {
    return this.#lookedAt;
  }

  /** Looks for orders. One look at a time: an older list must not come after a newer one. */
  async look(now: number): Promise<void> {
    if (this.#state === "over") return;
    if (this.#state !== "resting") {
      this.#state = "looking again";
      return;
    }
    this.#lookedAt = now;
    try {
      do {
        this.#state = "looking";
        this.#take(await this.#options.read());
      } while (this.#isWantedAgain());
    } finally {
      if (!this.#isOver()) this.#state = "resting";
    }
  }

  /** Nothing is carried out any more. */
  end(): void {
    this.#state = "over";
    // Whoever still holds this does not hold the generation with it: V8's maps do for a while, after it was deleted.
    this.#options = NOTHING_TO_TAKE;
  }

  #take(orders: readonly StopOrder[]): void {
    if (this.#isOver()) return;
    // A list that does not begin with what was carried out is that of a store that has forgotten, and all of it is new.
    const isLonger = this.#done.every((order, index) => isSame(order, orders[index]));
    const fresh = isLonger ? orders.slice(this.#done.length) : orders;
    this.#done = orders;
    for (const order of fresh) this.#options.carryOut(order);
  }

  // Asked in methods, because the state changes while the look waits, which the compiler does not see.
  #isWantedAgain(): boolean {
    return this.#state === "looking again";
  }

  #isOver(): boolean {
    return this.#state === "over";
  }
}

function isSame(one: StopOrder, other: StopOrder | undefined): boolean {
  return one.mode === other?.mode && one.reason === other.reason;
}
