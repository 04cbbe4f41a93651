import type { Clock } from "fullstop";
import type { StopReason } from "fullstop/control";
import type { Question } from "../answers/question.ts";
import type { Place } from "../place.ts";
import type { KeptQuestion, WaitingQuestions } from "./waiting-questions.ts";
import type { WhenBusy } from "./when-busy.ts";

/** How many questions can wait in one place. Whoever writes more is told to wait. */
const MOST_WAITING = 20;

/** What the questions of a lane need to know; the same for all of a bot. */
export interface LaneQuestionsParts {
  readonly waiting: Pick<WaitingQuestions, "keep" | "isKept" | "forget" | "withdrawnBefore">;
  readonly whenBusy: WhenBusy;
  /** Messages that come this close to each other are answered as one. */
  readonly mergeMilliseconds: number;
  readonly clock: Clock;
}

/** A question that waits here. */
export interface Waiting {
  readonly question: Question;
  readonly receivedAt: number;
  /** Its place on the list of all processes; undefined if the store is away. Never rejected. */
  readonly kept: Promise<KeptQuestion | undefined>;
}

/** What has become of questions: somebody has stopped all of them, or another process took this one for dead. */
export type Fate = "ours" | "withdrawn" | "taken over";

/** Why an answer is stopped whose questions are not this process's any more. */
export const STOP_REASONS: Readonly<Record<Exclude<Fate, "ours">, StopReason>> = {
  withdrawn: "user",
  "taken over": "owner_lost",
};

/**
 * The questions that wait in one lane. They stay here until their answer has begun, so that a stop finds them wherever
 * they are, and on the list of all processes until it can be found there.
 */
export class LaneQuestions {
  readonly #place: Place;
  readonly #parts: LaneQuestionsParts;
  #waiting: readonly Waiting[] = [];

  constructor(place: Place, parts: LaneQuestionsParts) {
    this.#place = place;
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  get isFull(): boolean {
    return this.#waiting.length >= MOST_WAITING;
  }

  /** The one that came last. */
  get last(): Waiting | undefined {
    return this.#waiting.at(-1);
  }

  /** Adds a question, which is put on the list unless it is there already. */
  add(question: Question, kept?: KeptQuestion): void {
    const { waiting, clock } = this.#parts;
    const listed = kept === undefined ? waiting.keep(this.#place, question) : Promise.resolve(kept);
    this.#waiting = [...this.#waiting, { question, receivedAt: clock.now(), kept: listed }];
  }

  /** Forgets those that were asked before an update. False if there are none. */
  clear(updateId: number): boolean {
    const dropped = this.#waiting.filter(({ question }) => question.updateId < updateId);
    this.#waiting = this.#waiting.filter((each) => !dropped.includes(each));
    void this.#takeOff(dropped);
    return dropped.length > 0;
  }

  /** Leaves out what another process was told to stop, or has taken over, while it waited here. */
  async leaveOutWithdrawn(): Promise<void> {
    const { waiting } = this.#parts;
    const stopped = await waiting.withdrawnBefore(this.#place);
    const looked = await Promise.all(
      this.#waiting.map(async (each) => {
        const kept = await each.kept;
        const isOurs = each.question.updateId > stopped && (kept === undefined || (await waiting.isKept(kept)));
        return { each, isOurs };
      }),
    );
    const gone = looked.filter(({ isOurs }) => !isOurs).map(({ each }) => each);
    this.#waiting = this.#waiting.filter((each) => !gone.includes(each));
    // One that has come later than its stop has been put on the list after it was looked through.
    await this.#takeOff(gone);
  }

  /** Takes what is to be answered next: all of it where the last word counts, else what belongs together. */
  take(): readonly Waiting[] {
    const { whenBusy, mergeMilliseconds } = this.#parts;
    // Updates can overtake each other on their way; the numbers of messages do not.
    const waiting = this.#waiting.toSorted((a, b) => a.question.messageId - b.question.messageId);
    const breaks = waiting.findIndex(
      ({ receivedAt }, index) => index > 0 && receivedAt - waiting[index - 1]!.receivedAt > mergeMilliseconds,
    );
    const count = whenBusy === "interrupt" || breaks === -1 ? waiting.length : breaks;
    this.#waiting = waiting.slice(count);
    return waiting.slice(0, count);
  }

  /** Takes questions off the list whose answer has begun, and says what has become of them meanwhile. */
  async settle(taken: readonly Waiting[]): Promise<Fate> {
    const isOurs = await this.#takeOff(taken);
    const stopped = await this.#parts.waiting.withdrawnBefore(this.#place);
    const wanted = taken.map(({ question }) => question.updateId > stopped);
    if (!wanted.includes(true)) return "withdrawn";
    return wanted.some((isWanted, index) => isWanted && isOurs[index] === true) ? "ours" : "taken over";
  }

  /** Takes questions off the list, and says of each whether it was still there as this process has put it. */
  #takeOff(questions: readonly Waiting[]): Promise<readonly boolean[]> {
    return Promise.all(
      questions.map(async (each) => {
        const kept = await each.kept;
        return kept === undefined || this.#parts.waiting.forget(kept);
      }),
    );
  }
}
