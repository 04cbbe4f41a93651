import type { Clock } from "fullstop";
import type { StopReason } from "fullstop/control";
import type { Answer } from "../answers/answer.ts";
import type { Answers, LiveAnswer } from "../answers/answers.ts";
import { mergeQuestions } from "../answers/question.ts";
import type { Question } from "../answers/question.ts";
import type { EndTurn, Turns } from "../answers/turns.ts";
import type { BotLog } from "../operations/log.ts";
import type { Place } from "../place.ts";
import type { KeptQuestion, WaitingQuestions } from "./waiting-questions.ts";

/** How many questions can wait in one place. Whoever writes more is told to wait. */
const MOST_WAITING = 20;

/** What becomes of a message that comes while an answer is being written. */
export type WhenBusy =
  /** The answer is stopped, quietly, and the message is answered next, with what was written so far in mind. */
  | "interrupt"
  /** The message is answered when the answer is done. */
  | "queue"
  /** Whoever wrote it is told to wait. */
  | "ignore";

/** What a lane has to know of an answer that is under way. */
type RunningAnswer = Pick<Answer, "opened" | "ended" | "stop">;

/** Where a lane begins answers, and finds those of other processes. */
interface LaneAnswers extends Pick<Answers, "elsewhere" | "stop" | "untilEnded"> {
  readonly begin: (place: Place, question: Question) => RunningAnswer;
}

/** What lanes need to know; the same for all of a bot. */
export interface LaneParts {
  readonly answers: LaneAnswers;
  readonly turns: Turns;
  readonly waiting: Pick<WaitingQuestions, "keep" | "isKept" | "forget" | "isAnyIn" | "withdrawnBefore">;
  /** The names of the places where any process answers or is about to. */
  readonly listBusy: () => Promise<readonly string[]>;
  /** Puts what dead processes have left in a place into its conversation. */
  readonly settle: (place: Place) => Promise<void>;
  readonly whenBusy: WhenBusy;
  /** Messages that come this close to each other are answered as one. */
  readonly mergeMilliseconds: number;
  readonly log: BotLog;
  readonly clock: Clock;
}

interface Waiting {
  readonly question: Question;
  readonly receivedAt: number;
  /** Its place on the list of all processes; undefined if the store is away. Never rejected. */
  readonly kept: Promise<KeptQuestion | undefined>;
}

/** One place's questions and answers, in their order: one answer at a time. */
export class Lane {
  readonly #place: Place;
  readonly #parts: LaneParts;
  /** Questions stay here until their answer has begun, so that a stop finds them wherever they are. */
  #waiting: readonly Waiting[] = [];
  /** What is done before anything else is answered. */
  #errands: readonly (() => Promise<void>)[] = [];
  #answer: RunningAnswer | undefined;
  #work: Promise<void> | undefined;
  /** Ends the waiting for more messages or for other processes. */
  #hurry = new AbortController();
  /** Why nothing is answered any more, once that is so. */
  #closedBy: StopReason | undefined;

  constructor(place: Place, parts: LaneParts) {
    this.#place = place;
    this.#parts = parts;
  }

  get isBusy(): boolean {
    return this.#work !== undefined;
  }

  /** Fulfilled when nothing is left to answer. */
  async idle(): Promise<void> {
    await this.#work;
  }

  /** Takes a question. False if it is not going to be answered, because there is too much to answer before it. */
  ask(question: Question): boolean {
    const { whenBusy, waiting } = this.#parts;
    if (this.isBusy && whenBusy === "ignore") return false;
    if (this.#waiting.length >= MOST_WAITING) return false;
    this.#enqueue(question, waiting.keep(this.#place, question));
    if (whenBusy === "interrupt") this.#answer?.stop("new_message");
    this.#begin();
    return true;
  }

  /** Takes a question that another process has left. It is older than what is being answered, and interrupts nothing. */
  resume(question: Question, kept: KeptQuestion): void {
    this.#enqueue(question, Promise.resolve(kept));
    this.#begin();
  }

  /**
   * Stops the answer that is under way and forgets the questions that wait here. False if there is neither. Those that
   * are on the list are withdrawn by whoever stops.
   */
  stop(reason: StopReason): boolean {
    const isWaiting = this.#waiting.length > 0;
    this.#waiting = [];
    this.#hurry.abort();
    const result = this.#answer?.stop(reason) ?? "ended";
    return isWaiting || result !== "ended";
  }

  /**
   * Stops what is answered, forgets what waits, and then does something. What is asked from now on is answered after
   * that, however long it takes.
   */
  interject(reason: StopReason, errand: () => Promise<void>): Promise<void> {
    this.stop(reason);
    return new Promise((resolve, reject) => {
      this.#errands = [...this.#errands, () => errand().then(resolve, reject)];
      this.#begin();
    });
  }

  /**
   * Stops the answer that is under way, and each one that is still asked for as soon as it has begun: whoever has asked
   * sees that it was interrupted, and finds the question in the conversation later.
   */
  close(reason: StopReason): void {
    this.#closedBy = reason;
    this.#hurry.abort();
    this.#answer?.stop(reason);
  }

  #enqueue(question: Question, kept: Promise<KeptQuestion | undefined>): void {
    this.#waiting = [...this.#waiting, { question, receivedAt: this.#parts.clock.now(), kept }];
  }

  #begin(): void {
    this.#work ??= this.#run().finally(() => {
      this.#work = undefined;
      // A question can come after the last look at what waits.
      if (this.#hasWork()) this.#begin();
    });
  }

  #hasWork(): boolean {
    return this.#waiting.length > 0 || this.#errands.length > 0;
  }

  async #run(): Promise<void> {
    while (this.#hasWork()) {
      const [errand, ...others] = this.#errands;
      this.#errands = others;
      if (errand !== undefined) {
        await errand();
        continue;
      }
      await this.#calmDown();
      const endTurn = await this.#makeRoom();
      await this.#leaveOutWithdrawn();
      const taken = this.#errands.length > 0 ? [] : this.#take();
      if (taken.length > 0) {
        const question = taken.map((each) => each.question).reduce(mergeQuestions);
        this.#answer = this.#parts.answers.begin(this.#place, question);
      }
      if (this.#closedBy !== undefined) this.#answer?.stop(this.#closedBy);
      await this.#answer?.opened;
      // Only now: from here on the answer can be found, stopped and finished by others, and not before.
      if (await this.#isWithdrawn(taken)) this.#answer?.stop("user");
      await this.#endTurn(endTurn);
      await this.#answer?.ended;
      this.#answer = undefined;
    }
  }

  /** Waits until nothing more comes, because people write in several messages what they mean as one. */
  async #calmDown(): Promise<void> {
    const { clock, mergeMilliseconds } = this.#parts;
    for (;;) {
      const last = this.#waiting.at(-1);
      const rest = last === undefined ? 0 : last.receivedAt + mergeMilliseconds - clock.now();
      if (rest <= 0 || this.#closedBy !== undefined) return;
      this.#hurry = new AbortController();
      const { signal } = this.#hurry;
      await new Promise<void>((resolve) => {
        const cancel = clock.after(rest, resolve);
        signal.addEventListener("abort", () => {
          cancel();
          resolve();
        });
      });
    }
  }

  /** Has other processes end what they write in this place, or waits for it. Then it is this one's turn. */
  async #makeRoom(): Promise<EndTurn> {
    const { answers, turns, settle, log } = this.#parts;
    try {
      for (;;) {
        const endTurn = await turns.take(this.#place);
        const others = this.#needsRoom() ? await answers.elsewhere(this.#place) : [];
        if (others.length === 0) {
          await settle(this.#place);
          return endTurn;
        }
        await endTurn();
        this.#hurry = new AbortController();
        await this.#waitFor(others, this.#hurry.signal);
      }
    } catch (error) {
      // Without the store nobody knows about others, and whoever asks should have an answer all the same.
      log.warn({ err: error }, "the store could not be asked about answers of other processes");
      return async () => undefined;
    }
  }

  /** Whether something is going to be answered. It may have been stopped meanwhile, and more may have come after that. */
  #needsRoom(): boolean {
    return this.#waiting.length > 0 && this.#closedBy === undefined;
  }

  async #waitFor(others: readonly LiveAnswer[], signal: AbortSignal): Promise<void> {
    const { answers, whenBusy } = this.#parts;
    for (const { id, messageId } of others) {
      if (!this.#needsRoom()) return;
      // One that answers a later message is what the person waits for: it is not stopped for an older one.
      const isOlder = messageId < (this.#waiting.at(-1)?.question.messageId ?? 0);
      if (whenBusy === "interrupt" && isOlder) await answers.stop(id, "new_message");
      await answers.untilEnded(id, signal);
    }
  }

  /** Leaves out what another process was told to stop, or has taken over, while it waited here. */
  async #leaveOutWithdrawn(): Promise<void> {
    const stopped = await this.#parts.waiting.withdrawnBefore(this.#place);
    this.#waiting = this.#waiting.filter(({ question }) => question.updateId > stopped);
    const looked = await Promise.all(
      this.#waiting.map(async (each) => {
        const kept = await each.kept;
        return { each, isOurs: kept === undefined || (await this.#parts.waiting.isKept(kept)) };
      }),
    );
    const gone = new Set(looked.filter(({ isOurs }) => !isOurs).map(({ each }) => each));
    this.#waiting = this.#waiting.filter((each) => !gone.has(each));
  }

  /** Takes questions off the list. True if all of them were withdrawn while their answer was begun. */
  async #isWithdrawn(taken: readonly Waiting[]): Promise<boolean> {
    const { waiting } = this.#parts;
    const isOurs = await Promise.all(
      taken.map(async (each) => {
        const kept = await each.kept;
        return kept === undefined || waiting.forget(kept);
      }),
    );
    if (taken.length === 0) return false;
    const stopped = await waiting.withdrawnBefore(this.#place);
    return !taken.some(({ question }, index) => isOurs[index] === true && question.updateId > stopped);
  }

  async #endTurn(endTurn: EndTurn): Promise<void> {
    try {
      await endTurn();
    } catch (error) {
      this.#parts.log.warn({ err: error }, "the store could not be told that a turn is over");
    }
  }

  /** Takes what is to be answered next: all of it where the last word counts, else what belongs together. */
  #take(): readonly Waiting[] {
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
}
