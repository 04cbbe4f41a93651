import type { StopRuleOptions } from "./stop-rules.ts";

/** Whether stop strings mean to a provider what they mean by these rules, so that it may look for them as well. */
export function arePlainStops({ include, caseInsensitive, minTokens = 0 }: StopRuleOptions): boolean {
  return include !== true && caseInsensitive !== true && minTokens === 0;
}
