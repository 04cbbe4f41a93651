import { randomBytes } from "node:crypto";
import { failedSignal } from "fullstop";
import type { Clock } from "fullstop";
import type { AgentResult, AgentRun } from "fullstop/agent";
import type { GenerationStore, Replica, StopOrder, StopReason, TrackedGeneration, Tracker } from "fullstop/control";
import type { BotLog } from "../operations/log.ts";
import type { BotMetrics } from "../operations/metrics.ts";
import { keyOf, ownerOf } from "../place.ts";
import type { Place } from "../place.ts";
import type { AnswerScreen } from "../screen/answer-screen.ts";
import { AnswerRecord } from "./answer-record.ts";
import { AnswerDisplay } from "./answer-display.ts";
import { AnswerProgress } from "./answer-progress.ts";
import type { Conversation } from "./conversation.ts";
import type { Conversations } from "./conversations.ts";
import { circumstancesOf, recordedSignal } from "./ending.ts";
import { encodeLabels } from "./labels.ts";
import { composePrompt, createRun, systemMessages } from "./model.ts";
import type { ModelSettings, Prompt } from "./model.ts";
import type { Question } from "./question.ts";
import type { SaidAnswers } from "./said-answers.ts";
import type { UnfinishedAnswers } from "./unfinished.ts";

/** What is taken for a stop by a person, as opposed to one by circumstances. */
const BY_PEOPLE: ReadonlySet<StopReason> = new Set(["user", "new_message", "operator"]);

/** What is counted of an answer when it is over. */
type Spent = Pick<AgentResult, "end" | "usage">;

const NOTHING_USED: Spent["usage"] = { inputTokens: 0, outputTokens: 0 };

/** What came of a stop. */
export type StopResult = "stopping" | "already stopping" | "ended";

/** What answers are made with; the same for all answers of a bot. */
export interface AnswerParts {
  readonly bot: number;
  readonly model: ModelSettings;
  readonly store: GenerationStore;
  readonly replica: Replica;
  readonly tracker: Tracker;
  readonly conversations: Conversations;
  readonly unfinished: UnfinishedAnswers;
  readonly said: SaidAnswers;
  readonly metrics: BotMetrics;
  readonly log: BotLog;
  readonly clock: Clock;
  /** Fires when everything has to be let go of at once, because the bot is being stopped and that takes too long. */
  readonly closing: AbortSignal;
  /** Opens what the answer is shown on. */
  readonly openScreen: (answer: ScreenedAnswer) => AnswerScreen;
}

/** What a screen has to know of its answer. */
interface ScreenedAnswer {
  readonly place: Place;
  readonly question: Question;
  readonly draftId: number;
  readonly onMessages: (ids: readonly number[]) => Promise<void>;
  readonly onUnreachable: (description: string) => void;
}

/** One answer, from the question to its last message. */
export class Answer {
  /** A word that nobody can guess, by which the answer can be stopped. */
  readonly id: string = randomBytes(16).toString("base64url");
  /** Tells the answer's draft from others in the chat. */
  readonly draftId: number = 1 + (randomBytes(4).readUInt32BE() >>> 1);
  readonly place: Place;
  /** Fulfilled when other processes can find it, or that has turned out to be impossible. Never rejected. */
  readonly opened: Promise<void>;
  /** Fulfilled when all of it is said and recorded. Never rejected. */
  readonly ended: Promise<void>;
  readonly #question: Question;
  readonly #parts: AnswerParts;
  readonly #tracked: TrackedGeneration;
  readonly #progress: AnswerProgress;
  readonly #display: AnswerDisplay;
  readonly #startedAt: number;
  #settleOpened: (() => void) | undefined;
  #run: AgentRun | undefined;
  #record: AnswerRecord | undefined;
  #messageIds: readonly number[] = [];
  #stoppedAt: number | undefined;
  /** Whether the model is done, and only its last words have to be shown. */
  #isWritten = false;

  /** Begins the answer. From now on it can be stopped. */
  constructor(place: Place, question: Question, parts: AnswerParts) {
    this.place = place;
    this.#question = question;
    this.#parts = parts;
    this.#startedAt = parts.clock.now();
    this.#tracked = parts.tracker.start(keyOf(place), { id: this.id });
    this.#progress = new AnswerProgress(question.words);
    const screen = parts.openScreen({
      place,
      question,
      draftId: this.draftId,
      onMessages: (ids) => this.#remember(ids),
      onUnreachable: (description) => this.#lose(description),
    });
    this.#display = new AnswerDisplay({ id: this.id, words: question.words, progress: this.#progress, screen });
    parts.metrics.began();
    this.opened = new Promise((resolve) => (this.#settleOpened = resolve));
    this.ended = this.#answer();
  }

  /** The message that is answered. */
  get questionId(): number {
    return this.#question.messageId;
  }

  /** The messages in which it is shown. */
  get messageIds(): readonly number[] {
    return this.#messageIds;
  }

  /** Stops it. What was written is kept. */
  stop(reason: StopReason): StopResult {
    const { tracker, metrics, log, clock } = this.#parts;
    // Only its last message is on its way, which nobody needs to be saved from.
    if (this.#isWritten) return "ended";
    if (tracker.stop({ id: this.id }, reason) !== "stopped") return "already stopping";
    this.#stoppedAt = clock.now();
    const { phase } = this.#progress;
    const { chatType } = this.place;
    if (BY_PEOPLE.has(reason)) metrics.stopped(phase, chatType, reason);
    log.info({ generation: this.id, reason, phase, chatType }, "an answer was stopped");
    return "stopping";
  }

  /** Makes the model leave its thinking and answer. False if it does not think. */
  skipThinking(): boolean {
    const isSkipped = this.#run?.skipThinking() ?? false;
    if (isSkipped) this.#parts.metrics.skipped();
    return isSkipped;
  }

  #carryOut({ mode, reason }: StopOrder): void {
    if (mode === "skip-thinking") this.skipThinking();
    else this.stop(reason);
  }

  async #answer(): Promise<void> {
    const { metrics, log, clock, replica } = this.#parts;
    const leave = replica.take(this.id, (order) => this.#carryOut(order));
    const cancelSign = this.#display.begin(clock);
    let spent: Spent = { end: "failed", usage: NOTHING_USED };
    try {
      spent = await this.#generate();
    } catch (error) {
      // Not the model's doing, whose failures are results: the store could not be asked, or this is a mistake of ours.
      log.warn({ generation: this.id, err: error }, "an answer has failed");
      await this.#display.fail();
    } finally {
      this.#settleOpened?.();
      cancelSign();
      leave();
      this.#tracked.end();
      metrics.ended(spent.end, this.place.chatType, spent.usage);
    }
  }

  async #generate(): Promise<Spent> {
    const { model, log } = this.#parts;
    const conversation = await this.#readConversation();
    if (isOutdated(this.#question, conversation)) {
      await this.#display.clear();
      return { end: "stopped", usage: NOTHING_USED };
    }
    const prompt = composePrompt(conversation, this.#question, model);
    const record = await this.#openRecord(prompt);
    this.#record = record;
    this.#settleOpened?.();
    // The first sign may be there already, if the store takes its time.
    if (this.#messageIds.length > 0) await record.remember(this.#messageIds);
    try {
      const result = await this.#listen(prompt, record);
      if (result.end === "failed")
        log.warn({ generation: this.id, ...circumstancesOf(result) }, "the model has failed");
      await this.#keep(prompt, result, record);
      await this.#display.end(result, this.#stopReason());
      this.#progress.events.push({ type: "usage", usage: result.usage });
      await record.close(recordedSignal(result, this.#stopReason()), this.#display.isGivenUp ? "left" : "said");
      return result;
    } catch (error) {
      // Shown before the record is closed, because others finish what has ended and is not shown.
      await this.#display.fail();
      await record.close(failedSignal(error), "said");
      throw error;
    }
  }

  async #readConversation(): Promise<Conversation> {
    const { conversations, log } = this.#parts;
    try {
      return await conversations.read(this.place);
    } catch (error) {
      // Without it there is nothing to go on from; but a question can be answered on its own.
      if (this.#question.task.type !== "message") throw error;
      log.warn({ generation: this.id, err: error }, "a question is answered without what was said before");
      return conversations.readWithoutStore(this.place);
    }
  }

  #openRecord({ asked, replaces }: Prompt): Promise<AnswerRecord> {
    const { store, unfinished, said, replica, bot, model, log, clock, closing } = this.#parts;
    const { place, id, draftId } = this;
    const { messageId, updateId, mergedIds = [], languageCode } = this.#question;
    const record = {
      id,
      owner: ownerOf(bot, place),
      model: model.model,
      startedAt: this.#startedAt,
      holder: replica.name,
      labels: encodeLabels({ place, messageId, updateId, draftId }),
    };
    return AnswerRecord.open({
      record,
      place,
      questionId: messageId,
      mergedIds,
      languageCode,
      asked,
      replaces,
      store,
      unfinished,
      said,
      log,
      clock,
      closing,
      events: this.#progress.events,
      seams: this.#progress.seams,
      // People see what is recorded, so that nothing that they have read is lost if the process dies.
      onRelease: () => this.#display.update(),
      onLost: () => this.stop("owner_lost"),
    });
  }

  async #listen(prompt: Prompt, record: AnswerRecord): Promise<AgentResult> {
    const { metrics, clock, model } = this.#parts;
    this.#run = createRun(model, prompt, this.#tracked.signal);
    for await (const event of this.#run) {
      const hadSpoken = this.#progress.hasSpoken;
      const hadSeams = this.#progress.seams.length;
      this.#progress.push(event);
      if (!hadSpoken && this.#progress.hasSpoken) metrics.spoke(clock.now() - this.#startedAt);
      // Before anything else is said, which would stand behind what was taken back.
      if (this.#progress.seams.length > hadSeams) await record.rememberSeams();
      if (event.type === "generation") record.advance();
      else this.#display.update();
    }
    this.#isWritten = true;
    if (this.#stoppedAt !== undefined) metrics.heeded(clock.now() - this.#stoppedAt);
    return this.#run.result();
  }

  /** Puts the question and the answer into the conversation, unless that is left to whoever has taken it over. */
  async #keep(prompt: Prompt, result: AgentResult, record: AnswerRecord): Promise<void> {
    const { conversations, model, log } = this.#parts;
    const { id, questionId } = this;
    const { before, asked, replaces, continues } = prompt;
    const said = result.messages.slice(systemMessages(model.system).length + before.length + asked.length);
    const answer = { id, questionId, replaces, asked, said, isContinuation: continues !== "" };
    try {
      if (!(await record.isTakenOver())) await conversations.append(this.place, answer);
    } catch (error) {
      log.warn({ generation: id, err: error }, "an answer could not be put into its conversation yet");
    }
  }

  async #remember(messageIds: readonly number[]): Promise<void> {
    this.#messageIds = messageIds;
    await this.#record?.remember(messageIds);
  }

  #lose(description: string): void {
    this.#parts.log.warn({ generation: this.id, description }, "an answer cannot be shown any more");
    this.stop("unreachable");
  }

  #stopReason(): string | undefined {
    const reason: unknown = this.#tracked.signal.reason;
    return typeof reason === "string" ? reason : undefined;
  }
}

/** Whether somebody wants to go on from an answer that is not the last one any more: two processes can be asked at once. */
function isOutdated({ task }: Question, { exchanges }: Conversation): boolean {
  return task.type !== "message" && task.of !== exchanges.at(-1)?.id;
}
