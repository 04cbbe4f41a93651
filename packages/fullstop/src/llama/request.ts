import { checkAmount, checkCount, checkFlag, checkNames } from "../check.ts";
import { invalidArgument } from "../errors.ts";
import type { GenerationRequest, ReasoningSettings, SamplingSettings } from "../request.ts";
import type { RequestRules } from "../stop/request-rules.ts";

/** How a local model chooses its next token. */
export interface LlamaSampling extends SamplingSettings {
  /** Leaves out tokens less likely than this part of the likeliest one, from 0 to 1. */
  readonly minP?: number | undefined;
  /** Makes the tokens written last less likely; 1 changes nothing. */
  readonly repeatPenalty?: number | undefined;
}

/** How much a local model thinks. */
export interface LlamaReasoning extends ReasoningSettings {
  /** A sentence the thinking ends with when it is broken off, by its budget or by `skipThinking`. Default none. */
  readonly lastWords?: string | undefined;
}

/** Stop rules for a local model. Its end tokens are known, and the token limit is the request's `maxOutputTokens`. */
export type LlamaRules = RequestRules;

/** What a local model can be asked beyond what every provider understands. */
export interface LlamaRequest extends GenerationRequest {
  readonly sampling?: LlamaSampling | undefined;
  readonly reasoning?: LlamaReasoning | undefined;
  /** Stop rules beyond `stop` and `maxOutputTokens`, such as `repetition`, `ignoreEos`, `minTokens`, `stopTokenIds`. */
  readonly rules?: LlamaRules | undefined;
}

const SAMPLING = {
  temperature: true,
  topP: true,
  topK: true,
  minP: true,
  presencePenalty: true,
  frequencyPenalty: true,
  repeatPenalty: true,
  seed: true,
} as const satisfies Record<keyof LlamaSampling, true>;

/** Refuses sampling settings that mean nothing. */
export function checkSampling(sampling: LlamaSampling): void {
  checkNames("sampling", sampling, SAMPLING);
  for (const name of ["temperature", "topP", "minP"] as const) checkAmount(name, sampling[name]);
  for (const name of ["topK", "seed"] as const) checkCount(name, sampling[name], 0);
  for (const name of ["presencePenalty", "frequencyPenalty", "repeatPenalty"] as const) {
    const penalty = sampling[name];
    if (penalty !== undefined && !Number.isFinite(penalty)) throw invalidArgument(name, "must be a number", penalty);
  }
  const { repeatPenalty = 1 } = sampling;
  if (repeatPenalty <= 0) throw invalidArgument("repeatPenalty", "must be greater than 0", repeatPenalty);
}

const REASONING = {
  effort: true,
  budgetTokens: true,
  show: true,
  effortOnly: true,
  lastWords: true,
} as const satisfies Record<keyof LlamaReasoning, true>;

/** Refuses settings of the thinking that mean nothing. */
export function checkReasoning(reasoning: LlamaReasoning): void {
  checkNames("reasoning", reasoning, REASONING);
  checkCount("budgetTokens", reasoning.budgetTokens, 0);
  for (const name of ["show", "effortOnly"] as const) checkFlag(name, reasoning[name]);
  for (const name of ["effort", "lastWords"] as const) {
    const value = reasoning[name];
    if (value !== undefined && typeof value !== "string") throw invalidArgument(name, "must be a string", value);
  }
}

/** Puts settings over others. A field that is undefined says nothing. */
export function putOver<T extends object>(defaults: T, given: T | undefined): T {
  const said = Object.entries(given ?? {}).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(said) };
}
