import { failedSignal, truncatedSignal } from "fullstop";
import type { GenerationEvent, GenerationRequest, TerminationSignal } from "fullstop";
import { Recorder, phaseOf, sizeOf } from "fullstop/control";
import type { GenerationPhase, StopOrder } from "fullstop/control";
import { addUsage, estimateUsage, settleUsage, totalCharacters } from "fullstop/engines";
import { tellGroup, toolGroupsOf } from "fullstop/wire";
import type { ToolGroups } from "fullstop/wire";
import type { AskedModel } from "../models/model-router.ts";
import { GenerationRecord } from "../operations/generation-record.ts";
import { unrefClock } from "../unref-clock.ts";
import { tooLargeSignal } from "./answer-size.ts";
import { Deadline } from "./deadline.ts";
import { describeEnding } from "./ending.ts";
import type { GenerationEnding } from "./ending.ts";
import { EventLog } from "./event-log.ts";
import { createHeldTail } from "./held-tail.ts";
import type { GenerationSpec, Surroundings } from "./generation-spec.ts";
import { Inquiry } from "./inquiry.ts";
import type { ModelAnswer } from "./model-answer.ts";
import { hasLabels, labelsOf } from "./record-labels.ts";
import type { RecordLabels } from "./record-labels.ts";
import { SentenceEnd } from "./sentence-end.ts";
import type { GenerationView } from "./view.ts";

/** How many events a reader may be behind before the model has to wait for it. */
const MOST_BEHIND = 1000;

/** One generation from its start to its end, on this replica, independent of whoever reads it. */
export class LiveGeneration implements GenerationView {
  readonly id: string;
  readonly owner: string;
  readonly model: string;
  readonly replica: string;
  readonly labels: RecordLabels;
  readonly startedAt: number = Date.now();
  readonly log: EventLog = new EventLog();
  /** Fulfilled with how it ended. */
  readonly ended: Promise<GenerationEnding>;
  readonly #spec: GenerationSpec;
  readonly #mostBytes: number;
  readonly #sentenceEnd = new SentenceEnd((reason) => this.#stopFor(reason), unrefClock);
  readonly #held = createHeldTail();
  readonly #record: GenerationRecord;
  readonly #recorder: Recorder;
  readonly #deadline: Deadline;
  readonly #inquiry: Inquiry;
  readonly #groups: ToolGroups;
  #phase: GenerationPhase = "waiting";
  /** Whether a model has said anything. */
  #hasSpoken = false;
  #bytes = 0;
  /** How many events there were when the present model was asked; those before are the work of models that failed. */
  #writtenBefore = 0;
  #counted: AskedModel | undefined;
  #signal: GenerationEnding | undefined;

  constructor(spec: GenerationSpec, surroundings: Surroundings) {
    const { store, replica, observer, keepsContent, onStoreFailure } = surroundings;
    this.id = spec.id;
    this.owner = spec.owner;
    this.model = spec.request.model;
    this.replica = replica;
    this.labels = labelsOf(spec, keepsContent);
    this.#spec = spec;
    this.#groups = toolGroupsOf(spec.request);
    this.#mostBytes = surroundings.mostBytes;
    this.#record = new GenerationRecord(observer, spec);
    const { id, owner, model, startedAt } = this;
    this.#recorder = new Recorder({
      store,
      record: { id, owner, model, startedAt, holder: replica, ...(hasLabels(this.labels) && { labels: this.labels }) },
      events: () => this.log.written(),
      keepsContent,
      onRelease: (count) => this.log.release(count),
      onEnded: () => this.stop("owner_lost"),
      onFailure: onStoreFailure,
      // A store that is away is told for minutes after the end, which is no reason to keep a server that is done.
      clock: unrefClock,
    });
    this.#inquiry = new Inquiry({
      request: spec.request,
      rules: spec.settings.rules,
      maxCost: spec.settings.maxCost,
      ownRules: [this.#held.rule],
      onHeldBack: (milliseconds) => this.#record.heldBack(milliseconds),
      hear: (answer) => this.#hear(answer),
      heard: () => this.log.written(),
    });
    this.#deadline = new Deadline(spec.settings.rules.maxMilliseconds, (reason) => this.#stopFor(reason));
    const run = this.#record.run(() => this.#run());
    this.ended = run.catch((error: unknown) => this.#break(error));
  }

  /** How it ended, once it has. */
  get signal(): GenerationEnding | undefined {
    return this.#signal;
  }

  /** Fulfilled when the store has all of it, or was given up. */
  get recorded(): Promise<void> {
    return this.#recorder.done;
  }

  /** Whether the store knows of it, though perhaps not how it ended. */
  get isKnownToStore(): boolean {
    return this.#recorder.isOpened;
  }

  /** About how much memory its events take. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Tells the store nothing more, whether or not it has all of it. */
  leaveStore(): void {
    this.#recorder.close();
  }

  get phase(): GenerationPhase {
    return this.#phase;
  }

  get events(): number {
    return this.log.length;
  }

  get held(): string {
    return this.#signal === undefined ? this.#held.text : "";
  }

  /** What was asked, in the words of the caller. */
  get request(): GenerationRequest {
    return this.#spec.request;
  }

  /** The model that was asked last. */
  get asked(): AskedModel | undefined {
    return this.#inquiry.asked;
  }

  /** The model that the last token counts are from. It may have failed, and the one asked after it have said nothing. */
  get counted(): AskedModel | undefined {
    return this.#counted;
  }

  get answeredBy(): string | undefined {
    const { asked } = this.#inquiry;
    return this.#hasSpoken && asked !== undefined ? `${asked.provider}/${asked.model}` : undefined;
  }

  async read(): Promise<readonly GenerationEvent[]> {
    return this.log.all();
  }

  follow(from: number, signal?: AbortSignal): AsyncIterable<readonly GenerationEvent[]> {
    return this.log.follow(from, signal);
  }

  /** Does what somebody wants of it. False if there was no thinking to skip. */
  async carryOut({ mode, reason }: StopOrder): Promise<boolean> {
    if (mode === "skip-thinking") return this.#skipThinking();
    if (mode === "stop") this.stop(reason);
    else {
      this.#record.ordered(mode, reason, this.#phase);
      this.#sentenceEnd.request(reason, this.log.written());
    }
    return true;
  }

  /** Ends it now. What was generated so far is kept. */
  stop(reason: string): void {
    this.#record.ordered("stop", reason, this.#phase);
    this.#stopFor(reason);
  }

  #stopFor(reason: string): void {
    this.#inquiry.stop(reason);
    // Its end must not wait for a reader that has stopped reading.
    this.log.setFree();
  }

  async #skipThinking(): Promise<boolean> {
    const isLeft = await this.#inquiry.leaveThinking();
    if (!isLeft || this.#signal !== undefined) return false;
    const skip: GenerationEvent = { type: "reasoning", text: "", skipped: true };
    const place = this.log.written().length;
    this.#append(skip);
    this.#recorder.advance();
    // It has taken place when it is recorded: an end that was under way leaves it out.
    for await (const [released] of this.log.follow(place)) return released === skip;
    return false;
  }

  async #run(): Promise<GenerationEnding> {
    const { targets, request } = this.#spec;
    this.#append({ type: "start", id: this.id, model: request.model });
    this.#recorder.advance();
    let signal = truncatedSignal();
    for (const target of targets) {
      this.#record.asks(target);
      this.#writtenBefore = this.log.written().length;
      signal = await this.#inquiry.ask(target);
      if (signal.reason === "error_termination") this.#record.failed(signal);
      // Where something was said, or somebody has stopped it, nobody else is asked.
      if (signal.reason !== "error_termination" || this.#hasSpoken) break;
    }
    return this.#finish(signal);
  }

  /** Writes down what a model says, but for the finish, which is returned unless it was given up to be asked again. */
  async #hear(answer: ModelAnswer): Promise<TerminationSignal | undefined> {
    let signal = truncatedSignal();
    let isTooLarge = false;
    await answer.deliver((events) => {
      if (isTooLarge) return undefined;
      for (const event of events) {
        if (event.type === "finish") signal = event.signal;
        else if (!answer.isGivenUp || event.type === "reasoning") this.#write(event);
      }
      this.#recorder.advance();
      isTooLarge = this.#bytes > this.#mostBytes;
      if (isTooLarge) answer.stop("too_large");
      return this.log.room(MOST_BEHIND);
    });
    if (isTooLarge) return tooLargeSignal(this.#mostBytes);
    return answer.isGivenUp ? undefined : signal;
  }

  #write(event: GenerationEvent): void {
    // The start at the provider is not the start of this generation, which may ask several.
    if (event.type === "start") return;
    if (event.type !== "usage") this.#hasSpoken = true;
    this.#record.sees(event);
    const shown = this.#sentenceEnd.pass(tellGroup(event, this.#groups));
    if (shown === undefined) return;
    const isUsage = shown.type === "usage";
    this.#append(isUsage ? { ...shown, usage: addUsage(this.#inquiry.spentBefore, shown.usage) } : shown);
  }

  #append(event: GenerationEvent): void {
    this.#phase = phaseOf(event) ?? this.#phase;
    if (event.type === "usage") this.#counted = this.#inquiry.asked;
    this.#held.shown(event);
    this.#bytes += sizeOf([event]);
    this.log.append(event);
  }

  /** Ends it where an engine has broken its promise not to throw. */
  #break(error: unknown): Promise<GenerationEnding> {
    const signal = failedSignal(error);
    this.#record.failed(signal);
    return this.#finish(signal);
  }

  async #finish(signal: TerminationSignal): Promise<GenerationEnding> {
    const shown = totalCharacters(this.log.written());
    // What came from a provider and went nowhere: an answer that was ended here may have some.
    const sent = this.#inquiry.sentCharacters;
    this.#countTokens(Math.max(shown, sent));
    const ending = describeEnding(this.#deadline.settle(this.#sentenceEnd.settle(signal)), {
      warnings: [...(this.#spec.warnings ?? []), ...this.#inquiry.warnings],
      unshownCharacters: Math.max(0, sent - shown),
      isThinkingSkipped: this.#inquiry.isThinkingSkipped,
      sinceOrder: this.#record.sinceOrder,
      answeredBy: this.answeredBy,
    });
    // Somebody else may have ended it before, because this process seemed to be gone.
    const { signal: held, events } = await this.#recorder.finish(ending);
    this.#signal = held;
    this.log.close(events, { type: "finish", signal: held });
    this.#record.ended(held, this.log.all());
    return held;
  }

  /** Puts token counts before the end where the provider has not come to say them, because it was stopped or cut. */
  #countTokens(characters: number): void {
    // The counts of a model that has failed say nothing of the answer of the next.
    const heard = this.log.written().slice(this.#writtenBefore);
    const known = heard.findLast((event) => event.type === "usage")?.usage;
    const isCounted = known !== undefined && this.#inquiry.isCounted;
    if (!this.#hasSpoken || isCounted) return;
    const { inputTokens, ...estimate } = estimateUsage(this.request, characters);
    const { inputTokens: readBefore } = this.#inquiry.spentBefore;
    const usage = settleUsage(known, { ...estimate, inputTokens: inputTokens + readBefore });
    if (usage !== known) this.#append({ type: "usage", usage });
  }
}
