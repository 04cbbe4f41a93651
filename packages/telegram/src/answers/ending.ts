import { cancelledSignal, truncatedSignal } from "fullstop";
import type { TerminationReason, TerminationSignal } from "fullstop";
import type { AgentEnd, AgentResult } from "fullstop/agent";
import { isUnseen } from "../text/clean-text.ts";
import type { EndingKind } from "../words/words.ts";

/** What readers are told of an answer that is incomplete, by the reason its last part has ended for. */
const BY_REASON: Readonly<Partial<Record<TerminationReason, EndingKind>>> = {
  token_limit_reached: "length",
  context_window_exceeded: "context",
  content_filtered: "filtered",
  repetition_detected: "loop",
  budget_exceeded: "budget",
  cancelled: "interrupted",
};

/** What a record says more exactly by its detail than by its reason. */
const BY_DETAIL: ReadonlyMap<string, EndingKind> = new Map([
  ["owner_lost", "interrupted"],
  // What a store in a file finds without an ending when it is opened.
  ["truncated", "interrupted"],
  ["deadline", "time"],
  ["context_window", "context"],
]);

/** What readers are told of a run that ended so; `undefined` for an answer that is whole. */
const BY_END: Readonly<Record<AgentEnd, EndingKind | "by reason" | undefined>> = {
  completed: undefined,
  stopped: "interrupted",
  refused: "filtered",
  incomplete: "by reason",
  context_full: "context",
  repeated_calls: "loop",
  failed: "by reason",
  turn_limit: "tools",
  token_limit: "budget",
  tool_call_limit: "tools",
  time_limit: "time",
  cost_limit: "budget",
};

/**
 * Why an answer is not whole, as its readers are told; undefined if it is. `shown` is all that they see of it, with what
 * was said before tools were called.
 */
export function endingOf(result: AgentResult, shown: string): EndingKind | undefined {
  const kind = BY_END[result.end];
  // An answer of nothing is no answer, even if the model says that it is done.
  if (kind !== "by reason") return kind ?? (isUnseen(shown) ? "error" : undefined);
  const signal = result.signals.at(-1);
  // Many models say what they do, do it, and have nothing to add.
  if (signal?.reason === "natural_completion" && isUnseen(result.text) && !isUnseen(shown)) return undefined;
  return incompleteEnding(signal, result.text);
}

/** The same for an answer of which only the record is left; without a signal, if there is not even one. */
export function recordedEnding(signal: TerminationSignal | undefined, shown: string): EndingKind | undefined {
  if (signal === undefined) return "interrupted";
  const { reason, detail = "" } = signal;
  if (reason === "natural_completion" || reason === "stop_sequence") return isUnseen(shown) ? "error" : undefined;
  // The run was ended after the last tools, whatever they have found.
  if (reason === "tool_calls") return "tools";
  return BY_DETAIL.get(detail) ?? incompleteEnding(signal, shown);
}

function incompleteEnding(signal: TerminationSignal | undefined, text: string): EndingKind {
  const known = signal && BY_REASON[signal.reason];
  if (known !== undefined) return known;
  const isNothing = isUnseen(text);
  if (signal?.reason === "unknown" && !isNothing) return "unknown";
  // Where something came before it broke off, that is what readers want to know; else that there is nothing.
  return signal?.detail === "truncated" || !isNothing ? "cut" : "error";
}

/** How the whole answer has ended, as it is recorded: by the model's own account, or by what has stopped the run. */
export function recordedSignal(result: AgentResult, stopReason: string | undefined): TerminationSignal {
  const last = result.signals.at(-1);
  if (result.end !== "stopped") return last ?? truncatedSignal();
  // A run can be stopped between two answers, when the last one has ended well.
  return last?.reason === "cancelled" ? last : cancelledSignal(stopReason);
}

/** What operators are told of a failure: nothing that a provider has said in words, which may quote what people wrote. */
export function circumstancesOf({ signals }: AgentResult): Readonly<Record<string, unknown>> {
  const last = signals.at(-1);
  const status = last?.providerSpecific.metadata?.["status"];
  return { reason: last?.reason, detail: last?.detail, ...(typeof status === "number" && { status }) };
}
