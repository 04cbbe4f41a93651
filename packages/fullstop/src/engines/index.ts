export { DEFAULT_TIMEOUTS } from "./connection.ts";
export type { Timeouts } from "./connection.ts";
export type { Fetch, FetchAnswer } from "./fetch.ts";
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
export type { KnownProvider, OpenaiCompatibleOptions, ProviderOptions } from "./providers.ts";
export { createRemoteEngine } from "./remote.ts";
export type { RemoteEngine, RemoteEngineOptions, RemoteRequest } from "./remote.ts";
export type { ProviderHeaders, ProviderPaths } from "./routes.ts";
