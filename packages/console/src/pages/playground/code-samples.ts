import { aiMessages, anthropicMessages } from "./code-messages.ts";
import { chatRequestOf, stopSettingsOf } from "./settings.ts";
import type { ChatRequest, PlaygroundSettings, StopSettings } from "./settings.ts";
import type { Turn } from "./turn.ts";

/** The ways in which a request can be written down. */
export const CODE_KINDS = ["curl", "openai", "anthropic", "ai"] as const;

/** One of them. */
export type CodeKind = (typeof CODE_KINDS)[number];

/** How many tokens Anthropic's dialect asks for where nobody has said it; it cannot be left out there. */
const ANTHROPIC_TOKENS = 1024;

/** Writes the same request for a client. */
export function writeCode(
  kind: CodeKind,
  origin: string,
  settings: PlaygroundSettings,
  turns: readonly Turn[],
): string {
  const request = chatRequestOf(settings, turns);
  const fullstop = stopSettingsOf(settings);
  const writers: Readonly<Record<CodeKind, () => string>> = {
    curl: () => curl(origin, { ...request, stream: true, fullstop }),
    openai: () => openai(origin, { ...request, stream: true }, fullstop),
    anthropic: () => anthropic(origin, request, fullstop),
    ai: () => ai(origin, request, fullstop),
  };
  return writers[kind]();
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

/** The header with the stop settings, as code. Letters that no header can hold are written as escapes of JSON. */
function settingsHeader(fullstop: StopSettings): string {
  const text = JSON.stringify(fullstop);
  // Unit by unit, without the flag u: that is what JSON has escapes for.
  const escaped = text.replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const value = escaped === text ? `JSON.stringify(${json(fullstop)})` : JSON.stringify(escaped);
  return `{ "x-fullstop-settings": ${value} }`;
}

/** Text within single quotes of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function curl(origin: string, body: object): string {
  return `curl ${origin}/v1/chat/completions \\
  -H "authorization: Bearer $FULLSTOP_KEY" \\
  -H "content-type: application/json" \\
  -d ${quoted(json(body))}
`;
}

function openai(origin: string, request: object, fullstop: StopSettings): string {
  return `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${origin}/v1",
  apiKey: process.env.FULLSTOP_KEY ?? "none",
  defaultHeaders: ${settingsHeader(fullstop)},
});
const stream = await client.chat.completions.create(${json(request)});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? "");
  if (chunk.fullstop) console.log(chunk.fullstop); // how it ended
}
`;
}

function anthropic(origin: string, request: ChatRequest, fullstop: StopSettings): string {
  const {
    model,
    messages,
    max_completion_tokens: tokens = ANTHROPIC_TOKENS,
    reasoning_effort: effort,
    tools,
  } = request;
  const body = {
    model,
    max_tokens: tokens,
    ...(effort === "none" && { thinking: { type: "disabled" } }),
    ...(tools !== undefined && {
      tools: tools.map(({ function: { name, description, parameters } }) => ({
        name,
        description,
        input_schema: parameters,
      })),
    }),
    messages: anthropicMessages(messages),
  };
  return `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({
  baseURL: "${origin}",
  apiKey: process.env.FULLSTOP_KEY ?? "none",
  defaultHeaders: ${settingsHeader(fullstop)},
});
const stream = client.messages.stream(${json(body)});
stream.on("text", (text) => process.stdout.write(text));
console.log((await stream.finalMessage()).stop_reason);
`;
}

function ai(origin: string, request: ChatRequest, fullstop: StopSettings): string {
  const { model, messages, max_completion_tokens: tokens, reasoning_effort: effort, tools = [] } = request;
  const imported = tools.length === 0 ? "streamText" : "jsonSchema, streamText, tool";
  const options = [
    ...(tokens === undefined ? [] : [`maxOutputTokens: ${tokens},`]),
    ...(effort === undefined ? [] : [`providerOptions: { openai: { reasoningEffort: "${effort}" } },`]),
    ...tools.map(({ function: { name, description, parameters } }) => {
      const told = `description: ${JSON.stringify(description)}, inputSchema: jsonSchema(${JSON.stringify(parameters)})`;
      return `tools: { ${name}: tool({ ${told} }) },`;
    }),
  ];
  return `import { createOpenAI } from "@ai-sdk/openai";
import { ${imported} } from "ai";

const fullstop = createOpenAI({
  baseURL: "${origin}/v1",
  apiKey: process.env.FULLSTOP_KEY ?? "none",
  headers: ${settingsHeader(fullstop)},
});
const result = streamText({
  model: fullstop.chat(${JSON.stringify(model)}),
${options.map((option) => `  ${option}\n`).join("")}  messages: ${json(aiMessages(messages))},
});
for await (const text of result.textStream) process.stdout.write(text);
console.log(await result.finishReason);
`;
}
