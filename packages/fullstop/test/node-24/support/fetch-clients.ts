import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { parseJson } from "../../../src/wire/json.ts";
import { define } from "../../support/fetch-client.ts";
import type { Ask, ClientAnswer, TestClient } from "../../support/fetch-client.ts";
import { CollectedContent } from "../../../src/adapters/ai-sdk/collected-content.ts";
import { MODELS } from "./models.ts";

const WORDS = { stop: "stop", limit: "length" };

function optionsOf({ signal, headers }: Ask): LanguageModelV4CallOptions {
  return {
    prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
    ...(signal && { abortSignal: signal }),
    ...(headers && { headers }),
  };
}

async function askForStream(model: LanguageModelV4, ask: Ask): Promise<ClientAnswer> {
  const { stream } = await model.doStream(optionsOf(ask));
  const collected = new CollectedContent();
  let end: { readonly finishReason: LanguageModelV4FinishReason; readonly usage: LanguageModelV4Usage } | undefined;
  for await (const part of stream) {
    if (part.type === "error") throw part.error;
    if (part.type === "finish") end = part;
    collected.push(part);
  }
  return toAnswer(collected.content, end?.finishReason, end?.usage);
}

async function askForWhole(model: LanguageModelV4, ask: Ask): Promise<ClientAnswer> {
  const { content, finishReason, usage } = await model.doGenerate(optionsOf(ask));
  return toAnswer(content, finishReason, usage);
}

function toAnswer(
  content: readonly LanguageModelV4Content[],
  finishReason: LanguageModelV4FinishReason | undefined,
  usage: LanguageModelV4Usage | undefined,
): ClientAnswer {
  const textOf = (wanted: "text" | "reasoning"): string =>
    content.map((part) => (part.type === wanted && "text" in part ? part.text : "")).join("");
  return {
    id: undefined,
    text: textOf("text"),
    reasoning: textOf("reasoning"),
    calls: content.flatMap((part) =>
      part.type === "tool-call" ? [{ name: part.toolName, input: parseJson(part.input) }] : [],
    ),
    ending: finishReason?.unified,
    usage,
  };
}

/** The SDK's official providers as clients that take a `fetch`. */
export const AI_SDK_CLIENTS: readonly TestClient[] = MODELS.flatMap(({ name, dialect, create }) => [
  define(`AI SDK ${name}, stream`, dialect, true, WORDS, (ask) => askForStream(create(ask.baseUrl, ask.fetch), ask)),
  define(`AI SDK ${name}, whole`, dialect, false, WORDS, (ask) => askForWhole(create(ask.baseUrl, ask.fetch), ask)),
]);
