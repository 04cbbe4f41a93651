import type { DocumentStore, StoredDocument } from "fullstop/control";
import { nameOf } from "../place.ts";
import type { Place } from "../place.ts";
import {
  appendAnswer,
  EMPTY_CONVERSATION,
  forgetBefore,
  prependConversation,
  shortenConversation,
} from "./conversation.ts";
import type { AppendedAnswer, Conversation } from "./conversation.ts";
import { LateAnswers } from "./late-answers.ts";
import { decodeConversation } from "./stored-conversation.ts";

/** How much of conversations is kept, and for how long. */
export interface ConversationSettings {
  readonly maxMessages: number;
  readonly maxCharacters: number;
  /** How long a conversation is kept after something was last said in it. */
  readonly keepMilliseconds: number;
}

/** The conversations of a bot, in a store that outlasts it and that several processes share. */
export class Conversations {
  readonly #store: DocumentStore;
  readonly #folder: string;
  readonly #settings: ConversationSettings;
  readonly #onDamage: (error: unknown) => void;
  readonly #late = new LateAnswers();

  /** `onDamage` is told of a conversation that cannot be read. It begins anew, so that the bot goes on answering. */
  constructor(store: DocumentStore, bot: number, settings: ConversationSettings, onDamage: (error: unknown) => void) {
    this.#store = store;
    this.#folder = `telegram-conversations-${bot}`;
    this.#settings = settings;
    this.#onDamage = onDamage;
  }

  async read(place: Place): Promise<Conversation> {
    const name = nameOf(place);
    const found = this.#decode(await this.#store.readDocument(this.#folder, name));
    return this.#late.of(name).reduce(appendAnswer, found);
  }

  /** What is known of a conversation without the store: what this process could not put there so far. */
  readWithoutStore(place: Place): Conversation {
    return this.#late.of(nameOf(place)).reduce(appendAnswer, EMPTY_CONVERSATION);
  }

  /**
   * Puts an answer into a conversation. If that is rejected because the store is away, the answer is part of what is
   * read here all the same, and is written later.
   */
  async append(place: Place, answer: AppendedAnswer): Promise<void> {
    this.#late.add(nameOf(place), answer);
    await this.writeLate(nameOf(place));
  }

  /** Puts an answer that another process has left into a conversation, now or not at all: whoever finds it tries again. */
  async recover(place: Place, answer: AppendedAnswer): Promise<void> {
    await this.#change(nameOf(place), (conversation) => appendAnswer(conversation, answer));
  }

  /** Writes what could not be written before, of a place by its name. */
  async writeLate(name: string): Promise<void> {
    if (this.#late.of(name).length === 0) return;
    try {
      await this.#change(name, (conversation) => conversation);
    } catch (error) {
      this.#late.postpone(name);
      throw error;
    }
  }

  /** Writes all that could not be written before. Rejected with the first failure, which is most likely that of all. */
  async writeAllLate(): Promise<void> {
    for (const name of this.#late.names) await this.writeLate(name);
  }

  /**
   * Forgets what was asked before a message. What is left says so, because a process that is cut off from the store can
   * have an answer to that, and puts it there when it is back.
   */
  async forget(place: Place, messageId: number): Promise<void> {
    await this.#change(nameOf(place), (conversation) => forgetBefore(conversation, messageId));
  }

  /** Moves all that was said in a chat to another one, before whatever was said there already. */
  async move(from: number, to: number): Promise<void> {
    await this.writeAllLate();
    const names = await this.#store.documentNames(this.#folder);
    for (const name of names.filter((each) => each.startsWith(`${from}_`))) {
      const moved = this.#decode(await this.#store.readDocument(this.#folder, name));
      await this.#change(`${to}${name.slice(String(from).length)}`, (there) => prependConversation(there, moved));
      await this.#store.deleteDocument(this.#folder, name, "any");
    }
  }

  /**
   * Changes a conversation, after what could not be written before is there. That is done anew if somebody else was
   * faster, so that nothing is lost when two processes answer in one place.
   */
  async #change(name: string, change: (conversation: Conversation) => Conversation): Promise<void> {
    const { keepMilliseconds } = this.#settings;
    const late = this.#late.of(name);
    for (;;) {
      const found = await this.#store.readDocument(this.#folder, name);
      const changed = change(late.reduce(appendAnswer, this.#decode(found)));
      const value = JSON.stringify(shortenConversation(changed, this.#settings));
      const options = { keepMilliseconds, expected: found ?? "none" } as const;
      if ((await this.#store.writeDocument(this.#folder, name, value, options)) !== undefined) break;
    }
    this.#late.remove(late);
  }

  #decode(document: Pick<StoredDocument, "value"> | undefined): Conversation {
    if (document === undefined) return EMPTY_CONVERSATION;
    try {
      return decodeConversation(document.value);
    } catch (error) {
      this.#onDamage(error);
      return EMPTY_CONVERSATION;
    }
  }
}
