import { isObject } from "../check-message.ts";
import type { GenerationEvent } from "../events.ts";
import type { GenerationRequest, JsonObject, Message, NativeFields, ReasoningSettings, TextPart } from "../request.ts";
import type { TerminationSignal } from "../termination.ts";

/** The most characters of the thinking that are sent along: about two thousand tokens, which the caller pays for. */
const MOST_CHARACTERS = 8000;

const NO_THINKING: ReasoningSettings = { effort: "none" };

/**
 * For models that always think and take no word for not doing so: OpenAI's take a low effort then, Google's the
 * smallest budget, and each dialect writes the one that it knows.
 */
const LEAST_THINKING: ReasoningSettings = { effort: "low", budgetTokens: 128 };

/**
 * Requests to answer without thinking, to a provider whose thinking was broken off. The next one is for a provider that
 * refuses the one before (see {@link isRefusedRequest}); the last says nothing of thinking. What it had thought so far
 * goes along as a note at the end of the conversation, shortened to its end.
 *
 * It is a plain text in the user's turn for every dialect, because that is what all of them take: Anthropic, OpenAI's
 * Responses and Gemini take thinking back only with a proof, which half a thought does not have yet; the beginning of
 * an answer is refused by the newest models of Anthropic's; and a change in front of the conversation would make
 * whatever the provider has cached of it worthless.
 */
export function requestsWithoutThinking(
  request: GenerationRequest,
  events: readonly GenerationEvent[],
): readonly GenerationRequest[] {
  const thinking = events.map((event) => (event.type === "reasoning" ? event.text : "")).join("");
  const messages = thinking.trim() === "" ? request.messages : withNote(request.messages, noteOf(thinking));
  const { reasoning: _, native, ...others } = request;
  const plain = { ...others, ...(native !== undefined && { native: withoutWishes(native) }), messages };
  return [{ ...plain, reasoning: NO_THINKING }, { ...plain, reasoning: LEAST_THINKING }, plain];
}

/**
 * Where the dialects' own settings ask for thinking, beside the words that all of them have: OpenRouter, DeepSeek, Qwen,
 * the templates of vLLM, Google's route for the dialect of OpenAI, and whatever stands beside what was read.
 */
const WISHES: readonly (readonly string[])[] = [
  ["reasoning"],
  ["include_reasoning"],
  ["thinking"],
  ["enable_thinking"],
  ["thinking_budget"],
  ["chat_template_kwargs", "enable_thinking"],
  ["chat_template_kwargs", "thinking"],
  ["extra_body", "google", "thinking_config"],
  ["generationConfig", "thinkingConfig"],
];

function withoutWishes({ format, fields }: NativeFields): NativeFields {
  return { format, fields: WISHES.reduce(withoutWish, fields) };
}

/** A switch is turned off, which is the only word that its server has for it; anything else is taken out. */
function withoutWish(fields: JsonObject, [name = "", ...rest]: readonly string[]): JsonObject {
  const { [name]: value, ...others } = fields;
  if (value === undefined) return fields;
  if (rest.length === 0) return value === true ? { ...others, [name]: false } : others;
  return isObject(value) ? { ...others, [name]: withoutWish(value, rest) } : fields;
}

/** Whether a provider has refused a request for what it says, so that it may take another one. */
export function isRefusedRequest({ reason, detail }: TerminationSignal): boolean {
  return reason === "error_termination" && detail === "invalid_request";
}

function withNote(messages: readonly Message[], text: string): readonly Message[] {
  const note: TextPart = { type: "text", text };
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: [note] }];
  return [...messages.slice(0, -1), { ...last, content: [...last.content, note] }];
}

function noteOf(thinking: string): string {
  const isLong = thinking.length > MOST_CHARACTERS;
  // Cut at a word, so that no character is cut in two.
  const end = isLong ? `…${thinking.slice(-MOST_CHARACTERS).replace(/^\S*/u, "")}` : thinking;
  return `[You had begun to think about this and were asked to answer at once. Your notes so far:\n${end}\nAnswer now.]`;
}
