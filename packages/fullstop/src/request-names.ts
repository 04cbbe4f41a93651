import type { GenerationRequest } from "./request.ts";

/** The names of fields that are read. */
export type Names = Readonly<Record<string, true>>;

/** What a request may say, by where it says it. */
export interface RequestNames {
  readonly request: Names;
  readonly sampling: Names;
  readonly reasoning: Names;
}

/** What every engine understands. */
const COMMON = {
  request: {
    model: true,
    messages: true,
    stream: true,
    tools: true,
    toolChoice: true,
    parallelToolCalls: true,
    reasoning: true,
    stop: true,
    maxOutputTokens: true,
    sampling: true,
    output: true,
    metadata: true,
    store: true,
    streamUsage: true,
    user: true,
    native: true,
  } satisfies Record<keyof GenerationRequest, true>,
  sampling: {
    temperature: true,
    topP: true,
    topK: true,
    presencePenalty: true,
    frequencyPenalty: true,
    seed: true,
  } satisfies Record<keyof NonNullable<GenerationRequest["sampling"]>, true>,
  reasoning: { effort: true, budgetTokens: true, show: true, effortOnly: true } satisfies Record<
    keyof NonNullable<GenerationRequest["reasoning"]>,
    true
  >,
} as const;

const REQUEST: Names = { ...COMMON.request, rules: true, onWarning: true };

/** What a request to a provider may say. */
export const REMOTE_NAMES: RequestNames = { ...COMMON, request: REQUEST };

/** What a request may say to some engine or other: a model on this machine understands all of it. */
export const ANY_NAMES: RequestNames = {
  request: REQUEST,
  sampling: { ...COMMON.sampling, minP: true, repeatPenalty: true },
  reasoning: { ...COMMON.reasoning, lastWords: true },
};

/** What is meant by names that other libraries have for the same things. */
export const MEANT: Readonly<Record<string, string>> = {
  maxTokens: "maxOutputTokens",
  max_tokens: "maxOutputTokens",
  maxCompletionTokens: "maxOutputTokens",
  stopSequences: "stop",
  stop_sequences: "stop",
  temperature: "sampling.temperature",
  topP: "sampling.topP",
  topK: "sampling.topK",
  seed: "sampling.seed",
  system: 'a message with the role "system"',
  prompt: "messages",
  input: "messages",
  responseFormat: "output",
};
