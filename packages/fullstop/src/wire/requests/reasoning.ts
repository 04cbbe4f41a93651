import type { ReasoningSettings } from "../../request.ts";
import type { RequestWarnings } from "./warnings.ts";

/**
 * How many tokens of thinking each word for effort stands for, where a dialect knows words and a request says tokens.
 * No provider documents such a table; these are the budgets that its users have settled on.
 */
const EFFORT_BUDGETS: readonly (readonly [effort: string, budgetTokens: number])[] = [
  ["none", 0],
  ["minimal", 1024],
  ["low", 2048],
  ["medium", 8192],
  ["high", 24_576],
  ["max", 49_152],
];

/** The smallest effort whose budget is enough. */
function effortFor(budgetTokens: number): string {
  return EFFORT_BUDGETS.find(([, budget]) => budget >= budgetTokens)?.[0] ?? "max";
}

/** The effort for a dialect that has no token budget for thinking. */
export function effortOf(reasoning: ReasoningSettings | undefined, warnings: RequestWarnings): string | undefined {
  const { effort, budgetTokens } = reasoning ?? {};
  if (budgetTokens === undefined) return effort;
  if (effort !== undefined) {
    warnings.add("reasoning.budgetTokens", "The dialect knows an effort only; the budget was left out.");
    return effort;
  }
  const nearest = effortFor(budgetTokens);
  // No thinking is the one budget that has a word of its own.
  if (budgetTokens > 0) {
    warnings.add("reasoning.budgetTokens", `The dialect knows an effort only; the budget became "${nearest}".`);
  }
  return nearest;
}
