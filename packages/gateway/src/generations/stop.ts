import type { GenerationEvent, TerminationSignal } from "fullstop";
import type { GenerationStore, StopOrder } from "fullstop/control";
import type { Generations } from "./generations.ts";
import { LiveGeneration } from "./live-generation.ts";
import { soFar } from "./summary.ts";
import type { GeneratedSoFar } from "./summary.ts";
import type { GenerationView } from "./view.ts";

/** How long another replica may take to carry out an order before it counts as unreachable. */
const PATIENCE_MILLISECONDS = 10_000;

/** What came of a stop. */
export interface StopReceipt extends Partial<GeneratedSoFar> {
  readonly id: string;
  /**
   * A generation that came to its own end before the stop took effect is `already_finished`, too. `unreachable` is one
   * on a replica that does not answer: the order is left for it, and will be carried out if it comes back.
   */
  readonly result: "stopped" | "already_finished" | "not_found" | "not_thinking" | "unreachable";
  /** Which of several gateways has done it, or should have. */
  readonly replica: string;
  /** How it ended, once it has. */
  readonly signal?: TerminationSignal;
}

/** Does what somebody wants of a generation, wherever it runs, and says what came of it. */
export async function stopGeneration(
  { store }: Generations,
  generation: GenerationView,
  order: StopOrder,
  patience: number = PATIENCE_MILLISECONDS,
): Promise<StopReceipt> {
  const { signal } = generation;
  if (signal !== undefined) return receiptOf(generation, { result: "already_finished", signal });
  if (generation instanceof LiveGeneration) return stopHere(generation, order);
  return stopElsewhere(store, generation, order, AbortSignal.timeout(patience));
}

async function stopHere(generation: LiveGeneration, order: StopOrder): Promise<StopReceipt> {
  const isDone = await generation.carryOut(order);
  if (order.mode === "skip-thinking") return receiptOf(generation, { result: isDone ? "stopped" : "not_thinking" });
  return receiptOf(generation, endedWith(await generation.ended));
}

/** Leaves an order for another replica and waits for what it does: it ends the generation, or its thinking. */
async function stopElsewhere(
  store: GenerationStore,
  generation: GenerationView,
  order: StopOrder,
  timeout: AbortSignal,
): Promise<StopReceipt> {
  // Somebody who presses again and again wants it once.
  const left = await store.orders(generation.id);
  if (!left.some(({ mode, reason }) => mode === order.mode && reason === order.reason)) {
    await store.order(generation.id, order);
  }
  for await (const batch of generation.follow(generation.events, timeout)) {
    const last = batch.at(-1);
    if (last?.type === "finish") return receiptOf(generation, endedWith(last.signal));
    if (order.mode === "skip-thinking") {
      if (batch.some(isSkip)) return receiptOf(generation, { result: "stopped" });
      if (batch.some(({ type }) => type === "text" || type === "tool-call-start")) {
        return receiptOf(generation, { result: "not_thinking" });
      }
    }
  }
  return receiptOf(generation, { result: "unreachable" });
}

function isSkip(event: GenerationEvent): boolean {
  return event.type === "reasoning" && event.skipped === true;
}

function endedWith(signal: TerminationSignal): Pick<StopReceipt, "result" | "signal"> {
  return { result: signal.reason === "cancelled" ? "stopped" : "already_finished", signal };
}

async function receiptOf(
  generation: GenerationView,
  outcome: Pick<StopReceipt, "result" | "signal">,
): Promise<StopReceipt> {
  const { id, replica } = generation;
  return { id, replica, ...outcome, ...soFar(await generation.read()) };
}
