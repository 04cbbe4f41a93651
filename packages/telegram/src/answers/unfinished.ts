import type { Message } from "fullstop";
import type { DocumentStore } from "fullstop/control";
import { z } from "zod";
import { CHAT_TYPES } from "../place.ts";
import type { Place } from "../place.ts";
import { STORED_MESSAGE } from "./stored-message.ts";

/** What has to be known of an answer to end it properly after its process has died. */
export interface UnfinishedAnswer {
  readonly id: string;
  readonly place: Place;
  readonly startedAt: number;
  /** What was said before the model was asked and is not in the conversation yet. */
  readonly asked: readonly Message[];
  /** The messages in which it is shown so far. */
  readonly messageIds: readonly number[];
  readonly languageCode: string | undefined;
}

/** Longer than any answer takes, so that what nobody comes back for is forgotten. */
const KEEP_MILLISECONDS = 7 * 24 * 60 * 60 * 1_000;

const STORED = z.object({
  id: z.string(),
  place: z.object({
    chat: z.int(),
    chatType: z.enum(CHAT_TYPES),
    user: z.int(),
    topic: z.int().optional(),
  }),
  startedAt: z.number(),
  asked: z.array(STORED_MESSAGE),
  messageIds: z.array(z.int()),
  languageCode: z.string().optional(),
});

function decode(value: string): UnfinishedAnswer {
  const { place, languageCode, ...others } = STORED.parse(JSON.parse(value));
  return { ...others, languageCode, place: { ...place, topic: place.topic } };
}

/** The answers that are under way in all processes. One is taken off the list when all of it has been said. */
export class UnfinishedAnswers {
  readonly #store: DocumentStore;
  readonly #folder: string;

  constructor(store: DocumentStore, bot: number) {
    this.#store = store;
    this.#folder = `telegram-unfinished-${bot}`;
  }

  async put(answer: UnfinishedAnswer): Promise<void> {
    await this.#store.writeDocument(this.#folder, answer.id, JSON.stringify(answer), {
      keepMilliseconds: KEEP_MILLISECONDS,
      expected: "any",
    });
  }

  async remove(id: string): Promise<void> {
    await this.#store.deleteDocument(this.#folder, id, "any");
  }

  async ids(): Promise<readonly string[]> {
    return this.#store.documentNames(this.#folder);
  }

  async read(id: string): Promise<UnfinishedAnswer | undefined> {
    const document = await this.#store.readDocument(this.#folder, id);
    return document === undefined ? undefined : decode(document.value);
  }

  /** Takes an answer off the list in order to end it. Of several processes that want to, one gets it. */
  async claim(id: string): Promise<UnfinishedAnswer | undefined> {
    const document = await this.#store.readDocument(this.#folder, id);
    if (document === undefined) return undefined;
    const isClaimed = await this.#store.deleteDocument(this.#folder, id, document);
    return isClaimed ? decode(document.value) : undefined;
  }
}
