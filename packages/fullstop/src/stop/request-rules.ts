import { invalidArgument } from "../errors.ts";
import { defineStopRules } from "./stop-rules.ts";
import type { StopRuleOptions, StopRules } from "./stop-rules.ts";

/** Stop rules of a request beyond its own `stop` and `maxOutputTokens`. The model's end tokens are not its to know. */
export type RequestRules = Omit<StopRuleOptions, "eosTokenIds" | "maxTokens" | "stop"> & {
  /** In addition to the request's own. */
  readonly stop?: StopRuleOptions["stop"];
};

/** Compiles the rules of a request with what else it says. Refuses what is not the rules' to say. */
export function compileRules(
  rules: RequestRules,
  others: Pick<StopRuleOptions, "stop" | "maxTokens" | "eosTokenIds">,
): StopRules {
  if (typeof rules !== "object" || rules === null) throw invalidArgument("rules", "must be an object", rules);
  for (const name of ["maxTokens", "eosTokenIds"]) {
    const advice = name === "maxTokens" ? "use maxOutputTokens of the request" : "the model's own are known";
    if (name in rules) throw invalidArgument("rules", `cannot have ${name}: ${advice}`, rules);
  }
  return defineStopRules({ ...rules, ...others, stop: [...[others.stop ?? []].flat(), ...[rules.stop ?? []].flat()] });
}
