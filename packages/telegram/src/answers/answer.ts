import { randomBytes } from "node:crypto";
import { failedSignal } from "fullstop";
import type { Clock } from "fullstop";
import type { AgentResult, AgentRun } from "fullstop/agent";
import { Recorder } from "fullstop/control";
import type { GenerationStore, Replica, StopOrder, StopReason, TrackedGeneration, Tracker } from "fullstop/control";
import type { BotLog } from "../operations/log.ts";
import type { BotMetrics } from "../operations/metrics.ts";
import { keyOf, ownerOf } from "../place.ts";
import type { Place } from "../place.ts";
import type { AnswerScreen } from "../screen/answer-screen.ts";
import { AnswerProgress } from "./answer-progress.ts";
import { finishedButtons, runningButtons } from "./buttons.ts";
import type { Conversation, Conversations } from "./conversation.ts";
import { endingOf, recordedSignal } from "./ending.ts";
import { encodeLabels } from "./labels.ts";
import { composePrompt, createRun, systemMessages } from "./model.ts";
import type { ModelSettings, Prompt } from "./model.ts";
import type { Question } from "./question.ts";
import type { UnfinishedAnswers } from "./unfinished.ts";

/** How long to wait for something to show before it is said that something will come. */
const FIRST_SIGN_MILLISECONDS = 700;

/** What is taken for a stop by a person, as opposed to one by circumstances. */
const BY_PEOPLE: ReadonlySet<StopReason> = new Set(["user", "new_message", "operator"]);

/** What answers are made with; the same for all answers of a bot. */
export interface AnswerParts {
  readonly bot: number;
  readonly model: ModelSettings;
  readonly store: GenerationStore;
  readonly replica: Replica;
  readonly tracker: Tracker;
  readonly conversations: Conversations;
  readonly unfinished: UnfinishedAnswers;
  readonly metrics: BotMetrics;
  readonly log: BotLog;
  readonly clock: Clock;
  /** Opens what the answer is shown on. */
  readonly openScreen: (answer: ScreenedAnswer) => AnswerScreen;
}

/** What a screen has to know of its answer. */
export interface ScreenedAnswer {
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
  /** Fulfilled when all of it is said and recorded. Never rejected. */
  readonly ended: Promise<void>;
  readonly #question: Question;
  readonly #parts: AnswerParts;
  readonly #tracked: TrackedGeneration;
  readonly #progress: AnswerProgress;
  readonly #screen: AnswerScreen;
  readonly #startedAt: number;
  #run: AgentRun | undefined;
  #prompt: Prompt | undefined;
  #messageIds: readonly number[] = [];
  #stoppedAt: number | undefined;
  /** Whether it is time to show that something will come. */
  #isDue = false;

  /** Begins the answer. From now on it can be stopped. */
  constructor(place: Place, question: Question, parts: AnswerParts) {
    this.place = place;
    this.#question = question;
    this.#parts = parts;
    this.#startedAt = parts.clock.now();
    this.#tracked = parts.tracker.start(keyOf(place), { id: this.id });
    this.#progress = new AnswerProgress(question.words);
    this.#screen = parts.openScreen({
      place,
      question,
      draftId: this.draftId,
      onMessages: (ids) => this.#remember(ids),
      onUnreachable: (description) => this.#lose(description),
    });
    parts.metrics.began();
    this.ended = this.#answer();
  }

  /** The messages in which it is shown. */
  get messageIds(): readonly number[] {
    return this.#messageIds;
  }

  /** Does what somebody wants of it. False if it is too late for that. */
  carryOut({ mode, reason }: StopOrder): boolean {
    return mode === "skip-thinking" ? this.skipThinking() : this.stop(reason);
  }

  /** Stops it. What was written is kept. False if somebody has stopped it before. */
  stop(reason: StopReason): boolean {
    const { tracker, metrics, log, clock } = this.#parts;
    if (tracker.stop({ id: this.id }, reason) !== "stopped") return false;
    this.#stoppedAt = clock.now();
    const { phase } = this.#progress;
    const { chatType } = this.place;
    if (BY_PEOPLE.has(reason)) metrics.stopped(phase, chatType, reason);
    log.info({ generation: this.id, reason, phase, chatType }, "an answer was stopped");
    return true;
  }

  /** Makes the model leave its thinking and answer. False if it does not think. */
  skipThinking(): boolean {
    const isSkipped = this.#run?.skipThinking() ?? false;
    if (isSkipped) this.#parts.metrics.skipped();
    return isSkipped;
  }

  async #answer(): Promise<void> {
    const { metrics, log, clock, replica } = this.#parts;
    const leave = replica.take(this.id, (order) => void this.carryOut(order));
    const cancelSign = clock.after(FIRST_SIGN_MILLISECONDS, () => this.#signal());
    let end = "failed";
    let usage = { inputTokens: 0, outputTokens: 0 };
    try {
      const result = await this.#generate();
      ({ end, usage } = result);
    } catch (error) {
      // Not the model's doing, whose failures are results: the store could not be asked, or this is a mistake of ours.
      log.warn({ generation: this.id, error }, "an answer has failed");
      await this.#close("error", false);
    } finally {
      cancelSign();
      leave();
      this.#tracked.end();
      metrics.ended(end, this.place.chatType, usage);
    }
  }

  async #generate(): Promise<AgentResult> {
    const { conversations, model } = this.#parts;
    const conversation = await conversations.read(this.place);
    const prompt = composePrompt(conversation, this.#question, model);
    this.#prompt = prompt;
    await this.#remember([]);
    const recorder = this.#openRecorder();
    try {
      const result = await this.#listen(prompt, recorder);
      await this.#attempt(() => this.#keep(conversation, prompt, result));
      await this.#show(result);
      // Whoever finds the record ended and the answer on this list has to finish it, so it is taken off first.
      await this.#attempt(() => this.#parts.unfinished.remove(this.id));
      this.#progress.events.push({ type: "usage", usage: result.usage });
      await recorder.finish(recordedSignal(result, this.#stopReason()));
      return result;
    } catch (error) {
      await recorder.finish(failedSignal(error));
      throw error;
    }
  }

  #openRecorder(): Recorder {
    const { store, replica, bot, model, log, clock } = this.#parts;
    const { place, id, draftId } = this;
    return new Recorder({
      store,
      record: {
        id,
        owner: ownerOf(bot, place),
        model: model.model,
        startedAt: this.#startedAt,
        holder: replica.name,
        labels: encodeLabels({ place, messageId: this.#question.messageId, draftId }),
      },
      events: () => this.#progress.events,
      // People see what is recorded, so that nothing that they have read is lost if the process dies.
      onRelease: () => this.#showProgress(),
      onEnded: () => this.stop("owner_lost"),
      onFailure: (error) => log.warn({ generation: id, error }, "the store could not record an answer"),
      clock,
    });
  }

  async #listen(prompt: Prompt, recorder: Recorder): Promise<AgentResult> {
    const { metrics, clock, model } = this.#parts;
    this.#run = createRun(model, prompt, this.#tracked.signal);
    for await (const event of this.#run) {
      const before = this.#progress.phase;
      this.#progress.push(event);
      if (before === "waiting" && this.#progress.phase !== "waiting") metrics.spoke(clock.now() - this.#startedAt);
      if (event.type === "generation") recorder.advance();
      else this.#showProgress();
    }
    if (this.#stoppedAt !== undefined) metrics.heeded(clock.now() - this.#stoppedAt);
    return this.#run.result();
  }

  /** Puts the question and the answer into the conversation. */
  async #keep(read: Conversation, { before, asked }: Prompt, result: AgentResult): Promise<void> {
    const { conversations, model } = this.#parts;
    const said = result.messages.slice(systemMessages(model.system).length);
    const added = said.slice(before.length);
    await conversations.change(this.place, ({ messages }) => {
      // Somebody else may have answered in this place meanwhile; what they have said comes before.
      const isAlone = messages.length === read.messages.length;
      const all = isAlone ? said : [...messages, ...added];
      return { messages: all, lastAnswer: { id: this.id, from: all.length - added.length + asked.length } };
    });
  }

  async #show(result: AgentResult): Promise<void> {
    const hasText = result.text.trim() !== "";
    // An answer of nothing is no answer, even if the model says that it is done.
    const ending = endingOf(result) ?? (hasText ? undefined : "error");
    // Where nothing is to be seen, whoever has stopped it knows: they have been told, or have gone on.
    if (ending === "interrupted" && !hasText && this.#screen.isEmpty && this.#progress.isEmpty) return;
    await this.#close(ending, hasText);
  }

  async #close(ending: ReturnType<typeof endingOf>, hasText: boolean): Promise<void> {
    const { words } = this.#question;
    const mark = ending && words.endings[ending];
    await this.#screen.close({
      view: this.#progress.view({ isRunning: false, mark }),
      buttons: finishedButtons(this.id, { ending, hasText }, words),
    });
  }

  #signal(): void {
    this.#isDue = true;
    this.#showProgress();
  }

  #showProgress(): void {
    if (this.#progress.isEmpty && !this.#isDue) return;
    const { phase } = this.#progress;
    this.#screen.show({
      view: this.#progress.view({ isRunning: true }),
      buttons: runningButtons(this.id, phase, this.#question.words),
    });
  }

  /** Keeps what is needed to end the answer properly should this process die. */
  async #remember(messageIds: readonly number[]): Promise<void> {
    this.#messageIds = messageIds;
    const { place, id } = this;
    const { languageCode } = this.#question;
    const asked = this.#prompt?.asked ?? [];
    const startedAt = this.#startedAt;
    await this.#attempt(() => this.#parts.unfinished.put({ id, place, startedAt, asked, messageIds, languageCode }));
  }

  /** A store that is away is no reason not to answer. */
  async #attempt(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.#parts.log.warn({ generation: this.id, error }, "the store could not be told about an answer");
    }
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
