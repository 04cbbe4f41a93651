import type { Llama, LlamaGrammar, LlamaGrammarEvaluationState, LlamaModel } from "node-llama-cpp";
import type { OutputShape } from "../request.ts";
import type { LlamaModules } from "./backend.ts";
import { messageOf } from "./message-of.ts";
import { refuse } from "./refusal.ts";

/** Makes the grammars of one model, each fresh for one generation. */
export interface Grammars {
  /** The grammar of an output shape; undefined for plain text. Refuses a shape that has none. */
  forOutput(output: OutputShape): Promise<LlamaGrammarEvaluationState | undefined>;
  /** A grammar that takes any text and no end, so that a model cannot stop yet. */
  withoutEnd(): LlamaGrammarEvaluationState;
}

/** Any character, and then the same again: a text under this rule is never complete. */
const ENDLESS = String.raw`root ::= [\U00000000-\U0010FFFF] root`;

/** Prepares the grammars of a model. */
export function createGrammars(llama: Llama, model: LlamaModel, modules: LlamaModules): Grammars {
  const start = (grammar: LlamaGrammar): LlamaGrammarEvaluationState =>
    new modules.LlamaGrammarEvaluationState({ model, grammar });
  let endless: LlamaGrammar | undefined;
  return {
    async forOutput(output) {
      if (output.type === "text") return undefined;
      try {
        if (output.type === "json") return start(await llama.getGrammarFor("json"));
        const schema = toGrammarSchema(output.schema);
        if (!isSchema(schema)) throw new TypeError("it is no object");
        return start(await llama.createGrammarForJsonSchema(schema));
      } catch (error) {
        throw refuse("invalid_request", `The output schema cannot be made into a grammar: ${messageOf(error)}`);
      }
    },
    withoutEnd() {
      endless ??= new modules.LlamaGrammar(llama, { grammar: ENDLESS });
      return start(endless);
    },
  };
}

/** For a grammar, any of several shapes is one of them, which is the word that node-llama-cpp knows. */
function toGrammarSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toGrammarSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, inner]) => [
      name === "anyOf" && Array.isArray(inner) ? "oneOf" : name,
      toGrammarSchema(inner),
    ]),
  );
}

type GrammarSchema = Parameters<Llama["createGrammarForJsonSchema"]>[0];

function isSchema(schema: unknown): schema is GrammarSchema {
  return typeof schema === "object" && schema !== null && !Array.isArray(schema);
}
