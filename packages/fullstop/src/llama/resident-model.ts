import { basename } from "node:path";
import type { Template } from "@huggingface/jinja";
import type {
  Llama,
  LlamaContext,
  LlamaGrammar,
  LlamaGrammarEvaluationState,
  LlamaLogLevel,
  LlamaModel,
  Token,
  getLlama,
} from "node-llama-cpp";
import type { OutputShape } from "../request.ts";
import { createChatTemplate } from "./chat-template.ts";
import type { ChatTemplate } from "./chat-template.ts";
import { createLiteralText } from "./literal-text.ts";
import { Lockstep } from "./lockstep.ts";
import { ModelLoadError } from "./model-error.ts";
import { refuse } from "./refusal.ts";
import { SequencePool } from "./sequence-pool.ts";
import { readVocabulary } from "./vocabulary.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** How a model is put into memory. */
export interface ResidentSettings {
  readonly contextTokens: number | undefined;
  readonly sequences: number;
  readonly queueLimit: number;
  readonly threads: number | undefined;
}

/** A model that is in memory, with everything that its generations share. */
export interface ResidentModel {
  readonly name: string;
  readonly contextTokens: number;
  readonly vocabulary: Vocabulary;
  readonly template: ChatTemplate;
  readonly pool: SequencePool;
  readonly lockstep: Lockstep;
  tokenizePrompt(prompt: string): Token[];
  /** The grammar of an output shape, fresh for one generation. */
  createGrammar(output: OutputShape): Promise<LlamaGrammarEvaluationState | undefined>;
  /** A grammar that takes any text and no end, so that a model cannot stop yet. */
  createEndlessGrammar(): LlamaGrammarEvaluationState;
  /** Frees the memory. Generations must be over. */
  dispose(): Promise<void>;
}

/** The longest context that is set aside for each sequence unless told otherwise. */
const DEFAULT_CONTEXT_TOKENS = 8192;

/** Models below this size are quicker on one thread: more of them only wait for each other. */
const SMALL_MODEL_BYTES = 100_000_000;

/** The pieces of node-llama-cpp and its template engine that are needed as values. */
export interface LlamaModules {
  readonly getLlama: typeof getLlama;
  readonly LlamaLogLevel: typeof LlamaLogLevel;
  readonly LlamaGrammar: typeof LlamaGrammar;
  readonly LlamaGrammarEvaluationState: typeof LlamaGrammarEvaluationState;
  readonly Template: typeof Template;
}

/** Loads a model file. Whatever fails, nothing stays loaded. */
export async function loadResidentModel(
  path: string,
  llama: Llama,
  modules: LlamaModules,
  settings: ResidentSettings,
): Promise<ResidentModel> {
  const model = await llama.loadModel({ modelPath: path });
  try {
    const vocabulary = readVocabulary(model);
    const literal = createLiteralText(vocabulary.markers);
    const template = compileTemplate(model, modules, literal);
    const context = await createContext(model, settings);
    return assemble({ name: basename(path), model, context, vocabulary, template, literal, llama, modules, settings });
  } catch (error) {
    await model.dispose();
    throw error;
  }
}

function compileTemplate(
  model: LlamaModel,
  modules: LlamaModules,
  literal: ReturnType<typeof createLiteralText>,
): ChatTemplate {
  const source = model.fileInfo.metadata.tokenizer.chat_template;
  if (typeof source !== "string" || source.trim() === "") {
    throw new ModelLoadError(
      "no_template",
      `The model file ${model.filename ?? ""} holds no chat template; use a chat model`,
    );
  }
  const tokens = { bos: model.tokens.bosString ?? "", eos: model.tokens.eosString ?? "" };
  try {
    return createChatTemplate(source, new modules.Template(source), tokens, literal);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ModelLoadError("no_template", `The model's chat template cannot be read: ${why}`, { cause });
  }
}

function createContext(model: LlamaModel, settings: ResidentSettings): Promise<LlamaContext> {
  const { sequences, contextTokens = Math.min(model.trainContextSize, DEFAULT_CONTEXT_TOKENS) } = settings;
  const threads = settings.threads ?? (model.size < SMALL_MODEL_BYTES ? 1 : Math.max(1, model.llama.cpuMathCores - 1));
  return model.createContext({ contextSize: contextTokens, sequences, threads });
}

interface Parts {
  readonly name: string;
  readonly model: LlamaModel;
  readonly context: LlamaContext;
  readonly vocabulary: Vocabulary;
  readonly template: ChatTemplate;
  readonly literal: ReturnType<typeof createLiteralText>;
  readonly llama: Llama;
  readonly modules: LlamaModules;
  readonly settings: ResidentSettings;
}

function assemble(parts: Parts): ResidentModel {
  const { name, model, context, vocabulary, template, literal, llama, modules, settings } = parts;
  const start = (grammar: LlamaGrammar): LlamaGrammarEvaluationState =>
    new modules.LlamaGrammarEvaluationState({ model, grammar });
  let endless: LlamaGrammar | undefined;
  return {
    name,
    // A context is padded to a round size; what was asked for counts.
    contextTokens: Math.min(settings.contextTokens ?? Number.POSITIVE_INFINITY, context.contextSize),
    vocabulary,
    template,
    pool: new SequencePool(context, settings.queueLimit),
    lockstep: new Lockstep(),
    tokenizePrompt: (prompt) => literal.parts(prompt).flatMap((part) => vocabulary.tokenize(part)),
    async createGrammar(output) {
      if (output.type === "text") return undefined;
      try {
        if (output.type === "json") return start(await llama.getGrammarFor("json"));
        if (!isSchema(output.schema)) throw new TypeError("it is no object");
        return start(await llama.createGrammarForJsonSchema(output.schema));
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw refuse("invalid_request", `The output schema cannot be made into a grammar: ${why}`);
      }
    },
    createEndlessGrammar() {
      endless ??= new modules.LlamaGrammar(llama, { grammar: ENDLESS });
      return start(endless);
    },
    async dispose() {
      await context.dispose();
      await model.dispose();
    },
  };
}

type GrammarSchema = Parameters<Llama["createGrammarForJsonSchema"]>[0];

/** Whether a schema can be handed on. What a grammar cannot express of it, node-llama-cpp leaves open. */
function isSchema(schema: unknown): schema is GrammarSchema {
  return typeof schema === "object" && schema !== null && !Array.isArray(schema);
}

/** Any character, and then the same again: a text under this rule is never complete. */
const ENDLESS = String.raw`root ::= [\U00000000-\U0010FFFF] root`;
