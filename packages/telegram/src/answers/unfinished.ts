import type { Message } from "fullstop";
import type { DocumentStore, DocumentVersion } from "fullstop/control";
import { array, boolean, integer, literal, number, object, optional, parse, pipe, string, union } from "valibot";
import { nameOf } from "../place.ts";
import type { Place } from "../place.ts";
import type { Seam } from "./seen-text.ts";
import { STORED_MESSAGE } from "./stored-message.ts";
import { STORED_PLACE } from "./stored-place.ts";

/** What has to be known of an answer to end it properly after its process has died. */
export interface UnfinishedAnswer {
  readonly id: string;
  readonly place: Place;
  readonly startedAt: number;
  /** What was said before the model was asked and is not in the conversation yet. */
  readonly asked: readonly Message[];
  /** The messages in which it is shown so far. */
  readonly messageIds: readonly number[];
  /** The message that is answered. */
  readonly questionId: number;
  /** The messages before it that are answered along with it. */
  readonly mergedIds: readonly number[];
  readonly languageCode: string | undefined;
  /** The answer that this one is written in place of. */
  readonly replaces: string | undefined;
  /** Where what is recorded of it is not simply put together. */
  readonly seams: readonly Seam[];
  /** Whether it is in the conversation, so that only its messages have to be put right. */
  readonly isKept: boolean;
}

/** Longer than any answer takes, so that what nobody comes back for is forgotten. */
const KEEP_MILLISECONDS = 7 * 24 * 60 * 60 * 1_000;

const wholeNumber = pipe(number(), integer());

const STORED = object({
  id: string(),
  place: STORED_PLACE,
  startedAt: number(),
  asked: array(STORED_MESSAGE),
  messageIds: array(wholeNumber),
  questionId: wholeNumber,
  mergedIds: optional(array(wholeNumber), []),
  languageCode: optional(string()),
  replaces: optional(string()),
  seams: optional(array(object({ events: wholeNumber, keep: union([wholeNumber, literal("all")]) })), []),
  isKept: boolean(),
});

/** An answer on the list: whose it is can be told without reading it. */
export interface UnfinishedEntry {
  readonly id: string;
  readonly placeName: string;
}

/** The answers that are under way in all processes. One is taken off the list when all of it has been said. */
export class UnfinishedAnswers {
  readonly #store: DocumentStore;
  readonly #folder: string;
  readonly #claims: string;
  readonly #claimMilliseconds: number;

  /** A claim of a process that has died is over after `claimMilliseconds`. */
  constructor(store: DocumentStore, bot: number, claimMilliseconds: number) {
    this.#store = store;
    this.#claimMilliseconds = claimMilliseconds;
    this.#folder = `telegram-unfinished-${bot}`;
    this.#claims = `telegram-claims-${bot}`;
  }

  /**
   * Puts an answer on the list, in place of what is there of it. Gives the version that is there now; undefined if
   * another one was there than was expected, and stays.
   */
  put(answer: UnfinishedAnswer, expected: DocumentVersion | "any"): Promise<DocumentVersion | undefined> {
    const name = encodeEntry({ id: answer.id, placeName: nameOf(answer.place) });
    const options = { keepMilliseconds: KEEP_MILLISECONDS, expected };
    return this.#store.writeDocument(this.#folder, name, JSON.stringify(answer), options);
  }

  async remove(entry: UnfinishedEntry): Promise<void> {
    const name = encodeEntry(entry);
    await this.#store.deleteDocument(this.#folder, name, "any");
    await this.#store.deleteDocument(this.#claims, name, "any");
  }

  async list(): Promise<readonly UnfinishedEntry[]> {
    const names = await this.#store.documentNames(this.#folder);
    return names.map(decodeEntry);
  }

  /** An answer on the list; `"damaged"` if it cannot be read. */
  async read(entry: UnfinishedEntry): Promise<UnfinishedAnswer | "damaged" | undefined> {
    const document = await this.#store.readDocument(this.#folder, encodeEntry(entry));
    if (document === undefined) return undefined;
    try {
      return decode(document.value);
    } catch {
      return "damaged";
    }
  }

  /** Whether an answer to a message is on the list. */
  async hasAnswerTo(place: Place, messageId: number): Promise<boolean> {
    const entries = (await this.list()).filter(({ placeName }) => placeName === nameOf(place));
    const answers = await Promise.all(entries.map((entry) => this.read(entry)));
    return answers.some(
      (answer) => answer !== undefined && answer !== "damaged" && questionIdsOf(answer).includes(messageId),
    );
  }

  /**
   * Claims an answer in order to end it, and take it off the list then. Of several processes that want to, one may.
   * Another one may after a while, should that one die as well; if it is only slow, ending it twice does no harm.
   */
  async claim(entry: UnfinishedEntry): Promise<boolean> {
    const options = { keepMilliseconds: this.#claimMilliseconds, expected: "none" } as const;
    return (await this.#store.writeDocument(this.#claims, encodeEntry(entry), "", options)) !== undefined;
  }
}

/** The messages that an answer answers. */
export function questionIdsOf({
  mergedIds,
  questionId,
}: Pick<UnfinishedAnswer, "mergedIds" | "questionId">): readonly number[] {
  return [...mergedIds, questionId];
}

function encodeEntry({ id, placeName }: UnfinishedEntry): string {
  return `${placeName}.${id}`;
}

function decodeEntry(name: string): UnfinishedEntry {
  const [placeName = "", id = ""] = name.split(".", 2);
  return { id, placeName };
}

function decode(value: string): UnfinishedAnswer {
  const { languageCode, replaces, ...others } = parse(STORED, JSON.parse(value));
  return { ...others, languageCode, replaces };
}
