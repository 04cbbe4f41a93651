import type { Message } from "fullstop";
import { array, boolean, integer, never, number, object, optional, parse, pipe, string, union } from "valibot";
import { EMPTY_CONVERSATION } from "./conversation.ts";
import type { Conversation, Exchange } from "./conversation.ts";
import { STORED_MESSAGE } from "./stored-message.ts";

const wholeNumber = pipe(number(), integer());
const messages = array(STORED_MESSAGE);

const STORED = object({
  exchanges: array(
    object({
      id: string(),
      questionId: wholeNumber,
      asked: messages,
      said: messages,
      isContinuation: optional(boolean()),
      isRecovered: optional(boolean()),
    }),
  ),
  earlier: array(string()),
  forgottenBefore: wholeNumber,
});

/** As it was written before exchanges were told apart: only of the last answer it is known where it begins. */
const STORED_IN_ONE = object({
  exchanges: optional(never()),
  messages,
  lastAnswer: optional(object({ id: string(), from: wholeNumber, isContinuation: optional(boolean()) })),
  earlier: optional(array(string()), []),
});

/** Reads a conversation as it comes from a store. Throws if it is none. */
export function decodeConversation(value: string): Conversation {
  const stored = parse(union([STORED, STORED_IN_ONE]), JSON.parse(value));
  if (stored.exchanges !== undefined) return stored;
  const { lastAnswer, earlier } = stored;
  const exchanges = split(stored.messages, lastAnswer?.from ?? stored.messages.length);
  const last = exchanges.at(-1);
  if (last === undefined || lastAnswer === undefined) return { ...EMPTY_CONVERSATION, exchanges, earlier };
  const { id, isContinuation } = lastAnswer;
  return { ...EMPTY_CONVERSATION, exchanges: [...exchanges.slice(0, -1), { ...last, id, isContinuation }], earlier };
}

/** The exchanges of messages, of which those from a number on belong to the last answer. Each begins with a question. */
function split(said: readonly Message[], from: number): readonly Exchange[] {
  const exchanges: { id: string; questionId: number; asked: Message[]; said: Message[] }[] = [];
  for (const [index, message] of said.entries()) {
    const isQuestion = message.role === "user" && index < from;
    if (isQuestion || exchanges.length === 0) exchanges.push({ id: "", questionId: 0, asked: [], said: [] });
    exchanges.at(-1)?.[isQuestion ? "asked" : "said"].push(message);
  }
  return exchanges;
}
