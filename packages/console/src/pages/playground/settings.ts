import type { Prompt, Turn } from "./turn.ts";

/** What can be set for the next answer. A limit of null does not hold. */
export interface PlaygroundSettings {
  readonly model: string;
  readonly stop: readonly string[];
  readonly endsLoops: boolean;
  readonly thinks: boolean;
  readonly offersTool: boolean;
  readonly maxTokens: number | null;
  readonly maxSeconds: number | null;
  readonly maxThinkingTokens: number | null;
}

/** What is set when somebody comes for the first time. */
export const FIRST_SETTINGS: PlaygroundSettings = {
  model: "",
  stop: [],
  endsLoops: true,
  thinks: true,
  offersTool: false,
  maxTokens: null,
  maxSeconds: 60,
  maxThinkingTokens: null,
};

/** The stop rules of the gateway, as they stand in the `fullstop` object of a request. */
export interface StopSettings {
  readonly stop?: readonly string[];
  readonly repetition?: boolean;
  readonly maxMilliseconds?: number;
  readonly maxReasoningTokens?: number;
}

/** A call of a tool, in the words of Chat Completions. */
export interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A message of Chat Completions. */
export type ChatMessage =
  | { readonly role: "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string; readonly tool_calls?: readonly ToolCall[] }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

/** A request in the words of Chat Completions, without the gateway's own object. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly max_completion_tokens?: number;
  readonly reasoning_effort?: "none";
  readonly tools?: readonly { readonly type: "function"; readonly function: ToolDescription }[];
}

/** What a model is told of a tool. */
interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
}

/** The tool that the page can offer. Nobody runs it: its result is typed in by hand. */
const WEATHER_TOOL: ToolDescription = {
  name: "get_weather",
  description: "Get the current weather in a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

/** What the dialect has words for. */
export function chatRequestOf(settings: PlaygroundSettings, turns: readonly Turn[]): ChatRequest {
  const { model, maxTokens, thinks, offersTool } = settings;
  return {
    model,
    messages: turns.flatMap((turn, index) => messagesOf(turn, turns[index + 1]?.prompt)),
    ...(maxTokens !== null && { max_completion_tokens: maxTokens }),
    ...(!thinks && { reasoning_effort: "none" }),
    ...(offersTool && { tools: [{ type: "function", function: WEATHER_TOOL }] }),
  };
}

/** What only the gateway has words for. */
export function stopSettingsOf({ stop, endsLoops, maxSeconds, maxThinkingTokens }: PlaygroundSettings): StopSettings {
  return {
    ...(stop.length > 0 && { stop }),
    ...(endsLoops && { repetition: true }),
    ...(maxSeconds !== null && { maxMilliseconds: Math.ceil(maxSeconds * 1000) }),
    ...(maxThinkingTokens !== null && { maxReasoningTokens: maxThinkingTokens }),
  };
}

/** The messages of a turn: what was asked, and if something was asked after it, what was answered. */
function messagesOf({ prompt, answer }: Turn, next: Prompt | undefined): readonly ChatMessage[] {
  const asked: readonly ChatMessage[] =
    prompt.type === "text"
      ? [{ role: "user", content: prompt.text }]
      : prompt.results.map(({ callId, content }) => ({ role: "tool", tool_call_id: callId, content }));
  if (next === undefined) return asked;
  // Providers refuse a call without a result, and whoever has asked something else has given none.
  const results = new Set(next.type === "results" ? next.results.map(({ callId }) => callId) : []);
  const calls = answer.parts.flatMap((part): readonly ToolCall[] =>
    part.type === "tool-call" && results.has(part.callId)
      ? [{ id: part.callId, type: "function", function: { name: part.name, arguments: part.json } }]
      : [],
  );
  if (answer.text === "" && calls.length === 0) return asked;
  return [...asked, { role: "assistant", content: answer.text, ...(calls.length > 0 && { tool_calls: calls }) }];
}
