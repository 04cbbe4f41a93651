import { checkAmount, checkCount, checkNames } from "../check.ts";
import { invalidArgument } from "../errors.ts";
import type { Usage } from "../events.ts";
import { isPlainWord } from "../secrets.ts";
import { isTerminationSignal } from "../termination.ts";
import type { TerminationReason, TerminationSignal } from "../termination.ts";
import { CONTINUING_ACTIONS, isAction } from "./decision.ts";
import type { ContinuingAction, TerminationDecision } from "./decision.ts";
import { summarise } from "./report-text.ts";
import type { TerminationExecution, TerminationReport } from "./report-types.ts";

const FIELDS = {
  turns: true,
  durationMilliseconds: true,
  end: true,
  decisions: true,
  usage: true,
  model: true,
  provider: true,
} as const satisfies Record<keyof TerminationExecution, true>;

/** Describes how a run ended, for logs and for people. `signal` is that of the last answer. */
export function createTerminationReport(signal: TerminationSignal, execution: TerminationExecution): TerminationReport {
  if (!isTerminationSignal(signal)) throw invalidArgument("signal", "must be a termination signal", signal);
  checkExecution(execution);
  const { turns, durationMilliseconds, usage, decisions } = execution;
  const { originalField, originalValue } = signal.providerSpecific;
  const last = decisions.at(-1);
  const facts: Omit<TerminationReport, "summary"> = {
    reason: signal.reason,
    confidence: signal.confidence,
    ...word("detail", signal.detail),
    ...word("originalField", originalField),
    ...(!QUOTES_CONTENT.has(signal.reason) && word("originalValue", originalValue)),
    ...word("model", execution.model),
    ...word("provider", execution.provider),
    ...word("end", execution.end),
    turns,
    durationMilliseconds,
    ...(usage !== undefined && { usage: countsOf(usage) }),
    actions: countActions(decisions),
    decisions: decisions.map(({ suggestedAction: action, metadata }) =>
      Object.assign({ action }, word("rule", metadata["rule"])),
    ),
    ...(last !== undefined && boundOf(last)),
  };
  return { ...facts, summary: summarise(facts) };
}

/** Signals whose original value may be a piece of the text itself: the string that matched or was repeated. */
const QUOTES_CONTENT: ReadonlySet<TerminationReason> = new Set(["stop_sequence", "repetition_detected"]);

/** The field, if its value is a plain word. What is not may be somebody's text and stays out of the logs. */
function word<Name extends string>(name: Name, value: unknown): { readonly [Field in Name]?: string } {
  const field: { [Field in Name]?: string } = {};
  return typeof value === "string" && isPlainWord(value) ? Object.assign(field, { [name]: value }) : field;
}

/** The counts, one by one: an object from outside may carry more than its type says. */
function countsOf(usage: Usage): Usage {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens, estimated } = usage;
  return {
    inputTokens,
    outputTokens,
    ...(cachedInputTokens !== undefined && { cachedInputTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(estimated !== undefined && { estimated }),
  };
}

function countActions(decisions: readonly TerminationDecision[]): TerminationReport["actions"] {
  const counts: Partial<Record<ContinuingAction, number>> = {};
  for (const action of CONTINUING_ACTIONS) {
    const taken = decisions.filter(({ suggestedAction }) => suggestedAction === action).length;
    if (taken > 0) counts[action] = taken;
  }
  return counts;
}

function boundOf({ suggestedAction, metadata }: TerminationDecision): Pick<TerminationReport, "boundReached"> {
  const { wanted } = word("wanted", metadata["wanted"]);
  const { boundOn } = word("boundOn", metadata["boundOn"]);
  const { bound, taken } = metadata;
  if (suggestedAction !== "stop" || wanted === undefined || boundOn === undefined) return {};
  if (typeof bound !== "number" || typeof taken !== "number") return {};
  return { boundReached: { wanted, boundOn, bound, taken } };
}

function checkExecution(execution: TerminationExecution): void {
  checkNames("execution", execution, FIELDS);
  const { turns, durationMilliseconds, usage } = execution;
  checkCount("execution turns", turns ?? Number.NaN, 0);
  checkAmount("execution durationMilliseconds", durationMilliseconds ?? Number.NaN);
  checkDecisions(execution.decisions);
  if (usage === undefined) return;
  if (typeof usage !== "object" || usage === null) throw invalidArgument("execution usage", "must be an object", usage);
  for (const name of ["inputTokens", "outputTokens"] as const) {
    checkAmount(`execution usage ${name}`, usage[name] ?? Number.NaN);
  }
  for (const name of ["cachedInputTokens", "cacheWriteTokens", "reasoningTokens"] as const) {
    checkAmount(`execution usage ${name}`, usage[name]);
  }
}

function checkDecisions(decisions: unknown): void {
  if (!Array.isArray(decisions)) throw invalidArgument("execution decisions", "must be a list", decisions);
  const list: readonly Partial<TerminationDecision>[] = decisions;
  for (const decision of list) {
    if (!isAction(decision?.suggestedAction) || typeof decision.metadata !== "object") {
      throw invalidArgument("execution decisions", "must hold decisions", decision);
    }
  }
}
