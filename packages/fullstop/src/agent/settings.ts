import { checkAmount, checkCount, checkNames } from "../check.ts";
import { invalidArgument } from "../errors.ts";
import type { StopRuleOptions } from "../stop/stop-rules.ts";

/** What is said to the model when something has gone wrong. Each is a setting, because models differ in what they heed. */
export interface AgentWording {
  /** After an answer without text and calls. */
  readonly emptyAnswer: string;
  /** After an answer that announced a call and made none. */
  readonly missingCall: string;
  /** About a call that could not be read; the problem follows. */
  readonly malformedCall: string;
  /** The result of a call that the output limit has cut. */
  readonly cutCall: string;
  /** After the same calls with the same results, three times. */
  readonly repeatedCalls: string;
  /** Told once after a stop, with the next message; `detail` says who or what has stopped the run. */
  readonly interruption: (detail: string) => string;
  /** Asks for the rest of an answer that was cut: the end of what came is given. */
  readonly continuation?: ((tail: string) => string) | string | undefined;
}

/** The words that are used unless others are given. */
export const AGENT_WORDING: AgentWording = {
  emptyAnswer: "Your last answer was empty. Answer the question above, or call a tool.",
  missingCall: "You said that you would call a tool and did not. Call it now, or answer without it.",
  malformedCall: "The arguments of the tool call could not be read. Call the tool again with valid JSON arguments.",
  cutCall:
    "This call was cut off by the output limit and was not run. Call the tool again with shorter arguments, or in several steps.",
  repeatedCalls:
    "You have made the same tool calls with the same results several times. Do something else, or answer with what you know.",
  interruption: (detail) =>
    detail === "user" || detail === "new_message"
      ? "The user interrupted the previous answer on purpose."
      : `The previous answer was interrupted (${detail}).`,
};

/** How a run behaves where the defaults do not fit. */
export interface AgentSettings {
  /** The output limit after it was raised once. Default 16,384. */
  readonly raisedOutputTokens: number;
  /** How long a tool may take to heed a stop. Default 250. */
  readonly graceMilliseconds: number;
  /** The wait before the first retry; it doubles from one to the next. Default 500. */
  readonly retryMilliseconds: number;
  /** The longest wait before a retry, whatever the provider asks for. Default 30,000. */
  readonly maxRetryMilliseconds: number;
  /**
   * Where an answer that was cut is taken up again. `character`: right behind what came, as the default wording asks
   * for. `word`: the last word is taken back first, for models that cannot go on in the middle of one and write it
   * again. Default `character`.
   */
  readonly resumeAt: "character" | "word";
  readonly wording: AgentWording;
}

/** The settings of a run, and what of its request matters between two answers. */
export interface StepSettings extends AgentSettings {
  /** The stop strings of the request: an answer that is to be completed must not end in the middle of one. */
  readonly stopRules?: Pick<StopRuleOptions, "stop" | "caseInsensitive"> | undefined;
  /** How long a text may be, also one that is put together from several answers. */
  readonly maxCharacters?: number | undefined;
  /** Whether an answer cannot be put together from several, because its output has a shape. */
  readonly isOnePiece?: boolean | undefined;
}

const DEFAULTS: AgentSettings = {
  raisedOutputTokens: 16_384,
  graceMilliseconds: 250,
  retryMilliseconds: 500,
  maxRetryMilliseconds: 30_000,
  resumeAt: "character",
  wording: AGENT_WORDING,
};

const NAMES: Readonly<Record<keyof AgentSettings, true>> = {
  raisedOutputTokens: true,
  graceMilliseconds: true,
  retryMilliseconds: true,
  maxRetryMilliseconds: true,
  resumeAt: true,
  wording: true,
};

/** Settings as a caller gives them: any of them may be left out. */
export type AgentSettingOptions = Partial<Omit<AgentSettings, "wording">> & {
  readonly wording?: Partial<AgentWording> | undefined;
};

/** Fills in what was left out and refuses what cannot be. */
export function defineAgentSettings(options: AgentSettingOptions = {}): AgentSettings {
  checkNames("settings", options, NAMES);
  checkCount("settings raisedOutputTokens", options.raisedOutputTokens, 1);
  checkAmount("settings graceMilliseconds", options.graceMilliseconds);
  checkAmount("settings retryMilliseconds", options.retryMilliseconds);
  checkAmount("settings maxRetryMilliseconds", options.maxRetryMilliseconds);
  if (!["character", "word", undefined].includes(options.resumeAt)) {
    throw invalidArgument("settings resumeAt", 'must be "character" or "word"', options.resumeAt);
  }
  if (options.wording !== undefined) checkWording(options.wording);
  const { wording, ...others } = options;
  return {
    ...DEFAULTS,
    ...withoutUndefined(others),
    wording: { ...AGENT_WORDING, ...withoutUndefined(wording ?? {}) },
  };
}

const WORDING: Readonly<Record<keyof AgentWording, "text" | "function" | "either">> = {
  emptyAnswer: "text",
  missingCall: "text",
  malformedCall: "text",
  cutCall: "text",
  repeatedCalls: "text",
  interruption: "function",
  continuation: "either",
};

const WORDING_NAMES: Readonly<Record<string, true>> = Object.fromEntries(
  Object.keys(WORDING).map((name) => [name, true] as const),
);

function checkWording(wording: Partial<AgentWording>): void {
  checkNames("settings wording", wording, WORDING_NAMES);
  const given = new Map<string, unknown>(Object.entries(wording));
  for (const [name, kind] of Object.entries(WORDING)) {
    const words = given.get(name);
    const isText = typeof words === "string" && kind !== "function";
    if (words === undefined || isText || (typeof words === "function" && kind !== "text")) continue;
    const rule = { text: "must be a text", function: "must be a function", either: "must be a text or a function" };
    throw invalidArgument(`settings wording ${name}`, rule[kind], words);
  }
}

/** Options that were given. One that is undefined was not. */
export function withoutUndefined<T extends object>(options: T): Partial<{ [Name in keyof T]: NonNullable<T[Name]> }> {
  const given: Partial<{ [Name in keyof T]: NonNullable<T[Name]> }> = {};
  return Object.assign(given, Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)));
}
