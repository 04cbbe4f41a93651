export { createLlamaEngine } from "./engine.ts";
export type { LlamaEngine, LlamaStatus, ModelDescription } from "./engine.ts";
export type { DownloadProgress } from "./model-download.ts";
export { ModelLoadError } from "./model-error.ts";
export type { ModelLoadErrorKind } from "./model-error.ts";
export type { LlamaEngineOptions } from "./options.ts";
export { createProgressBar } from "./progress-bar.ts";
export type { LlamaReasoning, LlamaRequest, LlamaRules, LlamaSampling } from "./request.ts";
