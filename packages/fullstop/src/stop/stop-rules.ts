import { invalidArgument } from "../errors.ts";
import { checkAmount, checkCount, checkFlag, checkNames, checkTokenIds } from "./check.ts";
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
  /** Nothing but limits and a cancel ends the output within this many tokens. Default 0. */
  readonly minTokens?: number | undefined;
  /** Rules of the caller's own, looked at after each piece. */
  readonly rules?: readonly StopRule[] | undefined;
  /** The clock for `maxMilliseconds`. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Told once of each rule that threw and is now switched off. Default: a warning on the console. */
  readonly onRuleError?: ((ruleName: string, error: unknown) => void) | undefined;
}

const OPTIONS = {
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
} as const satisfies Record<keyof StopRuleOptions, true>;

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
  readonly minTokens: number;
  readonly onRuleError: (ruleName: string, error: unknown) => void;
}

/** Checks and compiles stop rules. Bad options are refused here, before anything is generated. */
export function defineStopRules(options: StopRuleOptions): StopRules {
  checkOptions(options);
  const { include, caseInsensitive, repetition, ignoreEos = false, minTokens = 0 } = options;
  const { maxTokens, maxReasoningTokens, maxMilliseconds, maxCost, now = Date.now } = options;
  const eosTokenIds = ignoreEos ? [] : (options.eosTokenIds ?? []);
  const stopTokenIds = options.stopTokenIds ?? [];
  return {
    kind: "stop-rules",
    stopStrings: compileStopStrings(options.stop ?? [], { include, caseInsensitive }),
    tokenRules: [
      ...(eosTokenIds.length === 0 ? [] : [createEosRule(eosTokenIds, minTokens)]),
      ...(stopTokenIds.length === 0 ? [] : [createStopTokenRule(stopTokenIds, minTokens)]),
    ],
    repetition: repetition === undefined || repetition === false ? undefined : compileRepetition(repetition),
    budgetRules: [
      ...(options.rules ?? []),
      ...(maxMilliseconds === undefined ? [] : [createDeadline(maxMilliseconds, now)]),
      ...(maxCost === undefined ? [] : [createCostLimit(maxCost)]),
    ],
    maxCharacters: options.maxCharacters,
    limitRules: [
      ...(maxReasoningTokens === undefined ? [] : [createReasoningTokenLimit(maxReasoningTokens)]),
      ...(maxTokens === undefined ? [] : [createTokenLimit(maxTokens)]),
    ],
    maxTokens,
    minTokens,
    onRuleError: options.onRuleError ?? warnOfRule,
  };
}

/** Compiles options; rules that are compiled already pass as they are. */
export function toStopRules(rules: StopRules | StopRuleOptions): StopRules {
  return isCompiled(rules) ? rules : defineStopRules(rules);
}

function isCompiled(rules: StopRules | StopRuleOptions): rules is StopRules {
  return typeof rules === "object" && rules !== null && "kind" in rules;
}

function checkOptions(options: StopRuleOptions): void {
  checkNames("stop rules", options, OPTIONS);
  checkFlag("include", options.include);
  checkFlag("caseInsensitive", options.caseInsensitive);
  checkFlag("ignoreEos", options.ignoreEos);
  checkCount("maxTokens", options.maxTokens, 0);
  checkCount("maxReasoningTokens", options.maxReasoningTokens, 0);
  checkCount("maxCharacters", options.maxCharacters, 0);
  checkCount("minTokens", options.minTokens, 0);
  checkAmount("maxMilliseconds", options.maxMilliseconds);
  checkAmount("maxCost amount", options.maxCost?.amount);
  checkAmount("maxCost perToken", options.maxCost?.perToken);
  checkTokenIds("eosTokenIds", options.eosTokenIds);
  checkTokenIds("stopTokenIds", options.stopTokenIds);
  for (const rule of options.rules ?? []) {
    if (typeof rule?.name !== "string" || typeof rule.start !== "function") {
      throw invalidArgument("rules", "must hold objects with a name and a start function", rule);
    }
  }
}

function warnOfRule(ruleName: string, error: unknown): void {
  console.warn(`fullstop: stop rule "${ruleName}" threw and is switched off for this generation:`, error);
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
  const { maxTokens, repetitionDetection, eosDetection = true } = config;
  checkNames("stopping config", config, { maxTokens: true, repetitionDetection: true, eosDetection: true });
  checkFlag("eosDetection", eosDetection);
  return defineStopRules({ maxTokens, repetition: repetitionDetection, eosTokenIds, ignoreEos: !eosDetection });
}
