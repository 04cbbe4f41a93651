import { basename } from "node:path";
import type { Llama, LlamaContext, LlamaModel, Token } from "node-llama-cpp";
import type { LlamaModules } from "./backend.ts";
import { createChatTemplate } from "./chat-template.ts";
import type { ChatTemplate } from "./chat-template.ts";
import { createGrammars } from "./grammars.ts";
import type { Grammars } from "./grammars.ts";
import { createLiteralText } from "./literal-text.ts";
import type { LiteralText } from "./literal-text.ts";
import { Lockstep } from "./lockstep.ts";
import { messageOf } from "./message-of.ts";
import { ModelLoadError } from "./model-error.ts";
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
  readonly grammars: Grammars;
  readonly literal: LiteralText;
  /** The tokens of a text in which markers count, but for what was protected as literal. */
  readonly tokenize: (text: string) => Token[];
  /** Frees the memory. Generations must be over. */
  dispose(): Promise<void>;
}

/** The longest context that is set aside for each sequence unless told otherwise. */
const DEFAULT_CONTEXT_TOKENS = 8192;

/** Models below this size are quicker on one thread: more of them only wait for each other. */
const SMALL_MODEL_BYTES = 100_000_000;

/** Loads a model file. Whatever fails, nothing stays loaded. */
export async function loadResidentModel(
  path: string,
  llama: Llama,
  modules: LlamaModules,
  settings: ResidentSettings,
): Promise<ResidentModel> {
  const model = await llama.loadModel({ modelPath: path });
  try {
    const source = templateOf(model);
    const vocabulary = readVocabulary(model, source);
    const literal = createLiteralText(vocabulary.markers);
    const template = compileTemplate(source, model, modules, literal);
    const context = await createContext(model, settings);
    return assemble({ name: basename(path), model, context, vocabulary, template, literal, llama, modules, settings });
  } catch (error) {
    await model.dispose();
    throw error;
  }
}

function templateOf({ fileInfo, filename = "" }: LlamaModel): string {
  const source = fileInfo.metadata.tokenizer.chat_template;
  if (typeof source === "string" && source.trim() !== "") return source;
  throw new ModelLoadError("no_template", `The model file ${filename} holds no chat template; use a chat model`);
}

function compileTemplate(
  source: string,
  { tokens }: LlamaModel,
  modules: LlamaModules,
  literal: LiteralText,
): ChatTemplate {
  const named = { bos: tokens.bosString ?? "", eos: tokens.eosString ?? "" };
  try {
    return createChatTemplate(source, new modules.Template(source), named, literal);
  } catch (cause) {
    throw new ModelLoadError("no_template", `The model's chat template cannot be read: ${messageOf(cause)}`, { cause });
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
  readonly literal: LiteralText;
  readonly llama: Llama;
  readonly modules: LlamaModules;
  readonly settings: ResidentSettings;
}

function assemble(parts: Parts): ResidentModel {
  const { name, model, context, vocabulary, template, literal, llama, modules, settings } = parts;
  return {
    name,
    // A context is padded to a round size; what was asked for counts.
    contextTokens: Math.min(settings.contextTokens ?? Number.POSITIVE_INFINITY, context.contextSize),
    vocabulary,
    template,
    pool: new SequencePool(context, settings.queueLimit),
    lockstep: new Lockstep(),
    grammars: createGrammars(llama, model, modules),
    literal,
    tokenize: (text) => literal.parts(text).flatMap((part) => model.tokenize(part, true)),
    async dispose() {
      await context.dispose();
      await model.dispose();
    },
  };
}
