import { invalidArgument } from "../errors.ts";
import type { GenerationRequest } from "../request.ts";
import { defineStopRules } from "./stop-rules.ts";
import type { StopRuleOptions, StopRules } from "./stop-rules.ts";
import type { StopString } from "./stop-strings.ts";

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
  return defineStopRules({ ...rules, ...others, stop: joinStops(others.stop, rules.stop) });
}

/** A request that may say more than its dialect can. */
type RuledRequest = GenerationRequest & { readonly rules?: RequestRules | undefined };

/** The stop strings of a request, which are its own and those of its rules. */
export function stopRulesOf({ stop, rules = {} }: RuledRequest): StopRuleOptions {
  return { stop: joinStops(stop, rules.stop), caseInsensitive: rules.caseInsensitive };
}

/** How long a text may be by the rules of a request. */
export function maxCharactersOf({ rules = {} }: RuledRequest): number | undefined {
  return rules.maxCharacters;
}

function joinStops(...lists: readonly StopRuleOptions["stop"][]): readonly (string | StopString)[] {
  return lists.flatMap((list) => list ?? []);
}
