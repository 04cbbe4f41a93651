import { checkAmount, checkCount, checkNames } from "../check.ts";
import type { GenerationRequest, ReasoningSettings, SamplingSettings } from "../request.ts";
import type { StopRuleOptions } from "../stop/stop-rules.ts";

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
export type LlamaRules = Omit<StopRuleOptions, "eosTokenIds" | "maxTokens" | "stop"> & {
  /** In addition to the request's own. */
  readonly stop?: StopRuleOptions["stop"];
};

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
  for (const name of ["temperature", "topP", "minP", "repeatPenalty"] as const) checkAmount(name, sampling[name]);
  for (const name of ["topK", "seed"] as const) checkCount(name, sampling[name], 0);
}
