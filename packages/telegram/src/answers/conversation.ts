import type { Message } from "fullstop";
import type { DocumentStore, StoredDocument } from "fullstop/control";
import { array, boolean, integer, number, object, optional, parse, pipe, string } from "valibot";
import { nameOf } from "../place.ts";
import type { Place } from "../place.ts";
import { answerIdsOf, appendAnswer } from "./append-answer.ts";
import type { AppendedAnswer } from "./append-answer.ts";
import { LateAnswers } from "./late-answers.ts";
import { STORED_MESSAGE } from "./stored-message.ts";

/** What is remembered of the last answer, so that it can be continued or written again. */
interface LastAnswer {
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
  /** Which answers were put there before it, so that none is put there twice. */
  readonly earlier?: readonly string[] | undefined;
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
    return this.#withLate(name, this.#decode(await this.#store.readDocument(this.#folder, name)));
  }

  /** What is known of a conversation without the store: what this process could not put there so far. */
  readWithoutStore(place: Place): Conversation {
    return this.#withLate(nameOf(place), EMPTY);
  }

  /**
   * Puts an answer into a conversation. If that is rejected because the store is away, the answer is part of what is
   * read here all the same, and is written later.
   */
  async append(place: Place, answer: AppendedAnswer): Promise<void> {
    this.#late.add(nameOf(place), answer);
    await this.writeLate(nameOf(place));
  }

  /** Writes what could not be written before, of a place by its name. */
  async writeLate(name: string): Promise<void> {
    const late = this.#late.of(name);
    if (late.length === 0) return;
    try {
      // Looked up anew each time: it may be forgotten meanwhile.
      await this.#change(name, (conversation) => this.#withLate(name, conversation));
      this.#late.remove(late);
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
   * Changes a conversation. The change is made anew if somebody else was faster, so that nothing is lost when two
   * processes answer in one place.
   */
  async change(place: Place, change: (conversation: Conversation) => Conversation): Promise<void> {
    await this.#change(nameOf(place), change);
  }

  async #change(name: string, change: (conversation: Conversation) => Conversation): Promise<void> {
    const { keepMilliseconds } = this.#settings;
    for (;;) {
      const found = await this.#store.readDocument(this.#folder, name);
      const changed = this.#shorten(change(this.#decode(found)));
      const value = JSON.stringify(changed);
      const options = { keepMilliseconds, expected: found ?? "none" } as const;
      if ((await this.#store.writeDocument(this.#folder, name, value, options)) !== undefined) return;
    }
  }

  async forget(place: Place): Promise<void> {
    this.#late.remove(this.#late.of(nameOf(place)));
    await this.#store.deleteDocument(this.#folder, nameOf(place), "any");
  }

  /** Moves all that was said in a chat to another one, before whatever was said there already. */
  async move(from: number, to: number): Promise<void> {
    await this.writeAllLate();
    const names = await this.#store.documentNames(this.#folder);
    for (const name of names.filter((each) => each.startsWith(`${from}_`))) {
      const moved = this.#decode(await this.#store.readDocument(this.#folder, name));
      await this.#change(`${to}${name.slice(String(from).length)}`, (there) => ({
        messages: [...moved.messages, ...there.messages],
        lastAnswer: there.lastAnswer && { ...there.lastAnswer, from: there.lastAnswer.from + moved.messages.length },
        earlier: [...answerIdsOf(moved), ...(there.earlier ?? [])],
      }));
      await this.#store.deleteDocument(this.#folder, name, "any");
    }
  }

  #withLate(name: string, conversation: Conversation): Conversation {
    return this.#late.of(name).reduce(appendAnswer, conversation);
  }

  #decode(document: Pick<StoredDocument, "value"> | undefined): Conversation {
    if (document === undefined) return EMPTY;
    try {
      const { messages, lastAnswer, earlier } = parse(STORED, JSON.parse(document.value));
      // A place that is none in this conversation is no answer's.
      const isWithin = lastAnswer !== undefined && lastAnswer.from >= 0 && lastAnswer.from <= messages.length;
      return { messages, lastAnswer: isWithin ? lastAnswer : undefined, ...(earlier && { earlier }) };
    } catch (error) {
      this.#onDamage(error);
      return EMPTY;
    }
  }

  /**
   * Forgets the oldest messages, up to a question, so that no answer stands without one. The last question and its
   * answer are kept however long they are, because that is what people refer to next.
   */
  #shorten({ messages, lastAnswer, ...others }: Conversation): Conversation {
    const { maxMessages, maxCharacters } = this.#settings;
    let characters = 0;
    let first = messages.length;
    while (first > 0 && messages.length - first < maxMessages) {
      characters += JSON.stringify(messages[first - 1]).length;
      if (characters > maxCharacters) break;
      first -= 1;
    }
    while (first > 0 && first < messages.length && messages[first]?.role !== "user") first += 1;
    first = Math.min(first, Math.max(0, messages.slice(0, lastAnswer?.from).findLastIndex(isQuestion)));
    const from = lastAnswer === undefined ? -1 : lastAnswer.from - first;
    return {
      ...others,
      messages: messages.slice(first),
      lastAnswer: lastAnswer === undefined || from < 0 ? undefined : { ...lastAnswer, from },
    };
  }
}

const STORED = object({
  messages: array(STORED_MESSAGE),
  lastAnswer: optional(object({ id: string(), from: pipe(number(), integer()), isContinuation: optional(boolean()) })),
  earlier: optional(array(string())),
});

function isQuestion({ role }: Message): boolean {
  return role === "user";
}
