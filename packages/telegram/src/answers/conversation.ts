import type { Message } from "fullstop";

/** How many answers that are not in a conversation any more are known again. */
const MOST_EARLIER = 50;

/** A question and its answer. */
export interface Exchange {
  /** The answer's. */
  readonly id: string;
  /**
   * The message that asks, or that has the button that was pressed. Later ones have higher numbers in a chat, for ever,
   * which those of updates have not. 0 for what came before all that are known.
   */
  readonly questionId: number;
  readonly asked: readonly Message[];
  readonly said: readonly Message[];
  /** Whether it is the rest of the answer before it. */
  readonly isContinuation?: boolean | undefined;
  /** Whether another process has put it together from its record, of which the end may be missing. */
  readonly isRecovered?: boolean | undefined;
}

/** An exchange as it is put into a conversation. */
export interface AppendedAnswer extends Exchange {
  /** The answer that this one was written in place of. */
  readonly replaces: string | undefined;
}

/** What was said in a place. */
export interface Conversation {
  /** In the order of the questions, whichever answer was put there first. */
  readonly exchanges: readonly Exchange[];
  /** Which answers were there before and are not any more, so that none is put there again. */
  readonly earlier: readonly string[];
  /** The message by which everything was forgotten that was asked before it. An answer to that may still come. */
  readonly forgottenBefore: number;
}

/** How much of a conversation is kept. */
export interface ConversationSize {
  readonly maxMessages: number;
  readonly maxCharacters: number;
}

/** Nothing was said yet. */
export const EMPTY_CONVERSATION: Conversation = { exchanges: [], earlier: [], forgottenBefore: 0 };

export function messagesOf({ exchanges }: Pick<Conversation, "exchanges">): readonly Message[] {
  return exchanges.flatMap(({ asked, said }) => [...asked, ...said]);
}

/** Whether an answer was put into a conversation, even if others have come after it or in its place. */
export function hasAnswer({ exchanges, earlier }: Conversation, id: string): boolean {
  return earlier.includes(id) || exchanges.some((exchange) => exchange.id === id);
}

/**
 * Puts an answer where it belongs in whatever is in a conversation by now: in the place of what another process has
 * recovered of it, or of the one that it was written again for, or else behind what was asked before it. Somebody else
 * may have answered meanwhile, or have had it forgotten.
 */
export function appendAnswer(conversation: Conversation, answer: AppendedAnswer): Conversation {
  const { replaces, ...exchange } = answer;
  if (exchange.questionId < conversation.forgottenBefore) return conversation;
  const known = conversation.exchanges.find(({ id }) => id === exchange.id);
  if (known !== undefined) return correct(conversation, known, exchange);
  if (conversation.earlier.includes(exchange.id)) return conversation;
  const replaced = conversation.exchanges.find(({ id }) => id === replaces);
  return replaced === undefined ? insert(conversation, exchange) : replace(conversation, replaced, exchange);
}

/** Who has written an answer knows better what it says than who has recovered it, until that one was gone on with. */
function correct(conversation: Conversation, known: Exchange, exchange: Exchange): Conversation {
  const { exchanges } = conversation;
  const index = exchanges.indexOf(known);
  const isGoneOnWith = exchanges[index + 1]?.isContinuation === true;
  if (known.isRecovered !== true || exchange.isRecovered === true || isGoneOnWith) return conversation;
  const { said, isContinuation } = exchange;
  const corrected = { ...known, said, isContinuation, isRecovered: false };
  return { ...conversation, exchanges: beforeRest(exchanges, index, corrected).with(index, corrected) };
}

function replace(conversation: Conversation, replaced: Exchange, { id, said, isRecovered }: Exchange): Conversation {
  const { exchanges, earlier } = conversation;
  const again = { ...replaced, id, said, isRecovered };
  return {
    ...conversation,
    exchanges: exchanges.with(exchanges.indexOf(replaced), again),
    earlier: [...earlier, replaced.id].slice(-MOST_EARLIER),
  };
}

function insert(conversation: Conversation, exchange: Exchange): Conversation {
  const { exchanges } = conversation;
  const index = exchanges.findLastIndex(({ questionId }) => questionId <= exchange.questionId) + 1;
  return { ...conversation, exchanges: beforeRest(exchanges, index, exchange).toSpliced(index, 0, exchange) };
}

/** The exchanges, where what comes at a place completes the one before it: that one is not marked as cut off any more. */
function beforeRest(exchanges: readonly Exchange[], index: number, next: Exchange): readonly Exchange[] {
  const before = exchanges[index - 1];
  return next.isContinuation === true && before ? exchanges.with(index - 1, withoutNote(before)) : exchanges;
}

/** Forgets what was asked before a message. What was asked since stays: it can be overtaken by that. */
export function forgetBefore(conversation: Conversation, messageId: number): Conversation {
  const forgottenBefore = Math.max(messageId, conversation.forgottenBefore);
  const exchanges = conversation.exchanges.filter(({ questionId }) => questionId >= forgottenBefore);
  return { ...conversation, exchanges, forgottenBefore };
}

/** Puts what was said in another chat before a conversation. Its messages have numbers of that chat, which say nothing here. */
export function prependConversation(conversation: Conversation, other: Conversation): Conversation {
  const moved = other.exchanges.map((exchange) => Object.assign({}, exchange, { questionId: 0 }));
  return {
    ...conversation,
    exchanges: [...moved, ...conversation.exchanges],
    earlier: [...other.earlier, ...conversation.earlier].slice(-MOST_EARLIER),
  };
}

/** Forgets the oldest exchanges. The last one is kept however long it is, because that is what people refer to next. */
export function shortenConversation(conversation: Conversation, size: ConversationSize): Conversation {
  const { exchanges, earlier } = conversation;
  let messages = 0;
  let characters = 0;
  const isTooMuch = ({ asked, said }: Exchange): boolean => {
    // Even one in which nothing was said takes room.
    messages += Math.max(1, asked.length + said.length);
    characters += JSON.stringify([...asked, ...said]).length;
    return messages > size.maxMessages || characters > size.maxCharacters;
  };
  const first = Math.min(exchanges.findLastIndex(isTooMuch) + 1, Math.max(0, exchanges.length - 1));
  const dropped = exchanges.slice(0, first).map(({ id }) => id);
  return {
    ...conversation,
    exchanges: exchanges.slice(first),
    earlier: [...earlier, ...dropped].slice(-MOST_EARLIER),
  };
}

function withoutNote(exchange: Exchange): Exchange {
  return { ...exchange, said: withoutNotes(exchange.said) };
}

/** Messages up to the last answer. Behind it stands that it was interrupted, which is not so once it goes on. */
export function withoutNotes(messages: readonly Message[]): readonly Message[] {
  return messages.slice(0, messages.findLastIndex(({ role }) => role !== "user") + 1);
}
