export { callableTools } from "../callable-tools.ts";
export type { CallableTools, PlainToolChoice } from "../callable-tools.ts";
export { DEFAULT_TIMEOUTS } from "./connection.ts";
export type { Timeouts } from "./connection.ts";
export type { DeliveredBytes, Fetch, FetchAnswer } from "./fetch.ts";
export { createGatewayEngine } from "./gateway.ts";
export type { GatewayEngineOptions } from "./gateway.ts";
export { countsFirst } from "./counts-first.ts";
export type { RemoteRequest, RemoteRules } from "./plan-request.ts";
export { defineProvider } from "./provider.ts";
export type { Provider } from "./provider.ts";
export {
  anthropic,
  deepseek,
  gemini,
  groq,
  mistral,
  ollama,
  openai,
  openaiCompatible,
  openaiResponses,
  openrouter,
  together,
  xai,
} from "./providers.ts";
export type { KnownProvider, OllamaOptions, OpenaiCompatibleOptions, ProviderOptions } from "./providers.ts";
export { refusedStreamWish } from "./refused-stream.ts";
export { createRemoteEngine } from "./remote.ts";
export type { RemoteEngine, RemoteEngineOptions } from "./remote.ts";
export type { ProviderHeaders, ProviderPaths } from "./routes.ts";
export { createSkippableEngine } from "./skippable.ts";
export type { SkippableEngineOptions } from "./skippable.ts";
export type { LeaveThinking } from "./skippable-generation.ts";
export { isRefusedRequest, requestsWithoutThinking } from "./without-thinking.ts";
export {
  CHARACTERS_PER_TOKEN,
  addUsage,
  charactersOf,
  estimateInputTokens,
  estimateUsage,
  settleUsage,
  totalCharacters,
} from "../usage.ts";
