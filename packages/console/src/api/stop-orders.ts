import { readSaved, save } from "../state/saved.ts";
import { stopGeneration } from "./generations.ts";
import type { StopMode } from "./generations.ts";
import { ApiError, access } from "./http.ts";
import { persist } from "./persist.ts";

/** What became of an order: the gateway has heard it, or says no to it, or nobody wants it to be told any more. */
type OrderOutcome = "heard" | "refused" | "withdrawn";

/** An order that the gateway has not heard yet, as it is kept in the tab. */
interface SavedOrder {
  readonly id: string;
  readonly mode: StopMode;
}

interface OpenOrder {
  readonly mode: StopMode;
  readonly withdrawal: AbortController;
  readonly outcome: Promise<OrderOutcome>;
}

/** The name by which they are kept: not with the conversation, which can be left, or be too long to be kept. */
const NAME = "orders";

/** What was ordered and not heard yet. It outlives the conversation it was said in, and a reload. */
class StopOrders {
  readonly #open = new Map<string, OpenOrder>();

  /** Tells again what was not heard before the page was loaded. */
  resume(): void {
    for (const { id, mode } of readOrders()) void this.give(id, mode);
  }

  /** What is still to be told about a generation. */
  of(id: string): StopMode | "none" {
    return this.#open.get(id)?.mode ?? "none";
  }

  /** Tells the gateway until it has heard it. Of several orders about one generation, only the last is told. */
  give(id: string, mode: StopMode): Promise<OrderOutcome> {
    const known = this.#open.get(id);
    if (known?.mode === mode) return known.outcome;
    known?.withdrawal.abort();
    const withdrawal = new AbortController();
    const outcome = this.#tell(id, mode, withdrawal.signal);
    this.#open.set(id, { mode, withdrawal, outcome });
    this.#save();
    return outcome;
  }

  /** Tells nothing more about a generation: it has ended. */
  withdraw(id: string): void {
    this.#open.get(id)?.withdrawal.abort();
    this.#forget(id);
  }

  async #tell(id: string, mode: StopMode, signal: AbortSignal): Promise<OrderOutcome> {
    const outcome = await tellUntilAnswered(id, mode, signal);
    // Another order may stand under this id by now.
    if (signal.aborted) return "withdrawn";
    this.#forget(id);
    return outcome;
  }

  #forget(id: string): void {
    if (this.#open.delete(id)) this.#save();
  }

  #save(): void {
    const orders = Array.from(this.#open, ([id, { mode }]): SavedOrder => ({ id, mode }));
    save(NAME, orders.length === 0 ? undefined : orders);
  }
}

/** The orders of this page. */
export const stopOrders: StopOrders = new StopOrders();

async function tellUntilAnswered(id: string, mode: StopMode, signal: AbortSignal): Promise<OrderOutcome> {
  while (!signal.aborted) {
    try {
      await persist(() => stopGeneration(id, mode), signal);
      return "heard";
    } catch (error) {
      if (!(error instanceof ApiError && error.asksForKey)) return "refused";
    }
    // It was not heard for the lack of a good key, and somebody may still give one.
    await whenKeyGiven();
  }
  return "withdrawn";
}

function whenKeyGiven(): Promise<void> {
  return new Promise((resolve) => {
    const unwatch = access.watch(() => {
      if (access.get().state !== "given") return;
      unwatch();
      resolve();
    });
  });
}

function readOrders(): readonly SavedOrder[] {
  const saved = readSaved(NAME);
  return Array.isArray(saved) ? saved.filter(isSavedOrder) : [];
}

function isSavedOrder(value: unknown): value is SavedOrder {
  if (typeof value !== "object" || value === null || !("id" in value) || !("mode" in value)) return false;
  return typeof value.id === "string" && (value.mode === "stop" || value.mode === "skip-thinking");
}
