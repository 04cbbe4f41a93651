import { randomUUID } from "node:crypto";
import type { DocumentStore, DocumentVersion, StoredDocument } from "fullstop/control";
import { integer, literal, number, object, optional, parse, pipe, string, variant } from "valibot";
import type { Question } from "../answers/question.ts";
import { STORED_QUESTION } from "../answers/stored-message.ts";
import { STORED_PLACE } from "../answers/stored-place.ts";
import type { UnfinishedAnswers } from "../answers/unfinished.ts";
import type { BotLog } from "../operations/log.ts";
import { isIn, nameOf } from "../place.ts";
import type { Place } from "../place.ts";
import type { FindWords } from "../words/languages.ts";

/** A question that was never begun is answered for as long as Telegram would deliver it, which is a day. */
const KEEP_MILLISECONDS = 24 * 60 * 60 * 1_000;

/** How long it is remembered that something was stopped: longer than any update is on its way. */
const STOPPED_MILLISECONDS = 60_000;

/**
 * How many rounds in a row have to find a process gone before others take its questions. One that was only cut off has
 * that while to say that it lives.
 */
const SIGHTINGS = 3;

/** For how many rounds nobody is judged after the store was away: it was so for the others, too. */
const GRACE_ROUNDS = 2;

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
export interface WaitingQuestionsParts {
  readonly store: DocumentStore;
  readonly bot: number;
  /** The name of this process. */
  readonly holder: string;
  /** After how long a process that does not say that it lives counts as dead. */
  readonly leaseMilliseconds: number;
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
  readonly #processes: string;
  readonly #stops: string;
  /** The names of those that wait in a lane of this process. What else the list has of this process is over. */
  readonly #held = new Set<string>();
  /** The names of those that this process takes over, and does not know whether it has. */
  readonly #taking = new Set<string>();
  /** Processes that seem to be gone, and how often in a row that was seen. */
  #suspects: ReadonlyMap<string, number> = new Map();
  #graceRounds = 0;

  constructor(parts: WaitingQuestionsParts) {
    this.#parts = parts;
    this.#folder = `telegram-waiting-${parts.bot}`;
    this.#processes = `telegram-processes-${parts.bot}`;
    this.#stops = `telegram-stops-${parts.bot}`;
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
    await this.#rememberStop(placeName, updateId);
    const meant = (await this.#namesOf(placeName)).filter((name) => Number(name.split(".")[1]) < updateId);
    const withdrawn = await Promise.all(meant.map((name) => store.deleteDocument(this.#folder, name, "any")));
    return withdrawn.includes(true);
  }

  /** Stops can overtake each other on their way, too: the latest one counts. */
  async #rememberStop(name: string, updateId: number): Promise<void> {
    const { store } = this.#parts;
    for (;;) {
      const found = await store.readDocument(this.#stops, name);
      const value = String(Math.max(updateId, stopOf(found)));
      const options = { keepMilliseconds: STOPPED_MILLISECONDS, expected: found ?? "none" } as const;
      if ((await store.writeDocument(this.#stops, name, value, options)) !== undefined) return;
    }
  }

  /** The update before which everything that was asked in a place is withdrawn; 0 if nobody has stopped anything lately. */
  async withdrawnBefore(place: Place): Promise<number> {
    const { store } = this.#parts;
    return this.#attempt(0, async () => stopOf(await store.readDocument(this.#stops, nameOf(place))));
  }

  /** Whether any process has a question that waits in a place. */
  async isAnyIn(place: Place): Promise<boolean> {
    return (await this.placeNames()).includes(nameOf(place));
  }

  /** The names of the places where something waits. */
  async placeNames(): Promise<readonly string[]> {
    const names = await this.#parts.store.documentNames(this.#folder);
    return names.map((name) => name.split(".", 1)[0] ?? "");
  }

  /** Says that this process lives, takes over what dead ones have left, and takes off what it could not before. */
  async round(): Promise<readonly LeftQuestion[]> {
    const { store, holder, leaseMilliseconds } = this.#parts;
    try {
      const options = { keepMilliseconds: leaseMilliseconds, expected: "any" } as const;
      await store.writeDocument(this.#processes, holder, "", options);
      const names = await store.documentNames(this.#folder);
      const judge = await this.#beginJudging();
      const found = await Promise.all(names.map((name) => this.#attempt(undefined, () => this.#takeOver(name, judge))));
      return found.filter((left) => left !== undefined);
    } catch (error) {
      this.#suspects = new Map();
      this.#graceRounds = GRACE_ROUNDS;
      throw error;
    }
  }

  /** Gives what says of a process, as often as it is asked in this round, whether it is gone for good. */
  async #beginJudging(): Promise<Judge> {
    const living = new Set(await this.#parts.store.documentNames(this.#processes));
    const before = this.#suspects;
    const suspects = new Map<string, number>();
    this.#suspects = suspects;
    if (this.#graceRounds > 0) {
      this.#graceRounds -= 1;
      return () => false;
    }
    return (holder) => {
      if (living.has(holder)) return false;
      const sightings = (before.get(holder) ?? 0) + 1;
      suspects.set(holder, sightings);
      return sightings >= SIGHTINGS;
    };
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

function stopOf(document: StoredDocument | undefined): number {
  const updateId = Number(document?.value);
  return Number.isSafeInteger(updateId) ? updateId : 0;
}

/** Says whether a process is gone. */
type Judge = (holder: string) => boolean;

type StoredQuestion = Omit<Question, "words"> & { readonly holder: string; readonly place: Place };

function decode(value: string): StoredQuestion | "damaged" {
  try {
    const { languageCode, ...others } = parse(STORED, JSON.parse(value));
    return { ...others, languageCode };
  } catch {
    return "damaged";
  }
}
