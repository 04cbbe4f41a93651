import type { ToolCallPart, ToolMessage } from "../request.ts";
import type { CallVerdict, CallWatch } from "./call-cycles.ts";
import { resultText } from "./run-tools.ts";

/**
 * Tells the watch of the calls of one turn and gives its verdict on them. The same call twice in one turn is not a loop,
 * because the model has not seen the result of the first; and a model that is to be nudged is not halted before it has
 * heard the nudge.
 */
export function judgeRound(
  watch: CallWatch,
  calls: readonly ToolCallPart[],
  results: readonly ToolMessage[],
): CallVerdict {
  const seen = new Set<string>();
  let verdict: CallVerdict = "fine";
  for (const [index, { name, json }] of calls.entries()) {
    const call = { name, json, result: resultText(results[index]!) };
    const key = JSON.stringify(call);
    if (seen.has(key)) continue;
    seen.add(key);
    const judged = watch.add(call);
    if (verdict === "fine") verdict = judged;
  }
  return verdict;
}
