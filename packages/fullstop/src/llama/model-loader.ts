import { createBackend } from "./backend.ts";
import type { Backend } from "./backend.ts";
import { messageOf } from "./message-of.ts";
import { ModelLoadError } from "./model-error.ts";
import type { ModelLoadErrorKind } from "./model-error.ts";
import { locateModel } from "./model-file.ts";
import type { LlamaEngineOptions } from "./options.ts";
import { createProgressBar } from "./progress-bar.ts";
import { loadResidentModel } from "./resident-model.ts";
import type { ResidentModel } from "./resident-model.ts";

/** Finds a model, starts llama.cpp and puts the one into the other, as often as it is asked to. */
export interface ModelLoader {
  load(): Promise<ResidentModel>;
  /** Breaks a download off. Nothing can be downloaded any more. */
  cancel(): void;
  /** Gives llama.cpp back. Models must be gone before. */
  dispose(): Promise<void>;
}

const DEFAULT_SEQUENCES = 4;
const DEFAULT_QUEUE_LIMIT = 64;

/** Prepares to load the model of an engine. llama.cpp is started once, with the first load. */
export function createModelLoader(options: LlamaEngineOptions): ModelLoader {
  const {
    model = "pip",
    sequences = DEFAULT_SEQUENCES,
    queueLimit = DEFAULT_QUEUE_LIMIT,
    gpu = model !== "pip",
  } = options;
  const disposal = new AbortController();
  let backend: Promise<Backend> | undefined;

  function startBackend(): Promise<Backend> {
    const starting = createBackend(options.llama, gpu);
    backend = starting;
    starting.catch(() => {
      backend = undefined;
    });
    return starting;
  }

  async function locate(): Promise<string> {
    const { directory, token, onProgress } = options;
    const settings = { directory, token, signal: disposal.signal };
    if (onProgress !== undefined) return locateModel(model, { ...settings, onProgress });
    const bar = createProgressBar(process.stderr);
    try {
      return await locateModel(model, { ...settings, onProgress: bar.onProgress });
    } finally {
      bar.end();
    }
  }

  return {
    async load() {
      const path = await locate();
      const started = await (backend ?? startBackend());
      started.takeComplaints();
      const { contextTokens, threads } = options;
      try {
        return await loadResidentModel(path, started.llama, started.modules, {
          contextTokens,
          threads,
          sequences,
          queueLimit,
        });
      } catch (cause) {
        if (cause instanceof ModelLoadError) throw cause;
        // What llama.cpp has to say about it takes its own way here and comes a moment later.
        await new Promise((resolve) => setImmediate(resolve));
        const why = [messageOf(cause), started.takeComplaints()].filter(Boolean).join(": ");
        throw new ModelLoadError(kindOf(cause), `The model ${path} cannot be loaded: ${why}`, { cause });
      }
    },
    cancel: () => disposal.abort(),
    async dispose() {
      await (await backend)?.dispose();
    },
  };
}

function kindOf(error: unknown): ModelLoadErrorKind {
  return error instanceof Error && error.constructor.name === "InsufficientMemoryError"
    ? "out_of_memory"
    : "load_failed";
}
