import type { Message } from "fullstop";
import type { DocumentStore } from "fullstop/control";
import { z } from "zod";
import { nameOf } from "../place.ts";
import type { Place } from "../place.ts";
import { STORED_MESSAGE } from "./stored-message.ts";

/** What is remembered of the last answer, so that it can be continued or written again. */
export interface LastAnswer {
  readonly id: string;
  /** How many messages come before it. */
  readonly from: number;
  /** Whether it goes on from the answer before it. */
  readonly isContinuation?: boolean | undefined;
}

/** What was said in a place. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly lastAnswer: LastAnswer | undefined;
}

/** How much of conversations is kept, and for how long. */
export interface ConversationSettings {
  readonly maxMessages: number;
  readonly maxCharacters: number;
  /** How long a conversation is kept after something was last said in it. */
  readonly keepMilliseconds: number;
}

const EMPTY: Conversation = { messages: [], lastAnswer: undefined };

/** The conversations of a bot, in a store that outlasts it and that several processes share. */
export class Conversations {
  readonly #store: DocumentStore;
  readonly #folder: string;
  readonly #settings: ConversationSettings;

  constructor(store: DocumentStore, bot: number, settings: ConversationSettings) {
    this.#store = store;
    this.#folder = `telegram-conversations-${bot}`;
    this.#settings = settings;
  }

  async read(place: Place): Promise<Conversation> {
    const document = await this.#store.readDocument(this.#folder, nameOf(place));
    return document === undefined ? EMPTY : decode(document.value);
  }

  /**
   * Changes a conversation. The change is made anew if somebody else was faster, so that nothing is lost when two
   * processes answer in one place.
   */
  async change(place: Place, change: (conversation: Conversation) => Conversation): Promise<void> {
    const name = nameOf(place);
    const { keepMilliseconds } = this.#settings;
    for (;;) {
      const found = await this.#store.readDocument(this.#folder, name);
      const changed = this.#shorten(change(found === undefined ? EMPTY : decode(found.value)));
      const value = JSON.stringify(changed);
      const options = { keepMilliseconds, expected: found ?? "none" } as const;
      if ((await this.#store.writeDocument(this.#folder, name, value, options)) !== undefined) return;
    }
  }

  async forget(place: Place): Promise<void> {
    await this.#store.deleteDocument(this.#folder, nameOf(place), "any");
  }

  /** Forgets the oldest messages, up to a question, so that no answer stands without one. */
  #shorten({ messages, lastAnswer }: Conversation): Conversation {
    const { maxMessages, maxCharacters } = this.#settings;
    let characters = 0;
    let first = messages.length;
    while (first > 0 && messages.length - first < maxMessages) {
      characters += JSON.stringify(messages[first - 1]).length;
      if (characters > maxCharacters) break;
      first -= 1;
    }
    while (first > 0 && first < messages.length && messages[first]?.role !== "user") first += 1;
    const from = lastAnswer === undefined ? -1 : lastAnswer.from - first;
    return {
      messages: messages.slice(first),
      lastAnswer: lastAnswer === undefined || from < 0 ? undefined : { ...lastAnswer, from },
    };
  }
}

const STORED = z.object({
  messages: z.array(STORED_MESSAGE),
  lastAnswer: z.object({ id: z.string(), from: z.int(), isContinuation: z.boolean().optional() }).optional(),
});

function decode(value: string): Conversation {
  const { messages, lastAnswer } = STORED.parse(JSON.parse(value));
  return { messages, lastAnswer };
}
