import type { Message } from "fullstop";
import type { Conversation } from "./conversation.ts";

/** A question and its answer, as they are put into a conversation. */
export interface AppendedAnswer {
  readonly id: string;
  /** The answer that this one was written in place of. */
  readonly replaces: string | undefined;
  readonly asked: readonly Message[];
  readonly said: readonly Message[];
}

/**
 * Puts an answer behind whatever is in a conversation by now, because somebody else may have answered meanwhile. One
 * that is there already is not put there again.
 */
export function appendAnswer(conversation: Conversation, answer: AppendedAnswer): Conversation {
  const { messages, lastAnswer } = conversation;
  const { id, replaces, asked, said } = answer;
  if (lastAnswer?.id === id) return conversation;
  const isReplaced = replaces !== undefined && lastAnswer?.id === replaces;
  const before = isReplaced ? messages.slice(0, lastAnswer.from) : messages;
  return { messages: [...before, ...asked, ...said], lastAnswer: { id, from: before.length + asked.length } };
}
