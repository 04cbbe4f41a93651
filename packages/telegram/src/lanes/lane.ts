import type { StopReason } from "fullstop/control";
import type { Answer } from "../answers/answer.ts";
import type { Answers, LiveAnswer } from "../answers/answers.ts";
import { mergeQuestions } from "../answers/question.ts";
import type { Question } from "../answers/question.ts";
import type { EndTurn, Turns } from "../answers/turns.ts";
import type { BotLog } from "../operations/log.ts";
import type { Place } from "../place.ts";
import { LaneQuestions, STOP_REASONS } from "./lane-questions.ts";
import type { LaneQuestionsParts } from "./lane-questions.ts";
import type { KeptQuestion } from "./waiting-questions.ts";

/** How long to wait before looking again whether other processes have put what was left into its conversation. */
const LOOK_MILLISECONDS = 20;

/** What ends a turn that could not be taken. */
const NO_TURN: EndTurn = async () => undefined;

/** What a lane has to know of an answer that is under way. */
type RunningAnswer = Pick<Answer, "opened" | "ended" | "stop">;

/** Where a lane begins answers, and finds those of other processes. */
interface LaneAnswers extends Pick<Answers, "elsewhere" | "stop" | "untilEnded"> {
  readonly begin: (place: Place, question: Question) => RunningAnswer;
}

/** What lanes need to know; the same for all of a bot. */
export interface LaneParts extends LaneQuestionsParts {
  readonly answers: LaneAnswers;
  readonly turns: Turns;
  /** The names of the places where any process answers or is about to. */
  readonly listBusy: () => Promise<readonly string[]>;
  /** Puts what dead processes have left in a place into its conversation. False if others are not done with that. */
  readonly settle: (place: Place) => Promise<boolean>;
  readonly log: BotLog;
}

/** One place's questions and answers, in their order: one answer at a time. */
export class Lane {
  readonly #place: Place;
  readonly #parts: LaneParts;
  readonly #questions: LaneQuestions;
  /** What is done before anything else is answered. */
  #errands: readonly (() => Promise<void>)[] = [];
  #answer: RunningAnswer | undefined;
  /** The update by which that answer was asked for. */
  #answeredUpdateId = 0;
  #work: Promise<void> | undefined;
  /** Ends the waiting for more messages or for other processes. */
  #hurry = new AbortController();
  /** Why nothing is answered any more, once that is so. */
  #closedBy: StopReason | undefined;

  constructor(place: Place, parts: LaneParts) {
    this.#place = place;
    this.#parts = parts;
    this.#questions = new LaneQuestions(place, parts);
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
    const { whenBusy } = this.#parts;
    if ((whenBusy === "ignore" && !this.#isListening()) || this.#questions.isFull) return false;
    this.#questions.add(question);
    if (whenBusy === "interrupt") this.#answer?.stop("new_message");
    this.#begin();
    return true;
  }

  /** Takes a question that another process has left. It is older than what is being answered, and interrupts nothing. */
  resume(question: Question, kept: KeptQuestion): void {
    this.#questions.add(question, kept);
    this.#begin();
  }

  /**
   * Stops the answer that is under way and forgets the questions that wait here, as far as they were asked before an
   * update: what somebody does can be overtaken by what they ask after it. False if there is neither.
   */
  stop(reason: StopReason, updateId: number): boolean {
    const isWaiting = this.#questions.clear(updateId);
    this.#hurry.abort();
    const result = this.#isAnsweringSince(updateId) ? "ended" : (this.#answer?.stop(reason) ?? "ended");
    return isWaiting || result !== "ended";
  }

  /**
   * Stops what was asked before an update, and then does something. What is asked from now on is answered after that,
   * however long it takes. What is being answered and was asked since goes on beside it.
   */
  interject(reason: StopReason, updateId: number, errand: () => Promise<void>): Promise<void> {
    this.stop(reason, updateId);
    if (this.#isAnsweringSince(updateId)) return errand();
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

  /** Whether nothing is being answered, and what waits came just now: whatever comes next may belong to it. */
  #isListening(): boolean {
    const { clock, mergeMilliseconds } = this.#parts;
    const { last } = this.#questions;
    return this.#answer === undefined && (last === undefined || clock.now() - last.receivedAt < mergeMilliseconds);
  }

  /** Whether an answer is under way that was asked for after an update. */
  #isAnsweringSince(updateId: number): boolean {
    return this.#answer !== undefined && this.#answeredUpdateId > updateId;
  }

  #begin(): void {
    this.#work ??= this.#run().finally(() => {
      this.#work = undefined;
      // A question can come after the last look at what waits.
      if (this.#hasWork()) this.#begin();
    });
  }

  #hasWork(): boolean {
    return !this.#questions.isEmpty || this.#errands.length > 0;
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
      await this.#questions.leaveOutWithdrawn();
      const taken = this.#errands.length > 0 ? [] : this.#questions.take();
      if (taken.length > 0) {
        const question = taken.map((each) => each.question).reduce(mergeQuestions);
        this.#answeredUpdateId = question.updateId;
        this.#answer = this.#parts.answers.begin(this.#place, question);
      }
      if (this.#closedBy !== undefined) this.#answer?.stop(this.#closedBy);
      await this.#answer?.opened;
      // Only now: from here on the answer can be found, stopped and finished by others, and not before.
      const fate = taken.length > 0 ? await this.#questions.settle(taken) : "ours";
      if (fate !== "ours") this.#answer?.stop(STOP_REASONS[fate]);
      await this.#endTurn(endTurn);
      await this.#answer?.ended;
      this.#answer = undefined;
    }
  }

  /** Waits until nothing more comes, because people write in several messages what they mean as one. */
  async #calmDown(): Promise<void> {
    const { clock, mergeMilliseconds } = this.#parts;
    for (;;) {
      const { last } = this.#questions;
      const rest = last === undefined ? 0 : last.receivedAt + mergeMilliseconds - clock.now();
      if (rest <= 0 || this.#closedBy !== undefined) return;
      this.#hurry = new AbortController();
      await this.#pause(rest, this.#hurry.signal);
    }
  }

  async #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.#parts.clock.after(milliseconds, resolve);
      signal.addEventListener("abort", () => {
        cancel();
        resolve();
      });
    });
  }

  /** Has other processes end what they write in this place, or waits for it. Then it is this one's turn. */
  async #makeRoom(): Promise<EndTurn> {
    const { answers, turns, settle, log } = this.#parts;
    let endTurn = NO_TURN;
    try {
      for (;;) {
        endTurn = await turns.take(this.#place);
        const others = this.#needsRoom() ? await answers.elsewhere(this.#place) : [];
        const isSettled = others.length === 0 && (await settle(this.#place));
        if (isSettled || !this.#needsRoom()) return endTurn;
        // A turn does not last for as long as others may take, and would be over unnoticed.
        await endTurn();
        this.#hurry = new AbortController();
        if (others.length > 0) await this.#waitFor(others, this.#hurry.signal);
        else await this.#pause(LOOK_MILLISECONDS, this.#hurry.signal);
      }
    } catch (error) {
      // Without the store nobody knows about others, and whoever asks should have an answer all the same.
      log.warn({ err: error }, "the store could not be asked about answers of other processes");
      return endTurn;
    }
  }

  /** Whether something is going to be answered. It may have been stopped meanwhile, and more may have come after that. */
  #needsRoom(): boolean {
    return !this.#questions.isEmpty && this.#closedBy === undefined;
  }

  async #waitFor(others: readonly LiveAnswer[], signal: AbortSignal): Promise<void> {
    const { answers, whenBusy } = this.#parts;
    for (const { id, messageId } of others) {
      if (!this.#needsRoom()) return;
      // One that answers a later message is what the person waits for: it is not stopped for an older one.
      const isOlder = messageId < (this.#questions.last?.question.messageId ?? 0);
      if (whenBusy === "interrupt" && isOlder) await answers.stop(id, "new_message");
      await answers.untilEnded(id, signal);
    }
  }

  async #endTurn(endTurn: EndTurn): Promise<void> {
    try {
      await endTurn();
    } catch (error) {
      this.#parts.log.warn({ err: error }, "the store could not be told that a turn is over");
    }
  }
}
