import type { GenerationRequest } from "../../request.ts";
import { listOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { withoutAbsent } from "../requests/values.ts";
import type { RequestWarnings } from "../requests/warnings.ts";

/** What is left for the answer where a request sets no limit. */
const DEFAULT_ANSWER_TOKENS = 4096;

/** The smallest budget for thinking that the provider takes. */
const LEAST_BUDGET = 1024;

/** The limit on all output, which the dialect insists on. */
export function limitOf(request: GenerationRequest, warnings: RequestWarnings): number {
  if (request.maxOutputTokens !== undefined) return request.maxOutputTokens;
  const limit = DEFAULT_ANSWER_TOKENS + leastBudgetOf(request);
  warnings.add("maxOutputTokens", `The dialect insists on a limit; it became ${limit}.`);
  return limit;
}

/** What else is written in a request that thinking has to go with. */
interface Surroundings {
  readonly messages: readonly JsonRecord[];
  readonly toolChoice: JsonRecord | undefined;
}

/** Writes the settings for thinking. There is none where the provider would refuse it. */
export function encodeThinking(
  request: GenerationRequest,
  surroundings: Surroundings,
  warnings: RequestWarnings,
): JsonRecord | undefined {
  const thinking = encodeWish(request, warnings);
  const obstacle = isThinking(thinking) ? obstacleTo(thinking, surroundings) : undefined;
  if (obstacle === undefined) return thinking;
  warnings.add("reasoning", obstacle);
  return { type: "disabled" };
}

/** Takes out what is to become of earlier thinking where the model is told not to think: the provider refuses it then. */
export function withoutThinkingEdits(body: JsonRecord, warnings: RequestWarnings): JsonRecord {
  const { context_management: management } = body;
  const edits = listOf(recordOf(management)["edits"]);
  const kept = edits.filter((edit) => !stringOf(recordOf(edit)["type"]).startsWith("clear_thinking"));
  if (recordOf(body["thinking"])["type"] !== "disabled" || kept.length === edits.length) return body;
  warnings.add(
    "context_management",
    "It says what becomes of thinking, and the model will not think; it was left out.",
  );
  const left = kept.length === 0 ? undefined : { ...recordOf(management), edits: kept };
  return withoutAbsent({ ...body, context_management: left });
}

/** Whether settings ask for thinking. */
export function isThinking(thinking: JsonRecord | undefined): thinking is JsonRecord {
  return thinking !== undefined && thinking["type"] !== "disabled";
}

function obstacleTo(thinking: JsonRecord, { messages, toolChoice }: Surroundings): string | undefined {
  if (toolChoice?.["type"] === "any" || toolChoice?.["type"] === "tool") {
    return "The dialect cannot have a model think that has to call a tool; it will not think.";
  }
  // Only a budget has this rule. Where the model sees to it itself, turns without thinking are nothing special.
  if (thinking["type"] !== "enabled" || isOpenedByThinking(messages)) return undefined;
  return "The dialect wants the turn that goes on to begin with signed thinking, which it does not; it will not think.";
}

/** Whether the model's own words that the answer has to follow, if there are any, begin with thinking. */
function isOpenedByThinking(messages: readonly JsonRecord[]): boolean {
  const turns = messages.filter(({ role }) => role !== "system");
  const last = turns.at(-1);
  const isResult = listOf(last?.["content"]).some((block) => recordOf(block)["type"] === "tool_result");
  const turn = isResult ? turns.at(-2) : last;
  if (turn?.["role"] !== "assistant") return true;
  const { type } = recordOf(listOf(turn["content"])[0]);
  return type === "thinking" || type === "redacted_thinking";
}

/** Thinking as it is asked for: with a budget, or as the model sees fit, or none. */
function encodeWish(request: GenerationRequest, warnings: RequestWarnings): JsonRecord | undefined {
  const { reasoning } = request;
  if (reasoning === undefined) return undefined;
  const { effort, budgetTokens, show, effortOnly } = reasoning;
  const isAsked = effortOnly !== true || effort === "none" || budgetTokens !== undefined || show !== undefined;
  if (!isAsked) return undefined;
  const display = show === undefined ? undefined : displayOf(show);
  if (budgetTokens === undefined && effort !== "none") return withoutAbsent({ type: "adaptive", display });
  const budget = fitBudget(request, warnings);
  if (budget > 0) return withoutAbsent({ type: "enabled", budget_tokens: budget, display });
  if (show === true) warnings.add("reasoning.show", "There is no thinking that could be shown.");
  return { type: "disabled" };
}

function displayOf(show: boolean): string {
  return show ? "summarized" : "omitted";
}

/** The budget as it was asked for, or as much as the provider wants at least. */
function leastBudgetOf({ reasoning }: GenerationRequest): number {
  const { budgetTokens = 0 } = reasoning ?? {};
  return budgetTokens === 0 ? 0 : Math.max(budgetTokens, LEAST_BUDGET);
}

/** The budget within what the provider takes: enough to be worth it, and less than the limit on all output. */
function fitBudget(request: GenerationRequest, warnings: RequestWarnings): number {
  const { reasoning, maxOutputTokens = Number.POSITIVE_INFINITY } = request;
  const wanted = reasoning?.budgetTokens ?? 0;
  const possible = Math.min(leastBudgetOf(request), maxOutputTokens - 1);
  const budget = possible < LEAST_BUDGET ? 0 : possible;
  if (budget !== wanted) {
    warnings.add(
      "reasoning.budgetTokens",
      `The budget has to be at least ${LEAST_BUDGET} and below the limit on all output; it became ${budget}.`,
    );
  }
  return budget;
}
