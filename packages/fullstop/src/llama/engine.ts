import { checkRequest } from "../check-request.ts";
import type { Engine, Generation, TokenCount } from "../engine.ts";
import { failureSignal } from "./failure.ts";
import { LocalRun } from "./local-run.ts";
import type { RunHost } from "./local-run.ts";
import { ModelLoadError } from "./model-error.ts";
import { createModelLoader } from "./model-loader.ts";
import { checkEngineOptions } from "./options.ts";
import type { LlamaEngineOptions } from "./options.ts";
import { countPrompt } from "./plan.ts";
import { Refusal } from "./refusal.ts";
import type { LlamaRequest } from "./request.ts";
import { Residency } from "./residency.ts";
import type { ResidentModel } from "./resident-model.ts";
import { unrefClock } from "./unref-clock.ts";

/** What is known of a model once it is loaded. */
export interface ModelDescription {
  /** The name of its file. */
  readonly name: string;
  /** The context of each generation, in tokens. */
  readonly contextTokens: number;
  /** Whether it marks its thinking, so that it can be told from the answer and skipped. */
  readonly canThink: boolean;
  readonly canCallTools: boolean;
}

/** What an engine is doing at the moment. */
export interface LlamaStatus {
  readonly isLoaded: boolean;
  /** Generations that are being read and have not ended, those that wait included. */
  readonly live: number;
  /** Generations that wait for others to end. */
  readonly waiting: number;
  /** Places that nobody uses. */
  readonly free: number;
}

/** A model on this machine, as an engine. */
export interface LlamaEngine extends Engine {
  /** Generates an answer; loads the model first if it is not in memory. Without a signal nobody can cancel it. */
  generate(request: LlamaRequest, signal?: AbortSignal): Generation & Required<Pick<Generation, "skipThinking">>;
  /** Counts by the model's own tokenizer and chat template; loads the model first if it is not in memory. */
  countTokens(request: LlamaRequest): Promise<TokenCount>;
  /** Loads the model ahead of the first request, and says what it is. Throws a `ModelLoadError` if it cannot. */
  load(): Promise<ModelDescription>;
  /** Frees the model's memory once its generations are over. The next request loads it again. */
  unload(): Promise<void>;
  status(): LlamaStatus;
  /** Stops whatever generates, with the detail `shutdown`, and frees everything. Nothing can be generated any more. */
  dispose(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Ten minutes. */
const DEFAULT_IDLE = 600_000;

/**
 * Opens an engine on a local model. Nothing is loaded before the first request or `load()`. Up to `sequences`
 * generations run at once and share each batch; more of them wait, first come first served.
 */
export function createLlamaEngine(options: LlamaEngineOptions = {}): LlamaEngine {
  checkEngineOptions(options);
  const { idleMilliseconds = DEFAULT_IDLE, clock = unrefClock, sampling = {}, rules = {} } = options;
  const loader = createModelLoader(options);
  const residency = new Residency<ResidentModel>({
    load: () => loader.load(),
    idleMilliseconds: idleMilliseconds === 0 ? undefined : idleMilliseconds,
    clock,
  });
  const host: RunHost = { residency, defaults: { sampling, rules }, live: new Set() };

  async function dispose(): Promise<void> {
    loader.cancel();
    for (const run of host.live) run.abort("shutdown");
    await residency.close();
    await loader.dispose();
  }

  async function countTokens(request: LlamaRequest): Promise<TokenCount> {
    try {
      checkRequest(request);
      const resident = await residency.use();
      try {
        return { inputTokens: await countPrompt(request, resident) };
      } finally {
        residency.release();
      }
    } catch (error) {
      return { failure: failureSignal(error) };
    }
  }

  return {
    countTokens,
    generate: (request, signal) => new LocalRun(host, request, signal),
    async load() {
      const { name, contextTokens, vocabulary, template } = await residency.use().catch(asLoadError);
      residency.release();
      const canCallTools = vocabulary.toolCalls !== undefined && template.takesTools;
      return { name, contextTokens, canThink: vocabulary.thinking !== undefined, canCallTools };
    },
    unload: () => residency.unload(),
    status: () => ({
      isLoaded: residency.resident !== undefined,
      live: host.live.size,
      waiting: residency.resident?.pool.waiting ?? 0,
      free: residency.resident?.pool.free ?? 0,
    }),
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}

/** Whoever loads a model gets one kind of error, whatever the reason. */
function asLoadError(error: unknown): never {
  throw error instanceof Refusal ? new ModelLoadError("load_failed", error.message, { cause: error }) : error;
}
