import type { Clock, GenerationEvent, Message, TerminationSignal } from "fullstop";
import { Recorder } from "fullstop/control";
import type { DocumentVersion, GenerationRecord, GenerationStore } from "fullstop/control";
import type { BotLog } from "../operations/log.ts";
import { nameOf } from "../place.ts";
import type { Place } from "../place.ts";
import type { SaidAnswers } from "./said-answers.ts";
import type { Seam } from "./seen-text.ts";
import type { UnfinishedAnswer, UnfinishedAnswers } from "./unfinished.ts";

/** What the record of an answer needs to know. */
export interface AnswerRecordOptions {
  readonly record: GenerationRecord;
  readonly place: Place;
  /** The message that is answered. */
  readonly questionId: number;
  /** The messages before it that are answered along with it. */
  readonly mergedIds: readonly number[];
  readonly languageCode: string | undefined;
  /** What the model was asked and is not in the conversation yet. */
  readonly asked: readonly Message[];
  /** The answer that this one is written in place of. */
  readonly replaces: string | undefined;
  readonly store: GenerationStore;
  readonly unfinished: UnfinishedAnswers;
  readonly said: Pick<SaidAnswers, "takeOff">;
  readonly log: BotLog;
  readonly clock: Clock;
  /** All that was generated so far, and where it is not simply put together. */
  readonly events: readonly GenerationEvent[];
  readonly seams: readonly Seam[];
  /** Called when there is more that people may see, because it would outlast this process. */
  readonly onRelease: () => void;
  /** Called when others have taken this process for dead and ended the answer. */
  readonly onLost: () => void;
  /** Fires when the store is to be let go of at once. */
  readonly closing: AbortSignal;
}

/**
 * What is kept of an answer while it is written, so that it can be followed and stopped from elsewhere, and finished by
 * others should this process die. A store that is away is no reason not to answer.
 */
export class AnswerRecord {
  readonly #options: AnswerRecordOptions;
  readonly #recorder: Recorder;
  /** What this process has put on the list. */
  #version: DocumentVersion | undefined;
  #messageIds: readonly number[] = [];
  #isLost = false;

  private constructor(options: AnswerRecordOptions, version: DocumentVersion | undefined) {
    const { store, record, events, log, clock, onRelease, closing } = options;
    this.#options = options;
    this.#version = version;
    this.#recorder = new Recorder({
      store,
      record,
      events: () => events,
      onRelease,
      onEnded: () => this.#lose(),
      onFailure: (error) => log.warn({ generation: record.id, err: error }, "the store could not record an answer"),
      clock,
    });
    const letGo = (): void => this.#recorder.close();
    closing.addEventListener("abort", letGo);
    void this.#recorder.done.then(() => closing.removeEventListener("abort", letGo));
  }

  /** Begins the record. When this is done others can find it, unless the store is away. */
  static async open(options: AnswerRecordOptions): Promise<AnswerRecord> {
    let version: DocumentVersion | undefined;
    await attempt(options, async () => {
      // Put on the list first: an answer that is recorded but not on it would never be finished by anybody.
      version = await options.unfinished.put(describe(options, []), "any");
      await options.store.open(options.record);
    });
    return new AnswerRecord(options, version);
  }

  /** Whether others have taken this process for dead, so that the answer is theirs to finish. */
  async isTakenOver(): Promise<boolean> {
    const { store, record } = this.#options;
    await attempt(this.#options, async () => {
      // A process that stood still may not have been told yet.
      if ((await store.find(record.id))?.signal !== undefined) this.#isLost = true;
    });
    return this.#isLost;
  }

  /** Says that there are more events. */
  advance(): void {
    this.#recorder.advance();
  }

  /** Keeps in which messages the answer is shown. */
  async remember(messageIds: readonly number[]): Promise<void> {
    this.#messageIds = messageIds;
    await this.rememberSeams();
  }

  /** Keeps where what is recorded is not simply put together. */
  async rememberSeams(): Promise<void> {
    if (this.#isLost) return;
    const { unfinished } = this.#options;
    const answer = describe(this.#options, this.#messageIds);
    await attempt(this.#options, async () => {
      const version = await unfinished.put(answer, this.#version ?? "any");
      // Others may have finished it, and would do so again; or the answer of the store was lost when it was put there.
      if (version !== undefined) this.#version = version;
      else if (!(await this.isTakenOver())) this.#version = await unfinished.put(answer, "any");
    });
  }

  /** Ends the record, when all has been said; or when the rest is left to others, who find it on the list. */
  async close(signal: TerminationSignal, end: "said" | "left"): Promise<void> {
    const { record, place, said } = this.#options;
    const entry = { id: record.id, placeName: nameOf(place) };
    // Before the record ends, so that nobody finds it on the list then and finishes it once more.
    if (end === "said" && !this.#isLost) await attempt(this.#options, () => said.takeOff(entry));
    await this.#recorder.finish(signal);
  }

  #lose(): void {
    this.#isLost = true;
    this.#options.onLost();
  }
}

function describe(
  { record, place, asked, languageCode, questionId, mergedIds, replaces, seams }: AnswerRecordOptions,
  messageIds: readonly number[],
): UnfinishedAnswer {
  const { id, startedAt } = record;
  const shown = { messageIds, questionId, mergedIds, languageCode };
  return { id, place, startedAt, asked, ...shown, replaces, seams, isKept: false };
}

async function attempt({ record, log }: AnswerRecordOptions, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    log.warn({ generation: record.id, err: error }, "the store could not be told about an answer");
  }
}
