import type { Clock, GenerationEvent, Message, TerminationSignal } from "fullstop";
import { Recorder } from "fullstop/control";
import type { GenerationRecord, GenerationStore } from "fullstop/control";
import type { BotLog } from "../operations/log.ts";
import type { Place } from "../place.ts";
import type { UnfinishedAnswers } from "./unfinished.ts";

/** What the record of an answer needs to know. */
export interface AnswerRecordOptions {
  readonly record: GenerationRecord;
  readonly place: Place;
  readonly languageCode: string | undefined;
  /** What the model was asked and is not in the conversation yet. */
  readonly asked: readonly Message[];
  readonly store: GenerationStore;
  readonly unfinished: UnfinishedAnswers;
  readonly log: BotLog;
  readonly clock: Clock;
  /** All that was generated so far. */
  readonly events: readonly GenerationEvent[];
  /** Called when there is more that people may see, because it would outlast this process. */
  readonly onRelease: () => void;
  /** Called when others have taken this process for dead and ended the answer. */
  readonly onLost: () => void;
}

/**
 * What is kept of an answer while it is written, so that it can be followed and stopped from elsewhere, and finished by
 * others should this process die. A store that is away is no reason not to answer.
 */
export class AnswerRecord {
  readonly #options: AnswerRecordOptions;
  readonly #recorder: Recorder;

  private constructor(options: AnswerRecordOptions) {
    const { store, record, events, log, clock, onRelease, onLost } = options;
    this.#options = options;
    this.#recorder = new Recorder({
      store,
      record,
      events: () => events,
      onRelease,
      onEnded: onLost,
      onFailure: (error) => log.warn({ generation: record.id, err: error }, "the store could not record an answer"),
      clock,
    });
  }

  /** Begins the record. */
  static async open(options: AnswerRecordOptions): Promise<AnswerRecord> {
    // Put on the list first: an answer that is recorded but not on it would never be finished by anybody.
    const answer = describe(options, []);
    await attempt(options, () => options.unfinished.put(answer));
    return new AnswerRecord(options);
  }

  /** Says that there are more events. */
  advance(): void {
    this.#recorder.advance();
  }

  /** Keeps in which messages the answer is shown. */
  async remember(messageIds: readonly number[]): Promise<void> {
    const answer = describe(this.#options, messageIds);
    await attempt(this.#options, () => this.#options.unfinished.put(answer));
  }

  /** Ends the record, when all has been said. */
  async close(signal: TerminationSignal): Promise<void> {
    // Whoever finds an answer that has ended on the list has to finish it, so it is taken off first.
    await attempt(this.#options, () => this.#options.unfinished.remove(this.#options.record.id));
    await this.#recorder.finish(signal);
  }
}

function describe(
  { record, place, asked, languageCode }: AnswerRecordOptions,
  messageIds: readonly number[],
): Parameters<UnfinishedAnswers["put"]>[0] {
  return { id: record.id, place, startedAt: record.startedAt, asked, messageIds, languageCode };
}

async function attempt({ record, log }: AnswerRecordOptions, step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (error) {
    log.warn({ generation: record.id, err: error }, "the store could not be told about an answer");
  }
}
