import { invalidArgument } from "../../errors.ts";
import { defineStopRules } from "../../stop/stop-rules.ts";
import type { StopRuleOptions } from "../../stop/stop-rules.ts";
import { isRecord, parseJson } from "../../wire/json.ts";

/** The header in which the rules for one call come. It is never sent on. */
export const RULES_HEADER = "x-fullstop-rules";

/** Stop rules that can be written as JSON. */
export type PlainRules = Omit<StopRuleOptions, "rules" | "now" | "onRuleError">;

/**
 * Writes rules for one call as a header, which every client can send with a single request. They take the place of
 * those of {@link createFetch} by the same name; the header itself is taken off before the request is sent.
 *
 * ```ts
 * await client.chat.completions.create(body, { headers: ruleHeaders({ stop: ["END"] }) });
 * ```
 */
export function ruleHeaders(rules: PlainRules): Readonly<Record<string, string>> {
  defineStopRules(rules);
  // Headers take Latin letters only.
  const json = JSON.stringify(rules).replace(/[^ -~]/gu, escapeUnits);
  return { [RULES_HEADER]: json };
}

function escapeUnits(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

/** Reads the rules for one call. */
export function readRuleHeader(json: string): PlainRules {
  const rules = parseJson(json);
  if (!isRecord(rules)) throw invalidArgument(`header ${RULES_HEADER}`, "must be a JSON object of stop rules", json);
  return rules;
}
