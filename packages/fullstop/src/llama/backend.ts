import type { Template } from "@huggingface/jinja";
import type { Llama, LlamaGrammar, LlamaGrammarEvaluationState, LlamaLogLevel, getLlama } from "node-llama-cpp";
import { messageOf } from "./message-of.ts";
import { ModelLoadError } from "./model-error.ts";

/** The pieces of node-llama-cpp and its template engine that are needed as values. */
export interface LlamaModules {
  readonly getLlama: typeof getLlama;
  readonly LlamaLogLevel: typeof LlamaLogLevel;
  readonly LlamaGrammar: typeof LlamaGrammar;
  readonly LlamaGrammarEvaluationState: typeof LlamaGrammarEvaluationState;
  readonly Template: typeof Template;
}

/** llama.cpp as it runs in this process. */
export interface Backend {
  readonly llama: Llama;
  readonly modules: LlamaModules;
  /** What llama.cpp has complained about since the last call; its errors say only that something failed. */
  takeComplaints(): string;
  dispose(): Promise<void>;
}

/** How many of the last complaints are kept. */
const KEPT_COMPLAINTS = 3;

/** Starts llama.cpp, or takes the one it is given, which then stays its owner's. */
export async function createBackend(given: Llama | undefined, gpu: boolean): Promise<Backend> {
  const modules = await importModules();
  const complaints: string[] = [];
  const logger = (_level: LlamaLogLevel, message: string): void => {
    complaints.push(message.trim());
    complaints.splice(0, complaints.length - KEPT_COMPLAINTS);
  };
  const llama = given ?? (await start(modules, gpu, logger));
  return {
    llama,
    modules,
    takeComplaints: () => complaints.splice(0).join("; "),
    async dispose() {
      if (given === undefined) await llama.dispose();
    },
  };
}

/** The packages are optional, so that whoever uses no local model need not install them. */
async function importModules(): Promise<LlamaModules> {
  try {
    const [llamaCpp, { Template }] = await Promise.all([import("node-llama-cpp"), import("@huggingface/jinja")]);
    return { ...llamaCpp, Template };
  } catch (cause) {
    const advice = "run npm install node-llama-cpp @huggingface/jinja";
    throw new ModelLoadError("backend_missing", `Local models need two more packages: ${advice}`, { cause });
  }
}

async function start(
  modules: LlamaModules,
  gpu: boolean,
  logger: (level: LlamaLogLevel, message: string) => void,
): Promise<Llama> {
  try {
    return await modules.getLlama({
      gpu: gpu ? "auto" : false,
      // Compiling llama.cpp is nothing to begin in the middle of a request.
      build: "never",
      progressLogs: false,
      logLevel: modules.LlamaLogLevel.error,
      logger,
    });
  } catch (cause) {
    throw new ModelLoadError("backend_missing", `llama.cpp does not run on this machine: ${messageOf(cause)}`, {
      cause,
    });
  }
}
