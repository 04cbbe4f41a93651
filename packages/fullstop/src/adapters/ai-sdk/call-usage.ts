import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Usage } from "../../events.ts";
import { CHARACTERS_PER_TOKEN, TOKENS_PER_IMAGE } from "../../usage.ts";

/** The counts of a finish, or undefined where the provider has not given both. */
export function readUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage | undefined {
  if (inputTokens.total === undefined || outputTokens.total === undefined) return undefined;
  return {
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    ...(inputTokens.cacheRead !== undefined && { cachedInputTokens: inputTokens.cacheRead }),
    ...(inputTokens.cacheWrite !== undefined && { cacheWriteTokens: inputTokens.cacheWrite }),
    ...(outputTokens.reasoning !== undefined && { reasoningTokens: outputTokens.reasoning }),
  };
}

/** Counts as a finish carries them. Those that were worked out here say so in `raw`, where the provider's would be. */
export function writeUsage(usage: Usage): LanguageModelV4Usage {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens, estimated } = usage;
  return {
    inputTokens: { total: inputTokens, noCache: undefined, cacheRead: cachedInputTokens, cacheWrite: cacheWriteTokens },
    outputTokens: { total: outputTokens, text: undefined, reasoning: reasoningTokens },
    ...(estimated === true && { raw: { estimated: true } }),
  };
}

/** What a call has cost whose answer brought so many characters, where the provider has not said it. */
export function estimateCallUsage(options: LanguageModelV4CallOptions, characters: number): Usage {
  return {
    inputTokens: estimatePromptTokens(options),
    outputTokens: Math.ceil(characters / CHARACTERS_PER_TOKEN),
    estimated: true,
  };
}

function estimatePromptTokens({ prompt, tools = [] }: LanguageModelV4CallOptions): number {
  let characters = tools.length === 0 ? 0 : JSON.stringify(tools).length;
  let files = 0;
  for (const message of prompt) {
    characters += charactersOf(message);
    if (message.role !== "system") files += message.content.filter(({ type }) => type === "file").length;
  }
  return Math.ceil(characters / CHARACTERS_PER_TOKEN) + files * TOKENS_PER_IMAGE;
}

function charactersOf(message: LanguageModelV4Message): number {
  if (message.role === "system") return message.content.length;
  let characters = 0;
  for (const part of message.content) {
    if (part.type === "text" || part.type === "reasoning") characters += part.text.length;
    else if (part.type === "tool-call") characters += lengthOf(part.input);
    else if (part.type === "tool-result") characters += lengthOf(part.output);
  }
  return characters;
}

function lengthOf(value: unknown): number {
  // What has no JSON at all gives undefined, whatever the types say.
  const json: string | undefined = JSON.stringify(value);
  return json?.length ?? 0;
}
