import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import type { GenerateContentResponse } from "@google/genai";
import OpenAI from "openai";
import { parseJson } from "../../src/wire/json.ts";
import { define } from "./fetch-client.ts";
import type { Ask, ClientAnswer, TestClient } from "./fetch-client.ts";

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

const CHAT = { stop: "stop", limit: "length" };
const RESPONSES = { stop: "completed", limit: "max_output_tokens" };
const MESSAGES = { stop: "stop_sequence", limit: "max_tokens" };
const GEMINI = { stop: "STOP", limit: "MAX_TOKENS" };

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
];
