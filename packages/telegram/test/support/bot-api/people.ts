import type { CallbackQuery, Chat, TextQuote, Update, User } from "grammy/types";
import { detectEntities } from "./detect.ts";
import type { House } from "./house.ts";
import { addMessage, changeLook, findMessage, lookOf, visibleDraft, visibleMessages } from "./state.ts";
import type { ChatState, StoredMessage, StoredPress, Toast, Topic } from "./state.ts";
import { seen } from "./screen.ts";
import type { SeenMessage } from "./screen.ts";
import { toWire } from "./wire-message.ts";

/** How something is said. */
export interface SayOptions {
  readonly topic?: Topic;
  /** In whose name it is said: that of the group, as anonymous administrators do, or of a channel. */
  readonly as?: { readonly id: number };
  /** The message that is answered. */
  readonly replyTo?: { readonly id: number };
  /** The words of it that are marked. */
  readonly quote?: string;
  /** The message that is changed, in place of writing a new one. */
  readonly editOf?: { readonly id: number };
}

type ChannelPost = NonNullable<Update["channel_post"]>;

/** Whom Telegram names as the sender of what was written in the name of a chat. */
const STAND_INS: ReadonlyMap<string, User> = new Map(
  ["group", "supergroup", "channel"].map((type) => [
    type,
    type === "channel"
      ? { id: 136_817_688, is_bot: true, first_name: "Channel", username: "Channel_Bot" }
      : { id: 1_087_968_824, is_bot: true, first_name: "Group", username: "GroupAnonymousBot" },
  ]),
);

/** A button that was pressed. */
export interface Press {
  /** The id of the callback query. */
  readonly queryId: string;
  /** What the bot answers. Whoever asks for it waits until it does, or fails like `until`. */
  readonly answered: Promise<Toast>;
}

/** Which message a press is about: one of the chat, one that the bot cannot see any more, or none at all. */
export type PressedMessage = { readonly id: number } | "inaccessible" | "none";

/** What people do in their client apps. */
export class People {
  readonly #house: House;
  readonly #until: <T>(question: () => T | undefined, what: string) => Promise<T>;
  #nextQuery = 1;

  constructor(house: House, until: <T>(question: () => T | undefined, what: string) => Promise<T>) {
    this.#house = house;
    this.#until = until;
  }

  say(chat: ChatState, person: User, text: string, { topic, replyTo, quote, editOf, as }: SayOptions): SeenMessage {
    const { world, updates } = this.#house;
    const trimmed = text.trim();
    if (trimmed === "") throw new Error(`${person.first_name} cannot say nothing: ${JSON.stringify(text)}`);
    if ([...trimmed].length > 4096) throw new Error("A client app cuts longer texts into messages of 4096 characters");
    const look = { text: trimmed, entities: detectEntities(trimmed), keyboard: [] };
    join(chat, person);
    if (editOf !== undefined) {
      const message = messageOf(chat, editOf.id);
      if (message.from.id !== person.id) throw new Error(`${person.first_name} can only edit messages of their own`);
      changeLook(world, message, look);
      if (this.#reachesBot(chat, message)) {
        updates.add({ edited_message: toWire(chat, message) }, laneOf(chat));
      }
      world.changed();
      return seen(world, message);
    }
    const replied = replyTo === undefined ? undefined : messageOf(chat, replyTo.id);
    const senderChat = as === undefined ? undefined : world.chats.get(as.id)?.chat;
    const from = senderChat === undefined ? person : (STAND_INS.get(senderChat.type) ?? person);
    const message = addMessage(world, chat, {
      from,
      senderChat,
      look,
      topic: topic ?? replied?.topic,
      replyTo: replied,
    });
    const wire = { ...toWire(chat, message), ...(quote !== undefined && { quote: quoteOf(replied, quote) }) };
    if (chat.chat.type === "channel") updates.add({ channel_post: wire as object as ChannelPost }, laneOf(chat));
    else if (this.#reachesBot(chat, message)) updates.add({ message: wire }, laneOf(chat));
    world.changed();
    return seen(world, message);
  }

  /** Presses a button that is to be seen, on the last message that has it. */
  press(chat: ChatState, person: User, label: string | RegExp, on: { readonly id: number } | undefined): Press {
    const isMeant = (text: string): boolean => (typeof label === "string" ? text === label : label.test(text));
    const candidates = visibleMessages(chat).filter((message) => on === undefined || message.id === on.id);
    const found = candidates
      .flatMap((message) =>
        lookOf(message)
          .keyboard.flat()
          .filter((button) => isMeant(button.text))
          .map((button) => ({ message, button })),
      )
      .at(-1);
    if (found === undefined) {
      const all = candidates.flatMap((message) =>
        lookOf(message)
          .keyboard.flat()
          .map((button) => button.text),
      );
      throw new Error(`There is no button ${String(label)} to press, only ${JSON.stringify(all)}`);
    }
    const { message, button } = found;
    if (!("callback_data" in button)) throw new Error(`The button "${button.text}" sends nothing to the bot`);
    return this.#query(chat, person, button.callback_data, button.text, message);
  }

  /** Sends a callback query with data that need not be on any button. */
  pressData(chat: ChatState, person: User, data: string, on: PressedMessage | undefined): Press {
    if (on === "none" || on === "inaccessible") return this.#query(chat, person, data, data, on);
    const message =
      on === undefined
        ? visibleMessages(chat).findLast(({ from }) => from.id === this.#house.world.bot.id)
        : findMessage(chat, on.id);
    return this.#query(chat, person, data, data, message ?? (on === undefined ? "none" : { goneId: on.id }));
  }

  /** Presses the stop button of the draft that is to be seen. */
  stopDraft(chat: ChatState, topic: Topic | undefined): void {
    const { world, updates } = this.#house;
    const draft = visibleDraft(world, chat, topic);
    if (draft === undefined) throw new Error("There is no draft to stop");
    if (!draft.canStop || draft.isStopped) throw new Error(`The draft "${draft.text}" has no stop button`);
    if (draft.keepOnStop) chat.drafts.set(topic?.id ?? 0, { ...draft, canStop: false, isStopped: true });
    else chat.drafts.delete(topic?.id ?? 0);
    const by = world.people.get(chat.chat.id);
    if (by !== undefined) {
      const press = { queryId: "", by, chatId: chat.chat.id, label: "stop", topic, toast: undefined };
      chat.timeline.push({ kind: "press", ...press });
    }
    updates.add(
      {
        stopped_message_generation: {
          chat: chat.chat as Chat.PrivateChat,
          ...(topic !== undefined && { message_thread_id: topic.id }),
          draft_id: draft.id,
        },
      },
      `stop ${chat.chat.id}`,
    );
    world.changed();
  }

  /** Blocks the bot, or lets it write again. */
  setBlocked(chat: ChatState, person: User, isBlocked: boolean): void {
    const { world, updates } = this.#house;
    if (chat.isBlocked === isBlocked) return;
    chat.isBlocked = isBlocked;
    const member = { status: "member", user: world.bot } as const;
    const kicked = { status: "kicked", user: world.bot, until_date: 0 } as const;
    const [before, after] = isBlocked ? [member, kicked] : [kicked, member];
    updates.add(
      {
        my_chat_member: {
          chat: chat.chat,
          from: person,
          date: world.seconds(),
          old_chat_member: before,
          new_chat_member: after,
        },
      },
      laneOf(chat),
    );
    world.changed();
  }

  #query(
    chat: ChatState,
    person: User,
    data: string,
    label: string,
    on: StoredMessage | { readonly goneId: number } | "inaccessible" | "none",
  ): Press {
    const { world, updates } = this.#house;
    const queryId = String(4_000_000_000_000_000 + this.#nextQuery++);
    const press: StoredPress = {
      kind: "press",
      queryId,
      by: person,
      chatId: chat.chat.id,
      label,
      topic: typeof on === "object" && "kind" in on ? on.topic : undefined,
      toast: undefined,
    };
    join(chat, person);
    chat.timeline.push(press);
    world.presses.set(queryId, press);
    const message = pressedMessage(chat, on);
    const query: CallbackQuery = {
      id: queryId,
      from: person,
      ...(message !== undefined && { message }),
      chat_instance: String(chat.chat.id * 7 + 1),
      data,
    };
    updates.add({ callback_query: query }, `press ${person.id}`);
    world.changed();
    const waitForToast = (): Promise<Toast> =>
      this.#until(() => press.toast, `the press of [${label}] by ${person.first_name} is answered`);
    return {
      queryId,
      // Only who asks waits: a press that nobody answers is no failure of a test that does not care.
      get answered() {
        return waitForToast();
      },
    };
  }

  /** In groups a bot hears only what is meant for it, unless it is an administrator or its privacy mode is off. */
  #reachesBot(chat: ChatState, message: StoredMessage): boolean {
    const { bot } = this.#house.world;
    if (chat.chat.type === "private" || bot.can_read_all_group_messages) return true;
    if (chat.members.get(bot.id)?.status === "administrator") return true;
    if (message.replyTo?.from.id === bot.id) return true;
    const { text, entities } = lookOf(message);
    return entities.some((entity) => {
      const part = text.slice(entity.offset, entity.offset + entity.length);
      const name = part.split("@")[1];
      const isOurs = name?.toLowerCase() === bot.username.toLowerCase();
      return entity.type === "bot_command" ? isOurs || name === undefined : isOurs;
    });
  }
}

function pressedMessage(
  chat: ChatState,
  on: StoredMessage | { readonly goneId: number } | "inaccessible" | "none",
): CallbackQuery["message"] | undefined {
  if (on === "none") return undefined;
  if (typeof on === "object" && "kind" in on) return toWire(chat, on);
  const last = chat.nextMessageId - 1;
  return { chat: chat.chat, message_id: on === "inaccessible" ? last : on.goneId, date: 0 };
}

function messageOf(chat: ChatState, id: number): StoredMessage {
  const message = findMessage(chat, id);
  if (message === undefined) throw new Error(`There is no message ${id} to be seen`);
  return message;
}

function quoteOf(replied: StoredMessage | undefined, text: string): TextQuote {
  const position = replied === undefined ? -1 : lookOf(replied).text.indexOf(text);
  if (position === -1) throw new Error(`${JSON.stringify(text)} is not in the message that is answered`);
  return { text, position, is_manual: true };
}

function join(chat: ChatState, person: User): void {
  if (!chat.members.has(person.id)) chat.members.set(person.id, { user: person, status: "member" });
}

function laneOf(chat: ChatState): string {
  return `chat ${chat.chat.id}`;
}
