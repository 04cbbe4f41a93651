import { randomUUID } from "node:crypto";
import type { DocumentVersion } from "fullstop/control";
import { integer, literal, number, object, optional, parse, pipe, string, variant } from "valibot";
import type { Question } from "../answers/question.ts";
import { STORED_QUESTION } from "../answers/stored-message.ts";
import { STORED_PLACE } from "../answers/stored-place.ts";
import type { UnfinishedAnswers } from "../answers/unfinished.ts";
import type { BotLog } from "../operations/log.ts";
import { isIn, nameOf } from "../place.ts";
import type { Place } from "../place.ts";
import type { FindWords } from "../words/languages.ts";
import { LivingProcesses } from "./living-processes.ts";
import type { Judge, LivingProcessesParts } from "./living-processes.ts";
import { StopMarks } from "./stop-marks.ts";

/** A question that was never begun is answered for as long as Telegram would deliver it, which is a day. */
const KEEP_MILLISECONDS = 24 * 60 * 60 * 1_000;

/** A question on the list, as this process has put it there. */
export interface KeptQuestion extends DocumentVersion {
  readonly name: string;
}

/** A question that a process has left which has died. From now on it is this one's. */
export interface LeftQuestion {
  readonly place: Place;
  readonly question: Question;
  readonly kept: KeptQuestion;
}

/** What the list of questions needs to know. */
export interface WaitingQuestionsParts extends LivingProcessesParts {
  /** Tells of which questions the answers have begun: those are finished by others, not begun anew. */
  readonly unfinished: Pick<UnfinishedAnswers, "hasAnswerTo">;
  readonly findWords: FindWords;
  readonly log: BotLog;
}

const wholeNumber = pipe(number(), integer());

const STORED = object({
  holder: string(),
  place: STORED_PLACE,
  task: variant("type", [
    object({ type: literal("message"), message: STORED_QUESTION }),
    object({ type: literal("continue"), of: string() }),
    object({ type: literal("regenerate"), of: string() }),
  ]),
  messageId: wholeNumber,
  updateId: wholeNumber,
  languageCode: optional(string()),
});

/**
 * The questions that wait for their answers to begin, in all processes. They are on a list, so that a stop finds them
 * wherever they wait, and none is lost with its process: Telegram takes them for delivered as soon as they have come.
 */
export class WaitingQuestions {
  readonly #parts: WaitingQuestionsParts;
  readonly #folder: string;
  readonly #processes: LivingProcesses;
  readonly #stops: StopMarks;
  /** The names of those that wait in a lane of this process. What else the list has of this process is over. */
  readonly #held = new Set<string>();
  /** The names of those that this process takes over, and does not know whether it has. */
  readonly #taking = new Set<string>();

  constructor(parts: WaitingQuestionsParts) {
    this.#parts = parts;
    this.#folder = `telegram-waiting-${parts.bot}`;
    this.#processes = new LivingProcesses(parts);
    this.#stops = new StopMarks(parts.store, parts.bot);
  }

  /** Puts a question on the list. Undefined if the store is away, which is no reason not to answer it. */
  async keep(place: Place, question: Question): Promise<KeptQuestion | undefined> {
    const { store, holder } = this.#parts;
    const { task, messageId, updateId, languageCode } = question;
    const name = `${nameOf(place)}.${updateId}.${randomUUID()}`;
    const value = JSON.stringify({ holder, place, task, messageId, updateId, languageCode });
    this.#held.add(name);
    const kept = await this.#attempt(undefined, async () => {
      const options = { keepMilliseconds: KEEP_MILLISECONDS, expected: "any" } as const;
      const written = await store.writeDocument(this.#folder, name, value, options);
      return written && { name, version: written.version };
    });
    // It may be there all the same. Nobody here knows its version, so the next round takes it off.
    if (kept === undefined) this.#held.delete(name);
    return kept;
  }

  /** Whether a question is still this process's to answer. Where the store cannot say, it is. */
  async isKept({ name, version }: KeptQuestion): Promise<boolean> {
    const { store } = this.#parts;
    return this.#attempt(true, async () => (await store.readDocument(this.#folder, name))?.version === version);
  }

  /**
   * Takes a question off the list. False if somebody has done so before, or has it now. Where the store is away, the
   * next round does it.
   */
  async forget(kept: KeptQuestion): Promise<boolean> {
    const isForgotten = await this.#attempt(true, () =>
      this.#parts.store.deleteDocument(this.#folder, kept.name, kept),
    );
    // Not before: a round that took it off meanwhile would look like somebody who has withdrawn it.
    this.#held.delete(kept.name);
    return isForgotten;
  }

  /** Takes those off the list that an answer was begun to whose process has died: somebody finishes that one. */
  async forgetAnswered(place: Place, messageIds: readonly number[]): Promise<void> {
    const { store } = this.#parts;
    const names = await this.#namesOf(nameOf(place));
    await Promise.all(
      names.map(async (name) => {
        const document = await store.readDocument(this.#folder, name);
        const stored = document === undefined ? "damaged" : decode(document.value);
        if (document === undefined || stored === "damaged" || !messageIds.includes(stored.messageId)) return;
        await store.deleteDocument(this.#folder, name, document);
      }),
    );
  }

  /**
   * Takes those off the list that were asked in a place before an update. False if there are none. Those that come here
   * later, because they were overtaken on their way, are withdrawn as well.
   */
  async withdraw(place: Place, updateId: number): Promise<boolean> {
    return this.#withdraw(nameOf(place), updateId);
  }

  /** Does so in all places of a chat where something waits. */
  async withdrawIn(chat: number, updateId: number): Promise<void> {
    const places = new Set((await this.placeNames()).filter((name) => isIn(name, chat)));
    await Promise.all([...places].map((name) => this.#withdraw(name, updateId)));
  }

  async #withdraw(placeName: string, updateId: number): Promise<boolean> {
    const { store } = this.#parts;
    await this.#stops.put(placeName, updateId);
    const meant = (await this.#namesOf(placeName)).filter((name) => Number(name.split(".")[1]) < updateId);
    const withdrawn = await Promise.all(meant.map((name) => store.deleteDocument(this.#folder, name, "any")));
    return withdrawn.includes(true);
  }

  /** The update before which everything that was asked in a place is withdrawn; 0 if nobody has stopped anything lately. */
  async withdrawnBefore(place: Place): Promise<number> {
    return this.#attempt(0, () => this.#stops.read(nameOf(place)));
  }

  /** The names of the places where something waits. */
  async placeNames(): Promise<readonly string[]> {
    const names = await this.#parts.store.documentNames(this.#folder);
    return names.map((name) => name.split(".", 1)[0] ?? "");
  }

  /** Says that this process lives, takes over what dead ones have left, and takes off what it could not before. */
  async round(): Promise<readonly LeftQuestion[]> {
    try {
      const isGone = await this.#processes.beginRound();
      const names = await this.#parts.store.documentNames(this.#folder);
      const found = await Promise.all(
        names.map((name) => this.#attempt(undefined, () => this.#takeOver(name, isGone))),
      );
      return found.filter((left) => left !== undefined);
    } catch (error) {
      this.#processes.beginAnew();
      throw error;
    }
  }

  async #takeOver(name: string, isGone: Judge): Promise<LeftQuestion | undefined> {
    const { store, holder, unfinished, findWords, log } = this.#parts;
    const document = await store.readDocument(this.#folder, name);
    if (document === undefined) return undefined;
    const stored = decode(document.value);
    if (stored === "damaged") {
      log.warn({}, "a question that was left cannot be read, and is forgotten");
      await store.deleteDocument(this.#folder, name, document);
      return undefined;
    }
    if (this.#held.has(name)) return undefined;
    if (stored.holder === holder && !this.#taking.has(name)) {
      await store.deleteDocument(this.#folder, name, document);
      return undefined;
    }
    if (stored.holder !== holder && !isGone(stored.holder)) return undefined;
    if (await unfinished.hasAnswerTo(stored.place, stored.messageId)) return undefined;
    // Of several processes that find it, one is the first. It is theirs then, also if its own process is only slow.
    const options = { keepMilliseconds: KEEP_MILLISECONDS, expected: document };
    this.#taking.add(name);
    const taken = await store.writeDocument(this.#folder, name, JSON.stringify({ ...stored, holder }), options);
    this.#taking.delete(name);
    if (taken === undefined) return undefined;
    this.#held.add(name);
    const { place, holder: _, ...others } = stored;
    const question = { ...others, words: findWords(others.languageCode) };
    return { place, question, kept: { name, version: taken.version } };
  }

  async #namesOf(placeName: string): Promise<readonly string[]> {
    const names = await this.#parts.store.documentNames(this.#folder);
    return names.filter((name) => name.startsWith(`${placeName}.`));
  }

  async #attempt<T>(otherwise: T, step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      this.#parts.log.warn({ err: error }, "the store could not be told about a question");
      return otherwise;
    }
  }
}

type StoredQuestion = Omit<Question, "words"> & { readonly holder: string; readonly place: Place };

function decode(value: string): StoredQuestion | "damaged" {
  try {
    const { languageCode, ...others } = parse(STORED, JSON.parse(value));
    return { ...others, languageCode };
  } catch {
    return "damaged";
  }
}
