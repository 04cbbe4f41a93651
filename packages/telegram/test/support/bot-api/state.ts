import type { BotCommand, Chat, MessageEntity, User, UserFromGetMe } from "grammy/types";
import type { Keyboard } from "./markup.ts";

/** The kinds of chat that there are here. */
export type KnownChat = Chat.PrivateChat | Chat.GroupChat | Chat.SupergroupChat | Chat.ChannelChat;

/** A topic of a forum, or of a private chat with topics. */
export interface Topic {
  readonly id: number;
  readonly name: string;
}

/** How a message looked at some time. */
export interface Look {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly keyboard: Keyboard;
}

/** A message of a person or of the bot. */
export interface StoredMessage {
  readonly kind: "message";
  readonly id: number;
  readonly from: User;
  /** The chat in whose name it was written: the group of an anonymous administrator, or somebody's channel. */
  readonly senderChat: Chat | undefined;
  readonly date: number;
  readonly topic: Topic | undefined;
  /** Where the message stands in a thread of replies of a supergroup without topics: the message at its root. */
  readonly threadRoot: number | undefined;
  readonly replyTo: StoredMessage | undefined;
  /** All its looks, oldest first. The last one is what is seen. */
  readonly looks: Look[];
  editDate: number | undefined;
  isGone: boolean;
}

/** What a bot answered to the press of a button. */
export interface Toast {
  readonly to: User;
  readonly text: string;
  readonly isAlert: boolean;
}

/** A person pressed something. */
export interface StoredPress {
  readonly kind: "press";
  readonly queryId: string;
  readonly by: User;
  readonly chatId: number;
  readonly label: string;
  readonly topic: Topic | undefined;
  toast: Toast | undefined;
}

/** What a bot shows while it writes, in a private chat. */
export interface Draft {
  readonly id: number;
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly canStop: boolean;
  readonly keepOnStop: boolean;
  readonly isStopped: boolean;
  readonly expiresAt: number;
}

/** How many calls of a kind were carried out in a chat. */
export interface ChatCounts {
  sent: number;
  edited: number;
  deleted: number;
  drafts: number;
  /** Calls that were refused because they came too early. */
  tooEarly: number;
}

/** A chat with all that ever was in it. */
export interface ChatState {
  readonly chat: KnownChat;
  readonly hasTopics: boolean;
  readonly topics: Topic[];
  readonly timeline: (StoredMessage | StoredPress)[];
  readonly members: Map<number, { readonly user: User; status: "creator" | "administrator" | "member" }>;
  /** By the id of the topic; 0 is outside of topics. */
  readonly drafts: Map<number, Draft>;
  readonly actions: { readonly action: string; readonly topic: Topic | undefined }[];
  readonly counts: ChatCounts;
  isBlocked: boolean;
  nextMessageId: number;
}

/** The commands that a bot has set for a scope and a language. */
export interface CommandList {
  readonly scope: unknown;
  readonly languageCode: string | undefined;
  readonly commands: readonly BotCommand[];
}

/** All that the server knows, and whoever waits for a change of it. */
export class World {
  readonly bot: UserFromGetMe;
  readonly now: () => number;
  readonly people: Map<number, User> = new Map();
  readonly chats: Map<number, ChatState> = new Map();
  readonly presses: Map<string, StoredPress> = new Map();
  readonly toasts: Toast[] = [];
  readonly commands: CommandList[] = [];
  readonly #watchers = new Set<() => void>();

  constructor(bot: UserFromGetMe, now: () => number) {
    this.bot = bot;
    this.now = now;
  }

  /** Calls a function at every change, until the function that comes back is called. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  changed(): void {
    for (const watcher of this.#watchers) watcher();
  }

  seconds(): number {
    return Math.floor(Date.now() / 1000);
  }
}

/** A chat in which nothing has been said. */
export function emptyChat(chat: KnownChat, hasTopics: boolean): ChatState {
  return {
    chat,
    hasTopics,
    topics: [],
    timeline: [],
    members: new Map(),
    drafts: new Map(),
    actions: [],
    counts: { sent: 0, edited: 0, deleted: 0, drafts: 0, tooEarly: 0 },
    isBlocked: false,
    nextMessageId: 1,
  };
}

/** A message by its id, if it is there and not deleted. */
export function findMessage(chat: ChatState, id: number | undefined): StoredMessage | undefined {
  return visibleMessages(chat).find((message) => message.id === id);
}

/** The messages that a person sees, in order. */
export function visibleMessages(chat: ChatState): readonly StoredMessage[] {
  return chat.timeline.filter((entry): entry is StoredMessage => entry.kind === "message" && !entry.isGone);
}

/** How a message looks now. */
export function lookOf(message: StoredMessage): Look {
  const look = message.looks.at(-1);
  if (look === undefined) throw new Error(`Message ${message.id} has no look`);
  return look;
}

/** Adds a message at the end of a chat. */
export function addMessage(
  world: World,
  chat: ChatState,
  message: {
    readonly from: User;
    readonly senderChat?: Chat | undefined;
    readonly look: Look;
    readonly topic: Topic | undefined;
    readonly replyTo: StoredMessage | undefined;
  },
): StoredMessage {
  const { from, senderChat, look, topic, replyTo } = message;
  const hasThreads = chat.chat.type === "supergroup" && !chat.hasTopics;
  const stored: StoredMessage = {
    kind: "message",
    id: chat.nextMessageId++,
    from,
    senderChat,
    date: world.seconds(),
    topic,
    threadRoot: hasThreads && replyTo !== undefined ? (replyTo.threadRoot ?? replyTo.id) : undefined,
    replyTo,
    looks: [look],
    editDate: undefined,
    isGone: false,
  };
  chat.timeline.push(stored);
  return stored;
}

/** Gives a message another look. */
export function changeLook(world: World, message: StoredMessage, look: Look): void {
  message.looks.push(look);
  message.editDate = world.seconds();
}

/** The draft that a person sees in a chat or a topic, if one is shown. */
export function visibleDraft(world: World, chat: ChatState, topic: Topic | undefined): Draft | undefined {
  const draft = chat.drafts.get(topic?.id ?? 0);
  return draft === undefined || draft.expiresAt <= world.now() ? undefined : draft;
}
