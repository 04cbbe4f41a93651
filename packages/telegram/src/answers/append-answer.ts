import type { Message } from "fullstop";
import type { Conversation } from "./conversation.ts";

/** How many answers before the last one are known again. */
const MOST_EARLIER = 50;

/** A question and its answer, as they are put into a conversation. */
export interface AppendedAnswer {
  readonly id: string;
  /** The answer that this one was written in place of. */
  readonly replaces: string | undefined;
  readonly asked: readonly Message[];
  readonly said: readonly Message[];
  /** Whether it is the rest of the answer before it. */
  readonly isContinuation?: boolean | undefined;
}

/**
 * Puts an answer behind whatever is in a conversation by now, because somebody else may have answered meanwhile. One
 * that is there already is not put there again.
 */
export function appendAnswer(conversation: Conversation, answer: AppendedAnswer): Conversation {
  const { messages, lastAnswer } = conversation;
  const { id, replaces, asked, said, isContinuation = false } = answer;
  if (hasAnswer(conversation, id)) return conversation;
  const isReplaced = replaces !== undefined && lastAnswer?.id === replaces;
  const kept = isContinuation ? withoutNotes(messages) : messages;
  const before = isReplaced ? messages.slice(0, lastAnswer.from) : kept;
  const from = before.length + asked.length;
  const earlier = answerIdsOf(conversation).slice(-MOST_EARLIER);
  return {
    messages: [...before, ...asked, ...said],
    lastAnswer: { id, from, ...(isContinuation && { isContinuation }) },
    ...(earlier.length > 0 && { earlier }),
  };
}

/** Whether an answer was put into a conversation, even if others have come after it or in its place. */
export function hasAnswer(conversation: Conversation, id: string): boolean {
  return answerIdsOf(conversation).includes(id);
}

/** The answers that were put into a conversation lately, the last one last. */
export function answerIdsOf({ lastAnswer, earlier = [] }: Conversation): readonly string[] {
  return lastAnswer === undefined ? earlier : [...earlier, lastAnswer.id];
}

/** Messages up to the last answer. Behind it stands that it was interrupted, which is not so once it goes on. */
export function withoutNotes(messages: readonly Message[]): readonly Message[] {
  return messages.slice(0, messages.findLastIndex(({ role }) => role !== "user") + 1);
}
