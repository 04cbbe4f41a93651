import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import type { GenerateContentResponse } from "@google/genai";
import OpenAI from "openai";
import { parseJson } from "../../src/wire/json.ts";
import type { Dialect } from "./provider-server.ts";

type Fetch = typeof fetch;

/** What a client makes of an answer. */
interface ClientAnswer {
  readonly id: string | undefined;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  /** Its word for the ending, and the stop string that has matched where it tells. */
  readonly ending: unknown;
  readonly stopSequence?: unknown;
  readonly usage: unknown;
}

/** How a client is asked. */
interface Ask {
  readonly fetch: Fetch;
  readonly baseUrl: string;
  readonly signal?: AbortSignal;
  readonly headers?: Record<string, string>;
}

/** A provider's client, streaming or not. */
export interface TestClient {
  readonly name: string;
  readonly dialect: Dialect;
  readonly isStream: boolean;
  /** The client's words for a stop string, and for a limit. */
  readonly words: { readonly stop: unknown; readonly limit: unknown };
  readonly ask: (ask: Ask) => Promise<ClientAnswer>;
}

const apiKey = "none";
const model = "some-model";
const messages = [{ role: "user" as const, content: "Hi" }];
const tools = { chat: [{ type: "function" as const, function: { name: "weather", parameters: { type: "object" } } }] };

function openai({ fetch, baseUrl, headers }: Ask): OpenAI {
  return new OpenAI({ apiKey, baseURL: baseUrl, fetch, maxRetries: 0, defaultHeaders: headers });
}

function anthropic({ fetch, baseUrl, headers }: Ask): Anthropic {
  return new Anthropic({
    apiKey,
    baseURL: baseUrl.replace(/\/v1$/u, ""),
    fetch,
    maxRetries: 0,
    defaultHeaders: headers,
  });
}

function chatAnswer(completion: OpenAI.ChatCompletion): ClientAnswer {
  const [choice] = completion.choices;
  const { reasoning_content: reasoning = "" } = (choice?.message ?? {}) as { reasoning_content?: string };
  return {
    id: completion.id,
    text: choice?.message.content ?? "",
    reasoning,
    calls: (choice?.message.tool_calls ?? []).flatMap((call) =>
      call.type === "function" ? [{ name: call.function.name, input: parseJson(call.function.arguments) }] : [],
    ),
    ending: choice?.finish_reason,
    usage: completion.usage ?? undefined,
  };
}

async function chatChunks(ask: Ask): Promise<ClientAnswer> {
  let text = "";
  let reasoning = "";
  let ending: unknown;
  let usage: unknown;
  let id: string | undefined;
  const calls: { name: string; json: string }[] = [];
  const body = { model, messages, tools: tools.chat, stream: true as const };
  for await (const chunk of await openai(ask).chat.completions.create(body, { signal: ask.signal })) {
    id ??= chunk.id;
    usage = chunk.usage ?? usage;
    const [choice] = chunk.choices;
    text += choice?.delta.content ?? "";
    reasoning += (choice?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? "";
    for (const { index, function: call } of choice?.delta.tool_calls ?? []) {
      calls[index] ??= { name: call?.name ?? "", json: "" };
      calls[index].json += call?.arguments ?? "";
    }
    ending = choice?.finish_reason ?? ending;
  }
  const read = calls.map(({ name, json }) => ({ name, input: parseJson(json) }));
  return { id, text, reasoning, calls: read, ending, usage };
}

function responseAnswer(response: OpenAI.Responses.Response): ClientAnswer {
  return {
    id: response.id,
    text: response.output
      .flatMap((item) => (item.type === "message" ? item.content : []))
      .map((part) => (part.type === "output_text" ? part.text : ""))
      .join(""),
    reasoning: response.output
      .flatMap((item) => (item.type === "reasoning" ? item.summary : []))
      .map((part) => part.text)
      .join(""),
    calls: response.output.flatMap((item) =>
      item.type === "function_call" ? [{ name: item.name, input: parseJson(item.arguments) }] : [],
    ),
    ending: response.incomplete_details?.reason ?? response.status,
    usage: response.usage ?? undefined,
  };
}

function messageAnswer(message: Anthropic.Message): ClientAnswer {
  return {
    id: message.id,
    text: message.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    reasoning: message.content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
    calls: message.content.flatMap((block) =>
      block.type === "tool_use" ? [{ name: block.name, input: block.input }] : [],
    ),
    ending: message.stop_reason,
    stopSequence: message.stop_sequence ?? undefined,
    usage: message.usage,
  };
}

function geminiAnswer(chunks: readonly GenerateContentResponse[]): ClientAnswer {
  const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
  const textOf = (isThought: boolean): string =>
    parts
      .filter(({ thought }) => (thought === true) === isThought)
      .map((part) => part.text ?? "")
      .join("");
  return {
    id: chunks[0]?.responseId,
    text: textOf(false),
    reasoning: textOf(true),
    calls: parts.flatMap(({ functionCall }) =>
      functionCall === undefined ? [] : [{ name: functionCall.name ?? "", input: functionCall.args }],
    ),
    ending: chunks.at(-1)?.candidates?.[0]?.finishReason,
    usage: chunks.findLast((chunk) => chunk.usageMetadata !== undefined)?.usageMetadata,
  };
}

function genai({ fetch, baseUrl, headers }: Ask): GoogleGenAI {
  const options = { baseUrl: baseUrl.replace(/\/v1$/u, ""), fetch, ...(headers && { headers }) };
  return new GoogleGenAI({ apiKey, httpOptions: options });
}

/** The part of the AI SDK's models that is used here; all providers have it. */
interface AiModel {
  doStream(options: object): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
  doGenerate(options: object): PromiseLike<unknown>;
}

interface AiPart {
  readonly type: string;
  readonly text?: string;
  readonly delta?: string;
  readonly toolName?: string;
  readonly input?: string;
  readonly error?: unknown;
  readonly finishReason?: { readonly unified: string };
  readonly usage?: unknown;
  readonly id?: string;
}

const prompt = [{ role: "user", content: [{ type: "text", text: "Hi" }] }];

async function aiStream(ai: AiModel, ask: Ask): Promise<ClientAnswer> {
  const { stream } = await ai.doStream({ prompt, abortSignal: ask.signal, headers: ask.headers });
  const parts: AiPart[] = [];
  for await (const part of stream) parts.push(part as AiPart);
  const failed = parts.find(({ type }) => type === "error");
  if (failed !== undefined) throw failed.error;
  return aiAnswer(
    parts,
    parts.find(({ type }) => type === "finish"),
  );
}

async function aiWhole(ai: AiModel, ask: Ask): Promise<ClientAnswer> {
  const answer = (await ai.doGenerate({ prompt, abortSignal: ask.signal, headers: ask.headers })) as {
    readonly content: readonly AiPart[];
  } & AiPart;
  return aiAnswer(answer.content, answer);
}

function aiAnswer(parts: readonly AiPart[], end: AiPart | undefined): ClientAnswer {
  const textOf = (...types: readonly string[]): string =>
    parts
      .filter(({ type }) => types.includes(type))
      .map(({ delta, text }) => delta ?? text ?? "")
      .join("");
  return {
    id: undefined,
    text: textOf("text-delta", "text"),
    reasoning: textOf("reasoning-delta", "reasoning"),
    calls: parts
      .filter(({ type }) => type === "tool-call")
      .map(({ toolName = "", input = "" }) => ({ name: toolName, input: parseJson(input) })),
    ending: end?.finishReason?.unified,
    usage: end?.usage,
  };
}

const CHAT = { stop: "stop", limit: "length" };
const RESPONSES = { stop: "completed", limit: "max_output_tokens" };
const MESSAGES = { stop: "stop_sequence", limit: "max_tokens" };
const GEMINI = { stop: "STOP", limit: "MAX_TOKENS" };

function define(
  name: string,
  dialect: Dialect,
  isStream: boolean,
  words: TestClient["words"],
  ask: TestClient["ask"],
): TestClient {
  return { name, dialect, isStream, words, ask };
}

/** Every official client that takes a `fetch`, in every way in which it can be asked. */
export const CLIENTS: readonly TestClient[] = [
  define("openai, chunks", "openai-chat", true, CHAT, chatChunks),
  define("openai, helper", "openai-chat", true, CHAT, async (ask) =>
    chatAnswer(
      await openai(ask)
        .chat.completions.stream({ model, messages, tools: tools.chat }, { signal: ask.signal })
        .finalChatCompletion(),
    ),
  ),
  define("openai, whole", "openai-chat", false, CHAT, async (ask) =>
    chatAnswer(await openai(ask).chat.completions.create({ model, messages }, { signal: ask.signal })),
  ),
  define("openai responses, helper", "openai-responses", true, RESPONSES, async (ask) =>
    responseAnswer(await openai(ask).responses.stream({ model, input: "Hi" }, { signal: ask.signal }).finalResponse()),
  ),
  define("openai responses, whole", "openai-responses", false, RESPONSES, async (ask) =>
    responseAnswer(await openai(ask).responses.create({ model, input: "Hi" }, { signal: ask.signal })),
  ),
  define("anthropic, helper", "anthropic-messages", true, MESSAGES, async (ask) =>
    messageAnswer(
      await anthropic(ask).messages.stream({ model, messages, max_tokens: 900 }, { signal: ask.signal }).finalMessage(),
    ),
  ),
  define("anthropic, whole", "anthropic-messages", false, MESSAGES, async (ask) =>
    messageAnswer(await anthropic(ask).messages.create({ model, messages, max_tokens: 900 }, { signal: ask.signal })),
  ),
  define("genai, chunks", "gemini", true, GEMINI, async (ask) => {
    const config = { ...(ask.signal && { abortSignal: ask.signal }) };
    const chunks: GenerateContentResponse[] = [];
    for await (const chunk of await genai(ask).models.generateContentStream({ model, contents: "Hi", config })) {
      chunks.push(chunk);
    }
    return geminiAnswer(chunks);
  }),
  define("genai, whole", "gemini", false, GEMINI, async (ask) => {
    const config = { ...(ask.signal && { abortSignal: ask.signal }) };
    return geminiAnswer([await genai(ask).models.generateContent({ model, contents: "Hi", config })]);
  }),
  define("AI SDK openai chat, stream", "openai-chat", true, CHAT, (ask) => aiStream(aiOpenai(ask).chat(model), ask)),
  define("AI SDK openai chat, whole", "openai-chat", false, CHAT, (ask) => aiWhole(aiOpenai(ask).chat(model), ask)),
  define("AI SDK openai responses, stream", "openai-responses", true, CHAT, (ask) =>
    aiStream(aiOpenai(ask).responses(model), ask),
  ),
  define("AI SDK openai responses, whole", "openai-responses", false, CHAT, (ask) =>
    aiWhole(aiOpenai(ask).responses(model), ask),
  ),
  define("AI SDK anthropic, stream", "anthropic-messages", true, CHAT, (ask) => aiStream(aiAnthropic(ask), ask)),
  define("AI SDK anthropic, whole", "anthropic-messages", false, CHAT, (ask) => aiWhole(aiAnthropic(ask), ask)),
];

function aiOpenai({ fetch, baseUrl }: Ask): ReturnType<typeof createOpenAI> {
  return createOpenAI({ apiKey, baseURL: baseUrl, fetch });
}

function aiAnthropic({ fetch, baseUrl }: Ask): AiModel {
  return createAnthropic({ apiKey, baseURL: baseUrl, fetch })(model);
}
