import { lastPhaseOf } from "fullstop/control";
import type { GenerationPhase } from "fullstop/control";
import type { GenerationEnd } from "./observer.ts";

/** The words for those who stop generations that have a meaning of their own. Callers may use words of theirs. */
const ORDERED_BY = ["user", "disconnect", "operator", "shutdown", "new_message", "deadline"] as const;

/** Who or what has stopped a generation: somebody by an order, a stop rule, or a word that is not ours. */
export type StopSource = (typeof ORDERED_BY)[number] | "rule" | "other";

/** What our own stop rules call themselves. The token limit is missing: it is the caller's wish, not an early end. */
const RULES: ReadonlySet<string> = new Set([
  "stop_string",
  "stop_token_id",
  "repetition",
  "max_characters",
  "max_cost",
  "max_reasoning_tokens",
]);

/** One of the known words for whoever gave an order; `other` for a caller's own. */
export function sourceOfOrder(detail: string): StopSource {
  return ORDERED_BY.find((each) => each === detail) ?? "other";
}

/** Who or what has put an end to a generation, and what it was doing; undefined where the model ended it itself. */
export function stopOf({
  signal,
  order,
  events,
}: GenerationEnd): { source: StopSource; phase: GenerationPhase } | undefined {
  const { reason, providerSpecific } = signal;
  if (reason === "cancelled" && order !== undefined) {
    return { source: sourceOfOrder(order.detail), phase: order.phase };
  }
  if (providerSpecific.originalField === "max_milliseconds") return { source: "deadline", phase: lastPhaseOf(events) };
  return RULES.has(providerSpecific.originalField) ? { source: "rule", phase: lastPhaseOf(events) } : undefined;
}
