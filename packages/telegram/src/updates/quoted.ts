import type { Message as ConversationMessage } from "fullstop";
import type { Context } from "grammy";
import type { Message } from "grammy/types";
import { messagesOf } from "../answers/conversation.ts";
import { nameOf } from "../place.ts";
import type { Place } from "../place.ts";
import type { House } from "./house.ts";

/** By how many letters a message is known again in a conversation, where it stands with its Markdown. */
const KNOWN_BY_LETTERS = 40;

/**
 * What somebody refers to: the words that they have marked, or the message that they answer, as a quote for the model.
 * Undefined if there is nothing, or the model knows it because it is part of the conversation.
 */
export async function quotedIn(
  context: Context,
  message: Message,
  place: Place,
  house: House,
): Promise<string | undefined> {
  const answered = message.reply_to_message;
  const isOurs = answered?.from?.id === context.me.id;
  const said = isOurs ? withoutThinking(answered) : (answered?.text ?? answered?.caption);
  const marked = message.quote?.text;
  // Marked words are meant, wherever they are from. Those of another chat come with no message to answer.
  if (marked !== undefined && (message.quote?.is_manual === true || answered === undefined)) return asQuote(marked);
  if (answered === undefined || said === undefined) return undefined;
  try {
    const running = isOurs ? await house.answers.findMessage(message.chat.id, answered.message_id) : undefined;
    // What is being written is in the conversation when this is answered.
    if (running !== undefined && nameOf(running.place) === nameOf(place)) return undefined;
    const conversation = await house.conversations.read(place);
    return isKnown(said, messagesOf(conversation)) ? undefined : asQuote(said);
  } catch (error) {
    house.log.warn({ err: error }, "the store could not say whether what a message answers is known");
    return asQuote(said);
  }
}

/** An answer of the bot's without the thinking on top of it, which is no part of the conversation. */
function withoutThinking({ text, entities = [] }: Pick<Message, "text" | "entities">): string | undefined {
  const thinking = entities.find(({ type, offset }) => type === "expandable_blockquote" && offset === 0);
  return text?.slice(thinking?.length ?? 0).trimStart();
}

function asQuote(text: string): string | undefined {
  const said = text.trim();
  if (said === "") return undefined;
  return said
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

function isKnown(text: string, messages: readonly ConversationMessage[]): boolean {
  const head = lettersOf(text).slice(0, KNOWN_BY_LETTERS);
  if (head === "") return false;
  return messages.some(({ content }) => {
    const letters = lettersOf(content.map((part) => (part.type === "text" ? part.text : "")).join(""));
    // A few letters are part of nearly everything that is said.
    return head.length < KNOWN_BY_LETTERS ? letters === head : letters.includes(head);
  });
}

function lettersOf(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}]+/gu, "").toLowerCase();
}
