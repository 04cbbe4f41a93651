import type { TerminationReason } from "../termination.ts";
import { CONTINUING_ACTIONS } from "./decision.ts";
import type { ContinuingAction } from "./decision.ts";
import type { TerminationReport } from "./report-types.ts";

/** How the last answer ended, one sentence a reason, without its full stop so that a detail can follow. */
const ENDINGS: Readonly<Record<TerminationReason, string>> = {
  natural_completion: "The model finished its answer",
  stop_sequence: "The answer ended at a stop string",
  token_limit_reached: "The answer was cut at its length limit",
  context_window_exceeded: "The context window is full",
  tool_calls: "The model asked for tools to be run",
  content_filtered: "The answer was withheld",
  paused: "The provider paused the turn",
  repetition_detected: "The model repeated itself and was stopped",
  budget_exceeded: "A limit on time or money was reached",
  cancelled: "The generation was stopped",
  error_termination: "The answer ended in an error",
  unknown: "Nobody said how the answer ended",
};

/** What each action is called when it is counted: once, and more often. */
const COUNTED: Readonly<Record<ContinuingAction, readonly [one: string, many: string]>> = {
  run_tools: ["round of tools", "rounds of tools"],
  continue: ["continuation", "continuations"],
  increase_budget: ["raised limit", "raised limits"],
  retry: ["retry", "retries"],
  modify_prompt: ["nudge", "nudges"],
  resume: ["resumption", "resumptions"],
  switch_model: ["change of model", "changes of model"],
};

/** One or two plain sentences on how a run ended. */
export function summarise(report: Omit<TerminationReport, "summary">): string {
  const { reason, detail, end, boundReached } = report;
  // A run that is over for a reason of its own has that reason to tell; the last answer was not why.
  const isOwnEnd = end !== undefined && end !== "completed" && reason !== "cancelled" && reason !== "error_termination";
  const run = isOwnEnd ? ` The run ended with ${end}.` : "";
  const ending = `${ENDINGS[reason]}${detail === undefined ? "" : ` (${detail})`}.${run}`;
  const actions = countedActions(report);
  const effort = `${effortOf(report)}${actions === "" ? "" : `, with ${actions}`}`;
  if (boundReached === undefined) return `${ending} It took ${effort}.`;
  return `${ending} No more was tried because of the bound of ${boundReached.bound} on ${boundReached.boundOn}, after ${effort}.`;
}

/** A report as lines of text, for a terminal or a log file. */
export function formatTerminationReport(report: TerminationReport): string {
  const { reason, detail, confidence, originalField, originalValue, model, provider } = report;
  const { usage, boundReached, decisions } = report;
  const source = [originalField, originalValue].filter((part) => part !== undefined).join(" = ");
  const actor = [model, provider].filter((part) => part !== undefined).join(" at ");
  const steps = decisions.map(({ action, rule }) => (rule === undefined ? action : `${action} (${rule})`));
  const rows: readonly (readonly [label: string, value: string])[] = [
    ["ended", `${reason}${detail === undefined ? "" : ` (${detail})`}, ${confidence} confidence`],
    ["source", source],
    ["model", actor],
    ["effort", effortOf(report)],
    ["tokens", usage === undefined ? "" : tokensOf(usage)],
    ["actions", countedActions(report)],
    ["decisions", steps.join(", ")],
    ["bound", boundReached === undefined ? "" : boundText(boundReached)],
  ];
  const lines = rows.filter(([, value]) => value !== "").map(([label, value]) => `${label.padEnd(10)}${value}`);
  return [report.summary, ...lines].join("\n");
}

function effortOf({ turns, durationMilliseconds }: Pick<TerminationReport, "turns" | "durationMilliseconds">): string {
  return `${count(turns, ["turn", "turns"])} and ${durationText(durationMilliseconds)}`;
}

function countedActions({ actions }: Pick<TerminationReport, "actions">): string {
  const parts = CONTINUING_ACTIONS.flatMap((action) => {
    const taken = actions[action];
    return taken === undefined ? [] : [count(taken, COUNTED[action])];
  });
  return parts.join(", ");
}

function boundText({ bound, boundOn, taken, wanted }: NonNullable<TerminationReport["boundReached"]>): string {
  return `${bound} on ${boundOn}, ${taken} taken, ${wanted} wanted`;
}

function tokensOf({ inputTokens, outputTokens, estimated }: NonNullable<TerminationReport["usage"]>): string {
  return `${inputTokens} in, ${outputTokens} out${estimated === true ? " (estimated)" : ""}`;
}

function count(number: number, [one, many]: readonly [one: string, many: string]): string {
  return `${number} ${number === 1 ? one : many}`;
}

function durationText(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
