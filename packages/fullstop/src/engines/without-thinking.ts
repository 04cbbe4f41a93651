import type { GenerationEvent } from "../events.ts";
import type { GenerationRequest, Message, ReasoningSettings, TextPart } from "../request.ts";
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
  const { reasoning: _, ...others } = request;
  const plain = { ...others, messages };
  return [{ ...plain, reasoning: NO_THINKING }, { ...plain, reasoning: LEAST_THINKING }, plain];
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
