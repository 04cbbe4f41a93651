import type { MessageEntity } from "grammy/types";
import { lookOf, visibleDraft, visibleMessages } from "./state.ts";
import type { ChatCounts, ChatState, Draft, StoredMessage, Topic, World } from "./state.ts";
import { writeTranscript } from "./transcript.ts";
import type { TranscriptOptions } from "./transcript.ts";

/** A message as a person sees it. */
export interface SeenMessage {
  readonly id: number;
  /** The first name of whoever wrote it. */
  readonly from: string;
  readonly isFromBot: boolean;
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  /** What stands on its buttons, row by row. */
  readonly buttons: readonly (readonly string[])[];
  /** The name of its topic. */
  readonly topic: string | undefined;
  /** The id of the message that it answers. */
  readonly replyTo: number | undefined;
  /** How often it was edited. */
  readonly edits: number;
  /** All texts that it had, oldest first; the last one is seen now. */
  readonly texts: readonly string[];
}

/** A chat on the screen of the people in it. */
export interface ChatScreen {
  readonly id: number;
  readonly title: string;
  /** What is seen now, in order. */
  readonly messages: readonly SeenMessage[];
  /** The last message of the bot, if there is one. */
  readonly lastFromBot: SeenMessage | undefined;
  /** Chat actions in the order in which they came. */
  readonly actions: ChatState["actions"];
  /** How many calls of each kind were carried out here. */
  readonly counts: Readonly<ChatCounts>;
  /** What the bot is writing, in a private chat. */
  draft(topic?: Topic): Draft | undefined;
  /** A topic by its name; it is opened if there is none. */
  topic(name: string): Topic;
  /** The conversation in plain text, the same at every run that shows people the same. */
  transcript(options?: TranscriptOptions): string;
}

/** Shows a chat. */
export function screenOf(world: World, chat: ChatState): ChatScreen {
  return {
    id: chat.chat.id,
    title: chat.chat.title ?? chat.chat.first_name,
    get messages() {
      return visibleMessages(chat).map((message) => seen(world, message));
    },
    get lastFromBot() {
      const message = visibleMessages(chat).findLast(({ from }) => from.id === world.bot.id);
      return message === undefined ? undefined : seen(world, message);
    },
    actions: chat.actions,
    counts: chat.counts,
    draft: (topic) => visibleDraft(world, chat, topic),
    topic: (name) => openTopic(chat, name),
    transcript: (options) => writeTranscript(world, chat, options),
  };
}

/** A message as it looks now. */
export function seen(world: World, message: StoredMessage): SeenMessage {
  const { text, entities, keyboard } = lookOf(message);
  return {
    id: message.id,
    from: message.from.first_name,
    isFromBot: message.from.id === world.bot.id,
    text,
    entities,
    buttons: keyboard.map((row) => row.map((button) => button.text)),
    topic: message.topic?.name,
    replyTo: message.replyTo?.id,
    edits: message.looks.length - 1,
    texts: message.looks.map((look) => look.text),
  };
}

function openTopic(chat: ChatState, name: string): Topic {
  if (!chat.hasTopics) throw new Error(`"${chat.chat.title ?? chat.chat.first_name}" has no topics`);
  const existing = chat.topics.find((topic) => topic.name === name);
  if (existing !== undefined) return existing;
  // A topic has the id of the service message that opens it.
  const topic = { id: chat.nextMessageId++, name };
  chat.topics.push(topic);
  return topic;
}
