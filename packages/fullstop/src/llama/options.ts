import type { Llama } from "node-llama-cpp";
import { checkCount, checkFlag, checkFunction, checkNames } from "../check.ts";
import type { Clock } from "../clock.ts";
import { invalidArgument } from "../errors.ts";
import type { DownloadProgress } from "./model-download.ts";
import { compileRules } from "../stop/request-rules.ts";
import { checkSampling } from "./request.ts";
import type { LlamaRules, LlamaSampling } from "./request.ts";

/** Which model to run, and how. */
export interface LlamaEngineOptions {
  /**
   * `"pip"` for the embedded model, the path of a GGUF file, or one to download: `hf:user/model:quant`,
   * `hf:user/model/file.gguf`, or an address. Default `"pip"`.
   */
  readonly model?: string | undefined;
  /** The context of each generation, in tokens. Default: what the model was trained on, at most 8,192. */
  readonly contextTokens?: number | undefined;
  /** How many generations run at once. Each takes memory for a context of its own. Default 4. */
  readonly sequences?: number | undefined;
  /** How many more may wait for their turn before a request is refused as `overloaded`. Default 64. */
  readonly queueLimit?: number | undefined;
  /**
   * Threads to compute with. llama.cpp's threads wait by spinning, so a thread too many slows everything down.
   * Default: one for a small model such as Pip, else one fewer than there are cores.
   */
  readonly threads?: number | undefined;
  /** Whether to use a graphics card where there is one. Default: not for Pip, else true. */
  readonly gpu?: boolean | undefined;
  /** Frees the model's memory when it has not been used for this long; 0 keeps it. Default ten minutes. */
  readonly idleMilliseconds?: number | undefined;
  /** How tokens are chosen where a request does not say. Default: always the likeliest one. */
  readonly sampling?: LlamaSampling | undefined;
  /** Stop rules for every request; a request's own rules come before them, field by field. */
  readonly rules?: LlamaRules | undefined;
  /** Where downloaded models are kept. Default: the folder that node-llama-cpp uses for all programs of this user. */
  readonly directory?: string | undefined;
  /** An access token for models that Hugging Face does not give to everybody. */
  readonly token?: string | undefined;
  /** Told how a download gets on. Default: a progress bar on stderr. */
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
  /** A llama.cpp of the caller's own making, such as one built for its machine. The engine does not dispose of it. */
  readonly llama?: Llama | undefined;
  /** Time, for tests. */
  readonly clock?: Clock | undefined;
}

const OPTIONS = {
  model: true,
  contextTokens: true,
  sequences: true,
  queueLimit: true,
  threads: true,
  gpu: true,
  idleMilliseconds: true,
  sampling: true,
  rules: true,
  directory: true,
  token: true,
  onProgress: true,
  llama: true,
  clock: true,
} as const satisfies Record<keyof LlamaEngineOptions, true>;

/** The smallest context that leaves room for a question and an answer. */
const LEAST_CONTEXT = 64;

/** Refuses options that mean nothing, before anything is loaded. */
export function checkEngineOptions(options: LlamaEngineOptions): void {
  checkNames("llama engine", options, OPTIONS);
  const { model = "pip" } = options;
  if (typeof model !== "string" || model === "") {
    throw invalidArgument("model", 'must be "pip", a path, or something to download', model);
  }
  checkCount("contextTokens", options.contextTokens, LEAST_CONTEXT);
  for (const name of ["sequences", "threads"] as const) checkCount(name, options[name], 1);
  for (const name of ["queueLimit", "idleMilliseconds"] as const) checkCount(name, options[name], 0);
  checkFlag("gpu", options.gpu);
  checkFunction("onProgress", options.onProgress);
  if (options.sampling !== undefined) checkSampling(options.sampling);
  if (options.rules !== undefined) compileRules(options.rules, {});
}
