import { FullstopError } from "fullstop";
import type { LlamaRules } from "fullstop/llama";
import { quoteValue } from "../quote-value.ts";
import { RequestError } from "../request-error.ts";
import type { RefusalDetails } from "../request-error.ts";
import { compileRules } from "./compile-rules.ts";
import { pricedAmountOf } from "./cost-limit.ts";

/** What becomes of a generation when its reader goes away. */
type OnDisconnect = "stop" | "continue";

/** What a caller can ask of the gateway beside what its dialect can say. */
export interface GenerationSettings {
  readonly rules: LlamaRules;
  /** What an answer may cost by the prices of the model that is asked. A price of the caller's own is in the rules. */
  readonly maxCost?: number | undefined;
  readonly onDisconnect: OnDisconnect;
}

/** Settings of which any may be left out. */
export interface PartialSettings {
  readonly rules?: LlamaRules | undefined;
  readonly maxCost?: number | undefined;
  readonly onDisconnect?: OnDisconnect | undefined;
}

/** The stop rules that can be written as JSON. Those that are functions come from the server itself. */
const RULE_NAMES = [
  "stop",
  "include",
  "caseInsensitive",
  "repetition",
  "maxReasoningTokens",
  "maxCharacters",
  "maxMilliseconds",
  "maxCost",
  "stopTokenIds",
  "ignoreEos",
  "minTokens",
] as const satisfies readonly (keyof LlamaRules)[];

/** Where the mistake is. */
const IN_SETTINGS: RefusalDetails = { param: "fullstop" };

const NAMES: ReadonlySet<string> = new Set([...RULE_NAMES, "onDisconnect"]);

/**
 * Reads the `fullstop` object of a request: stop rules, and what a disconnect means. What the object leaves out is as
 * in `defaults`. A mistake in it is the caller's, and nothing is started.
 */
export function readGenerationSettings(value: unknown, defaults: GenerationSettings): GenerationSettings {
  return value === undefined ? defaults : layOver(defaults, readPartialSettings(value));
}

/** Reads a `fullstop` object by itself, whatever it leaves out. */
export function readPartialSettings(value: unknown): PartialSettings {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new RequestError("invalid_request", `fullstop must be an object, got ${quoteValue(value)}`, IN_SETTINGS);
  }
  const unknown = Object.keys(value).find((name) => !NAMES.has(name));
  if (unknown !== undefined) {
    throw new RequestError(
      "invalid_request",
      `fullstop has no field ${quoteValue(unknown)}; its fields are ${[...NAMES].join(", ")}`,
      IN_SETTINGS,
    );
  }
  const {
    onDisconnect,
    maxCost: cost,
    ...others
  } = value as { onDisconnect?: unknown; maxCost?: LlamaRules["maxCost"] };
  const maxCost = pricedAmountOf(cost);
  const rules = cost === undefined || maxCost !== undefined ? others : { maxCost: cost, ...others };
  if (onDisconnect !== undefined && onDisconnect !== "stop" && onDisconnect !== "continue") {
    const found = quoteValue(onDisconnect);
    const rule = 'must be "stop" or "continue"';
    throw new RequestError("invalid_request", `fullstop.onDisconnect ${rule}, got ${found}`, IN_SETTINGS);
  }
  checkRules(rules);
  return { rules, onDisconnect, ...(maxCost !== undefined && { maxCost }) };
}

/** Settings over others: what the upper ones leave out is as in those below. */
export function layOver(
  below: GenerationSettings,
  { rules, onDisconnect, maxCost }: PartialSettings,
): GenerationSettings {
  if (rules === undefined && onDisconnect === undefined && maxCost === undefined) return below;
  const cost = maxCost ?? (rules?.maxCost === undefined ? below.maxCost : undefined);
  return {
    rules: layRules(maxCost === undefined ? below.rules : withoutCost(below.rules), rules),
    onDisconnect: onDisconnect ?? below.onDisconnect,
    ...(cost !== undefined && { maxCost: cost }),
  };
}

/** There is one limit on the cost, by whichever prices it is counted. */
function withoutCost(below: LlamaRules): LlamaRules {
  const { maxCost: _, ...rules } = below;
  return rules;
}

/** Rules over others. Where there is nothing to put together they stay the same object, which is compiled already. */
function layRules(below: LlamaRules, rules: LlamaRules = {}): LlamaRules {
  if (isEmpty(rules)) return below;
  return isEmpty(below) ? rules : { ...below, ...rules };
}

function isEmpty(rules: LlamaRules): boolean {
  for (const _ in rules) return false;
  return true;
}

/** Rules, and the stop strings that a request has in the words of its dialect. */
export function withStops(rules: LlamaRules, stop: readonly string[] = []): LlamaRules {
  if (stop.length === 0) return rules;
  const { stop: own = [], ...others } = rules;
  return { stop: [...stop, ...[own].flat()], ...others };
}

/** Refuses stop strings of a request that cannot be looked for, before anything is started. */
export function checkStops({ rules }: GenerationSettings, stop: readonly string[] = []): void {
  if (stop.length > 0) checkRules(withStops(rules, stop), "", { param: "stop" });
}

function checkRules(rules: LlamaRules, place = "fullstop: ", details: RefusalDetails = IN_SETTINGS): void {
  try {
    compileRules(rules);
  } catch (error) {
    if (error instanceof FullstopError) throw new RequestError("invalid_request", place + error.message, details);
    throw error;
  }
}
