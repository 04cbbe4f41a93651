import type { Update, User, UserFromGetMe } from "grammy/types";
import { Dispatcher } from "./dispatch.ts";
import type { Call } from "./dispatch.ts";
import { Faults } from "./faults.ts";
import type { Fault, FaultScope, Holdup, ScriptedError } from "./faults.ts";
import { FloodControl } from "./flood.ts";
import type { FloodSettings } from "./flood.ts";
import type { MethodName } from "./methods.ts";
import { People } from "./people.ts";
import type { Press, PressedMessage, SayOptions } from "./people.ts";
import { screenOf } from "./screen.ts";
import type { ChatScreen, SeenMessage } from "./screen.ts";
import { openHttpEdge } from "./server.ts";
import { emptyChat, World } from "./state.ts";
import type { ChatState, CommandList, KnownChat, Toast, Topic } from "./state.ts";
import { until } from "./until.ts";
import { UpdateQueue } from "./updates.ts";
import { Webhook } from "./webhook.ts";
import type { WebhookPatience } from "./webhook.ts";

/** How the server is to be. */
export interface BotApiOptions {
  readonly token?: string;
  /** What differs from the usual bot, such as `{ can_read_all_group_messages: true }` for privacy mode off. */
  readonly bot?: Partial<UserFromGetMe>;
  readonly flood?: FloodSettings;
  readonly webhook?: Partial<WebhookPatience>;
  /** The clock of flood control and of drafts, in milliseconds. */
  readonly now?: () => number;
}

/** A person, to begin with. */
interface PersonOptions {
  readonly id?: number;
  readonly firstName: string;
  readonly username?: string;
  readonly languageCode?: string;
}

/** A group, to begin with. */
interface GroupOptions {
  readonly title: string;
  /** A small group, or a supergroup, which is what most are. */
  readonly type?: "group" | "supergroup";
  readonly isForum?: boolean;
  /** The first one is the owner. */
  readonly admins?: readonly User[];
  readonly members?: readonly User[];
  readonly isBotAdmin?: boolean;
}

/** A Bot API server on this machine, and the client app of the people who use the bot. */
export interface BotApi extends AsyncDisposable {
  /** The address for `client.apiRoot`. */
  readonly url: string;
  readonly token: string;
  readonly botInfo: UserFromGetMe;
  /** Every call, in the order in which they came. */
  readonly calls: readonly Call[];
  /** Every update, in the order in which they came about. */
  readonly updates: readonly Update[];
  /** What the bot answered to presses. */
  readonly toasts: readonly Toast[];
  /** The lists of commands that the bot has set. */
  readonly commands: readonly CommandList[];
  /** How many updates wait for the bot, or are not confirmed. */
  readonly pendingUpdates: number;

  person(options: PersonOptions): User;
  /** The chat of a person with the bot. */
  privateChat(person: User, options?: { readonly hasTopics?: boolean }): ChatScreen;
  group(options: GroupOptions): ChatScreen;
  /** A channel in which the bot is an administrator, as it has to be. */
  channel(options: { readonly title: string; readonly admins: readonly User[] }): ChatScreen;
  /** Makes somebody an administrator of a group, or takes that away. */
  setAdmin(chat: ChatScreen, person: User, isAdmin: boolean): void;

  /** Writes a message, and gives it as it is seen. The bot gets it if Telegram would pass it on. */
  say(chat: ChatScreen, person: User, text: string, options?: SayOptions): SeenMessage;
  /** Presses the button with this text, on the last message that has one. */
  press(chat: ChatScreen, person: User, button: string | RegExp, on?: { readonly id: number }): Press;
  /** Sends a callback query with any data, about a message that may be gone. By default about the bot's last one. */
  pressData(chat: ChatScreen, person: User, data: string, on?: PressedMessage): Press;
  /** Presses the stop button of a draft. */
  stopDraft(chat: ChatScreen, topic?: Topic): void;
  /** Blocks the bot in a private chat. */
  block(person: User): void;
  unblock(person: User): void;
  /** Takes a message away, as a person does who deletes it for both sides. The bot is not told. */
  deleteMessage(chat: ChatScreen, message: { readonly id: number }): void;
  /** Delivers an update once more. */
  deliverAgain(update: Update): void;

  /** Lets calls of a method fail. */
  refuse(method: MethodName, error: ScriptedError, scope?: FaultScope): Fault;
  /** Holds calls of a method up before they are carried out. */
  delay(method: MethodName, by: Holdup, scope?: FaultScope): Fault;
  /** Breaks the connection of calls in place of an answer, before or after they are carried out. */
  drop(method: MethodName, scope?: FaultScope & { readonly when?: "before" | "after" }): Fault;
  /** Changes how often a bot may write. */
  setFlood(settings: FloodSettings): void;

  /** The calls of one method. */
  callsOf(method: MethodName): readonly Call[];
  /**
   * Waits until a question about the server has an answer other than undefined and false, and gives it.
   * After the time limit (20 s) it rejects with what is to be seen on the screens.
   */
  until<T>(question: () => T | undefined | false, what: string, timeLimitMs?: number): Promise<T>;
  close(): Promise<void>;
}

const TIME_LIMIT_MS = 20_000;

const USUAL_BOT: UserFromGetMe = {
  id: 7_700_000_001,
  is_bot: true,
  first_name: "Fullstop",
  username: "fullstop_bot",
  can_join_groups: true,
  can_read_all_group_messages: false,
  supports_inline_queries: false,
  can_connect_to_business: false,
  has_main_web_app: false,
  has_topics_enabled: false,
  allows_users_to_create_topics: false,
  can_manage_bots: false,
  supports_join_request_queries: false,
};

/** Starts a Bot API server on a free port of this machine. It is as strict as Telegram is, and now and then more. */
export async function startBotApi(options: BotApiOptions = {}): Promise<BotApi> {
  const { token = "7700000001:AAFdoublefortests", flood = {}, now = () => performance.now() } = options;
  const world = new World({ ...USUAL_BOT, ...options.bot }, now);
  const updates = new UpdateQueue();
  const webhook = new Webhook(updates, { retryMs: 20, timeoutMs: 60_000, order: "by-lane", ...options.webhook });
  updates.onUpdate = () => webhook.post();
  const house = { world, updates, webhook };
  const faults = new Faults();
  const floodControl = new FloodControl(flood, now);
  const dispatcher = new Dispatcher(house, faults, floodControl);
  const edge = await openHttpEdge(token, dispatcher);
  const people = new People(house, (question, what) => until(world, dispatcher.calls, question, what, TIME_LIMIT_MS));
  const screens = new Map<number, ChatScreen>();
  // Beyond 32 bits, as the ids of people are by now.
  let nextPerson = 5_000_000_001;
  let nextGroup = 1;

  const stateOf = ({ id }: { readonly id: number }): ChatState => {
    const chat = world.chats.get(id);
    if (chat === undefined) throw new Error(`There is no chat ${id}`);
    return chat;
  };
  const open = (chat: KnownChat, hasTopics: boolean): ChatScreen => {
    const state = emptyChat(chat, hasTopics);
    const screen = screenOf(world, state);
    world.chats.set(chat.id, state);
    screens.set(chat.id, screen);
    return screen;
  };
  const close = async (): Promise<void> => {
    webhook.set(undefined);
    await edge.close();
  };

  return {
    url: edge.url,
    token,
    botInfo: world.bot,
    calls: dispatcher.calls,
    updates: updates.all,
    toasts: world.toasts,
    commands: world.commands,
    get pendingUpdates() {
      return updates.pending.length;
    },

    person({ id = nextPerson++, firstName, username, languageCode }) {
      const user: User = {
        id,
        is_bot: false,
        first_name: firstName,
        ...(username !== undefined && { username }),
        ...(languageCode !== undefined && { language_code: languageCode }),
      };
      world.people.set(id, user);
      return user;
    },
    privateChat(person, { hasTopics = false } = {}) {
      const existing = screens.get(person.id);
      if (existing !== undefined) return existing;
      const { id, first_name, username } = person;
      const screen = open({ id, type: "private", first_name, ...(username !== undefined && { username }) }, hasTopics);
      stateOf(screen).members.set(id, { user: person, status: "member" });
      stateOf(screen).members.set(world.bot.id, { user: world.bot, status: "member" });
      return screen;
    },
    group({ title, type = "supergroup", isForum = false, admins = [], members = [], isBotAdmin = false }) {
      if (isForum && type === "group") throw new Error("Only a supergroup can be a forum");
      const number = nextGroup++;
      const chat: KnownChat =
        type === "group"
          ? { id: -4_000_000_000 - number, type, title }
          : { id: -1_002_000_000_000 - number, type, title, ...(isForum && { is_forum: true as const }) };
      const screen = open(chat, isForum);
      const roll = stateOf(screen).members;
      for (const user of members) roll.set(user.id, { user, status: "member" });
      for (const [index, user] of admins.entries()) {
        roll.set(user.id, { user, status: index === 0 ? "creator" : "administrator" });
      }
      roll.set(world.bot.id, { user: world.bot, status: isBotAdmin ? "administrator" : "member" });
      return screen;
    },
    channel({ title, admins }) {
      const screen = open({ id: -1_002_000_000_000 - nextGroup++, type: "channel", title }, false);
      const roll = stateOf(screen).members;
      for (const user of [...admins, world.bot]) roll.set(user.id, { user, status: "administrator" });
      return screen;
    },
    setAdmin(chat, person, isAdmin) {
      stateOf(chat).members.set(person.id, { user: person, status: isAdmin ? "administrator" : "member" });
    },

    say: (chat, person, text, sayOptions = {}) => people.say(stateOf(chat), person, text, sayOptions),
    press: (chat, person, button, on) => people.press(stateOf(chat), person, button, on),
    pressData: (chat, person, data, on) => people.pressData(stateOf(chat), person, data, on),
    stopDraft: (chat, topic) => people.stopDraft(stateOf(chat), topic),
    block: (person) => people.setBlocked(stateOf(person), person, true),
    unblock: (person) => people.setBlocked(stateOf(person), person, false),
    deleteMessage(chat, { id }) {
      const message = stateOf(chat).timeline.find((entry) => entry.kind === "message" && entry.id === id);
      if (message?.kind !== "message") throw new Error(`There is no message ${id} in "${chat.title}"`);
      message.isGone = true;
      world.changed();
    },
    deliverAgain: (update) => updates.again(update),

    refuse: (method, error, scope = {}) => faults.add(method, { kind: "refuse", error }, scope),
    delay: (method, by, scope = {}) => faults.add(method, { kind: "delay", by }, scope),
    drop: (method, { when = "before", ...scope } = {}) => faults.add(method, { kind: "drop", when }, scope),
    setFlood(settings) {
      floodControl.settings = settings;
    },

    callsOf: (method) => dispatcher.calls.filter((call) => call.method === method),
    until: (question, what, timeLimitMs = TIME_LIMIT_MS) => until(world, dispatcher.calls, question, what, timeLimitMs),
    close,
    [Symbol.asyncDispose]: close,
  };
}
