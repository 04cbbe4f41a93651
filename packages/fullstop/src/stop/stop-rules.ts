import { invalidArgument } from "../errors.ts";
import { checkAmount, checkCount, checkFlag, checkFunction, checkNames, checkTokenIds } from "../check.ts";
import { createEosRule, createStopTokenRule } from "./eos.ts";
import { createCostLimit, createDeadline, createReasoningTokenLimit, createTokenLimit } from "./limits.ts";
import type { CostLimit } from "./limits.ts";
import { compileRepetition } from "./repetition.ts";
import type { CompiledRepetition, RepetitionSettings } from "./repetition.ts";
import type { StopRule } from "./step.ts";
import { compileStopStrings } from "./stop-strings.ts";
import type { CompiledStopStrings, StopString, StopStringOptions } from "./stop-strings.ts";

/** When a generation is to end. Every field is optional; a field left out sets no such rule. */
export interface StopRuleOptions extends StopStringOptions {
  /** Strings at which the output ends. Any number, any length up to 65,536. */
  readonly stop?: string | readonly (string | StopString)[] | undefined;
  /** Ends loops: true for the default profile, or settings. */
  readonly repetition?: boolean | RepetitionSettings | undefined;
  /** Exactly this many tokens over all channels. A piece that comes without token ids counts as one token. */
  readonly maxTokens?: number | undefined;
  /** Exactly this many tokens of thinking. */
  readonly maxReasoningTokens?: number | undefined;
  /** This many characters (UTF-16 code units) of visible text, or one fewer where a character would be halved. */
  readonly maxCharacters?: number | undefined;
  /** How long a generation may take, looked at whenever output arrives. */
  readonly maxMilliseconds?: number | undefined;
  /** What the output may cost. */
  readonly maxCost?: CostLimit | undefined;
  /** The model's own end tokens. */
  readonly eosTokenIds?: readonly number[] | undefined;
  /** Tokens of the caller's choice that end the output. */
  readonly stopTokenIds?: readonly number[] | undefined;
  /** Goes on after an end token. Stop tokens and stop strings still work. Default false. */
  readonly ignoreEos?: boolean | undefined;
  /**
   * Within this many tokens no stop string, end or stop token, or loop ends the output. Limits, a cancel and the
   * caller's own rules do. Default 0.
   */
  readonly minTokens?: number | undefined;
  /** Rules of the caller's own, looked at after each piece. */
  readonly rules?: readonly StopRule[] | undefined;
  /** The clock for `maxMilliseconds`. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Told once of each rule that threw and is now switched off; must not throw. Default: a warning on the console. */
  readonly onRuleError?: ((ruleName: string, error: unknown) => void) | undefined;
}

/** The names of all stop rules, for options that have others beside them. */
export const STOP_RULE_NAMES: Readonly<Record<keyof StopRuleOptions, true>> = {
  stop: true,
  include: true,
  caseInsensitive: true,
  repetition: true,
  maxTokens: true,
  maxReasoningTokens: true,
  maxCharacters: true,
  maxMilliseconds: true,
  maxCost: true,
  eosTokenIds: true,
  stopTokenIds: true,
  ignoreEos: true,
  minTokens: true,
  rules: true,
  now: true,
  onRuleError: true,
};

/**
 * Rules checked and compiled once, for any number of generations. The lists stand in the order of authority:
 * where several conditions hold at the same point of the output, the earlier one is the reason.
 */
export interface StopRules {
  readonly kind: "stop-rules";
  readonly stopStrings: CompiledStopStrings;
  /** The model's end tokens and the caller's stop tokens. */
  readonly tokenRules: readonly StopRule[];
  readonly repetition: CompiledRepetition | undefined;
  /** The caller's own rules, then time and money. */
  readonly budgetRules: readonly StopRule[];
  readonly maxCharacters: number | undefined;
  readonly limitRules: readonly StopRule[];
  readonly maxTokens: number | undefined;
  readonly maxReasoningTokens: number | undefined;
  readonly minTokens: number;
  readonly onRuleError: (ruleName: string, error: unknown) => void;
}

/** Checks and compiles stop rules. Bad options are refused here, before anything is generated. */
export function defineStopRules(options: StopRuleOptions): StopRules {
  checkOptions(options);
  const { include, caseInsensitive, repetition, ignoreEos = false, minTokens = 0 } = options;
  const { maxTokens, maxReasoningTokens, maxMilliseconds, maxCost, now = Date.now } = options;
  const eosTokenIds = ignoreEos ? undefined : options.eosTokenIds;
  return {
    kind: "stop-rules",
    stopStrings: compileStopStrings(options.stop ?? [], { include, caseInsensitive }),
    tokenRules: [
      ...when(eosTokenIds, (ids) => createEosRule(ids, minTokens)),
      ...when(options.stopTokenIds, (ids) => createStopTokenRule(ids, minTokens)),
    ],
    repetition: repetition === undefined || repetition === false ? undefined : compileRepetition(repetition),
    budgetRules: [
      ...(options.rules ?? []),
      ...when(maxMilliseconds, (most) => createDeadline(most, now)),
      ...when(maxCost, createCostLimit),
    ],
    maxCharacters: options.maxCharacters,
    limitRules: [...when(maxReasoningTokens, createReasoningTokenLimit), ...when(maxTokens, createTokenLimit)],
    maxTokens,
    maxReasoningTokens,
    minTokens,
    onRuleError: options.onRuleError ?? warnOfRule,
  };
}

/** The rule for an option, where the option is given. */
function when<T>(value: T | undefined, createRule: (value: T) => StopRule): readonly StopRule[] {
  return value === undefined ? [] : [createRule(value)];
}

/** Compiles options; rules that are compiled already pass as they are. */
export function toStopRules(rules: StopRules | StopRuleOptions): StopRules {
  return isCompiled(rules) ? rules : defineStopRules(rules);
}

function isCompiled(rules: StopRules | StopRuleOptions): rules is StopRules {
  return typeof rules === "object" && rules !== null && "kind" in rules && rules.kind === "stop-rules";
}

function checkOptions(options: StopRuleOptions): void {
  checkNames("stop rules", options, STOP_RULE_NAMES);
  for (const name of ["include", "caseInsensitive", "ignoreEos"] as const) checkFlag(name, options[name]);
  for (const name of ["maxTokens", "maxReasoningTokens", "maxCharacters", "minTokens"] as const) {
    checkCount(name, options[name], 0);
  }
  checkAmount("maxMilliseconds", options.maxMilliseconds);
  if (options.maxCost !== undefined) checkCost(options.maxCost);
  for (const name of ["eosTokenIds", "stopTokenIds"] as const) checkTokenIds(name, options[name]);
  for (const name of ["now", "onRuleError"] as const) checkFunction(name, options[name]);
  const rules: unknown = options.rules ?? [];
  if (!Array.isArray(rules)) throw invalidArgument("rules", "must be a list", rules);
  for (const rule of options.rules ?? []) {
    if (typeof rule?.name !== "string" || typeof rule.start !== "function") {
      throw invalidArgument("rules", "must hold {name, start} objects", rule);
    }
  }
}

function checkCost(maxCost: CostLimit): void {
  checkNames("maxCost", maxCost, { amount: true, perToken: true });
  checkAmount("maxCost amount", maxCost.amount ?? NaN);
  checkAmount("maxCost perToken", maxCost.perToken ?? NaN);
}

function warnOfRule(ruleName: string, error: unknown): void {
  console.warn(`fullstop: rule "${ruleName}" threw and is switched off:`, error);
}

/** The short form of stop rules: a token limit, loops, and the model's end tokens. */
export interface StoppingConfig {
  readonly maxTokens?: number | undefined;
  readonly repetitionDetection?: RepetitionSettings | undefined;
  /** Default true. */
  readonly eosDetection?: boolean | undefined;
}

/** Builds stop rules from the short form and the end tokens of the model they are for. */
export function stopRulesFromConfig(config: StoppingConfig, eosTokenIds: readonly number[]): StopRules {
  checkNames("stopping config", config, { maxTokens: true, repetitionDetection: true, eosDetection: true });
  const { maxTokens, repetitionDetection, eosDetection = true } = config;
  checkFlag("eosDetection", eosDetection);
  return defineStopRules({ maxTokens, repetition: repetitionDetection, eosTokenIds, ignoreEos: !eosDetection });
}
