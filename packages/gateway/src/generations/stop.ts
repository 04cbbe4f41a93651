import type { GenerationEvent, TerminationSignal } from "fullstop";
import { lastPhaseOf, phaseOf } from "fullstop/control";
import type { OrderRecords, StopOrder } from "fullstop/control";
import { inTime } from "./ask-store.ts";
import type { Generations } from "./generations.ts";
import { LiveGeneration } from "./live-generation.ts";
import { SENTENCE_MILLISECONDS } from "./sentence-end.ts";
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

type Outcome = Pick<StopReceipt, "result" | "signal">;

/** Does what somebody wants of a generation, wherever it runs, and says what came of it. */
export async function stopGeneration(
  generations: Generations,
  generation: GenerationView,
  order: StopOrder,
  patience: number = PATIENCE_MILLISECONDS,
): Promise<StopReceipt> {
  const { signal } = generation;
  if (signal !== undefined) return receiptOf(generation, { result: "already_finished", signal });
  if (generation instanceof LiveGeneration) return receiptOf(generation, await stopHere(generation, order));
  return stopElsewhere(generations, generation, order, patience);
}

async function stopHere(generation: LiveGeneration, order: StopOrder): Promise<Outcome> {
  const isDone = await generation.carryOut(order);
  if (order.mode === "skip-thinking") return { result: isDone ? "stopped" : "not_thinking" };
  return endedWith(await generation.ended);
}

/** Leaves an order for another replica and waits for what it does: it ends the generation, or its thinking. */
async function stopElsewhere(
  generations: Generations,
  generation: GenerationView,
  order: StopOrder,
  patience: number,
): Promise<StopReceipt> {
  const { id } = generation;
  if (order.mode === "skip-thinking" && !(await mayBeThinking(generation))) {
    return receiptOf(generation, { result: "not_thinking" });
  }
  const left = await leaveOnce(generations.store, id, order);
  if (left === "left") {
    const outcome = await waitFor(generation, order, patience);
    if (outcome !== undefined) return receiptOf(generation, outcome);
  }
  // It has ended or was forgotten before the order came, or while it was waited for.
  const found = await generations.find(id);
  if (found === undefined) return { id, result: "not_found", replica: generations.replica };
  const { signal } = found;
  // Or the store has lost sight of it for a moment, and nobody can say what has become of the order.
  if (signal === undefined) return receiptOf(generation, { result: "unreachable" });
  return receiptOf(generation, { result: "already_finished", signal });
}

/** Leaves an order, unless it is there: somebody who presses again and again wants it once. */
async function leaveOnce(store: OrderRecords, id: string, order: StopOrder): Promise<"left" | "ended" | "not_found"> {
  const known = await inTime(store.orders(id));
  const isKnown = known.some(({ mode, reason }) => mode === order.mode && reason === order.reason);
  return isKnown ? "left" : inTime(store.order(id, order));
}

/** What another replica makes of an order; undefined where there is nobody any more to whom it was given. */
async function waitFor(
  generation: GenerationView,
  { mode }: StopOrder,
  milliseconds: number,
): Promise<Outcome | undefined> {
  const timeout = AbortSignal.timeout(milliseconds + (mode === "finish-sentence" ? SENTENCE_MILLISECONDS : 0));
  let hasMoved = false;
  for await (const batch of generation.follow(generation.events, timeout)) {
    hasMoved = true;
    const isSkipping = mode === "skip-thinking";
    if (isSkipping && batch.some(isSkip)) return { result: "stopped" };
    const last = batch.at(-1);
    // However it has ended, it was not by leaving its thinking.
    if (last?.type === "finish" && isSkipping) return { result: "already_finished", signal: last.signal };
    if (last?.type === "finish") return endedWith(last.signal);
    if (isSkipping && batch.some(isAnswer)) return { result: "not_thinking" };
  }
  if (!timeout.aborted) return undefined;
  // A holder that goes on without skipping anything is there, and has found nothing to skip.
  return { result: mode === "skip-thinking" && hasMoved ? "not_thinking" : "unreachable" };
}

/** False where the last thing that is known of a generation is a piece of its answer. */
async function mayBeThinking(generation: GenerationView): Promise<boolean> {
  const phase = lastPhaseOf(await generation.read());
  return phase === "thinking" || phase === "waiting";
}

function isSkip(event: GenerationEvent): boolean {
  return event.type === "reasoning" && event.skipped === true;
}

function isAnswer(event: GenerationEvent): boolean {
  const phase = phaseOf(event);
  return phase === "answering" || phase === "calling";
}

function endedWith(signal: TerminationSignal): Outcome {
  return { result: signal.reason === "cancelled" ? "stopped" : "already_finished", signal };
}

async function receiptOf(generation: GenerationView, outcome: Outcome): Promise<StopReceipt> {
  const { id, replica } = generation;
  return { id, replica, ...outcome, ...soFar(await generation.read()) };
}
