import type { GenerationEvent, Usage } from "./events.ts";
import type { GenerationRequest } from "./request.ts";

/** About how many characters a token has. */
export const CHARACTERS_PER_TOKEN = 4;

/** About how many tokens an image or a document has, whose bytes say nothing about that. */
export const TOKENS_PER_IMAGE = 1000;

/** What a request has cost that nobody has answered. */
export const NOTHING_USED: Usage = { inputTokens: 0, outputTokens: 0 };

/** Text has a space, or a letter that bytes are not written in, among so many characters. */
const LONGEST_WORD = 1000;

/** About how many tokens a request has, by its length. */
export function estimateInputTokens({ messages, tools = [] }: GenerationRequest): number {
  let characters = tools.length === 0 ? 0 : JSON.stringify(tools).length;
  let images = 0;
  for (const { content } of messages) {
    for (const part of content) {
      if (part.type === "text" || part.type === "reasoning") characters += part.text.length;
      else if (part.type === "tool-call") characters += part.name.length + part.json.length;
      else {
        images += 1;
        if (part.type === "opaque") characters += readableIn(part.value);
      }
    }
  }
  return Math.ceil(characters / CHARACTERS_PER_TOKEN) + images * TOKENS_PER_IMAGE;
}

/** How many characters of a document are text, and not bytes that are written in letters and digits. */
function readableIn(value: unknown): number {
  if (typeof value === "string") return /[^\w+/=:;,.-]/u.test(value.slice(0, LONGEST_WORD)) ? value.length : 0;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, inner) => sum + readableIn(inner), 0);
}

/** How many characters an event has brought, of whatever kind. */
export function charactersOf(event: GenerationEvent): number {
  if (event.type === "text" || event.type === "reasoning") return event.text.length;
  return event.type === "tool-call-delta" ? event.json.length : 0;
}

/** How many characters some events have brought. */
export function totalCharacters(events: readonly GenerationEvent[]): number {
  return events.reduce((sum, event) => sum + charactersOf(event), 0);
}

/** What an answer of so many characters has cost, where the provider has not said it. */
export function estimateUsage(request: GenerationRequest, characters: number): Usage {
  return {
    inputTokens: estimateInputTokens(request),
    outputTokens: Math.ceil(characters / CHARACTERS_PER_TOKEN),
    estimated: true,
  };
}

/** The sum of what two answers have cost. It is an estimate if either is one. */
export function addUsage(one: Usage, other: Usage): Usage {
  const sum = (name: "cachedInputTokens" | "cacheWriteTokens" | "reasoningTokens"): number | undefined =>
    one[name] === undefined && other[name] === undefined ? undefined : (one[name] ?? 0) + (other[name] ?? 0);
  const cachedInputTokens = sum("cachedInputTokens");
  const cacheWriteTokens = sum("cacheWriteTokens");
  const reasoningTokens = sum("reasoningTokens");
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    ...(cachedInputTokens !== undefined && { cachedInputTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...((one.estimated === true || other.estimated === true) && { estimated: true }),
  };
}

/** What an answer that was not read to its end has cost: what was counted, or more where more has come since. */
export function settleUsage(known: Usage | undefined, estimate: Usage): Usage {
  if (known === undefined) return estimate;
  const { outputTokens } = estimate;
  return known.outputTokens >= outputTokens ? known : { ...known, outputTokens, estimated: true };
}
