import { compose, defineGuard, defineReasoningSplitter, failedSignal, runGeneration, truncatedSignal } from "fullstop";
import type {
  Generation,
  GenerationEvent,
  GenerationRequest,
  Stage,
  TerminationReason,
  TerminationSignal,
  Usage,
} from "fullstop";
import type { RemoteRequest } from "fullstop/engines";
import type { LlamaRequest } from "fullstop/llama";
import type { WireWarning } from "fullstop/wire";
import type { AskedModel, Target } from "../models/model-router.ts";
import { GenerationRecord } from "../operations/generation-record.ts";
import { measureHoldBack } from "../operations/hold-back.ts";
import { NO_OBSERVER } from "../operations/observer.ts";
import type { GenerationObserver } from "../operations/observer.ts";
import type { TraceHeaders } from "../operations/trace-headers.ts";
import type { GenerationSettings } from "../rules/generation-settings.ts";
import { describeEnding } from "./ending.ts";
import type { GenerationEnding } from "./ending.ts";
import { EventLog } from "./event-log.ts";
import { createSentenceEnd } from "./sentence-end.ts";
import { withoutThinking } from "./skipped-thinking.ts";
import { addUsage, charactersOf, estimateUsage, settleUsage, totalCharacters } from "./usage.ts";

/** How many events a reader may be behind before the model has to wait for it. */
const MOST_BEHIND = 1000;

/** The endings after which a provider does not say what it has counted, or only what it had counted at the start. */
const ENDED_EARLY: ReadonlySet<TerminationReason> = new Set([
  "cancelled",
  "stop_sequence",
  "repetition_detected",
  "budget_exceeded",
  "error_termination",
]);

/** What a generation is made of. */
export interface GenerationSpec {
  readonly id: string;
  /** Whose it is: only they, and operators, may see or stop it. */
  readonly owner: string;
  readonly request: GenerationRequest;
  readonly settings: GenerationSettings;
  /** The model to ask, and those to ask instead if it fails before it has said anything. */
  readonly targets: readonly Target[];
  /** The headers by which the caller's trace goes on here. */
  readonly trace?: TraceHeaders | undefined;
  /** What of the request was not understood. */
  readonly warnings?: readonly WireWarning[];
}

/** One generation from its start to its end, independent of whoever reads it. */
export class LiveGeneration {
  readonly id: string;
  readonly owner: string;
  readonly model: string;
  readonly startedAt: number = Date.now();
  readonly log: EventLog = new EventLog();
  /** Fulfilled with how it ended. */
  readonly ended: Promise<GenerationEnding>;
  readonly #spec: GenerationSpec;
  readonly #stop = new AbortController();
  readonly #sentenceEnd = createSentenceEnd();
  readonly #record: GenerationRecord;
  /** The answer of a local model, which can be told to leave its thinking. */
  #current: Generation | undefined;
  #restart: AbortController | undefined;
  /** Asks the provider that answers to leave its thinking, where it can be asked. */
  #endThinking: (() => Promise<boolean>) | undefined;
  /** The id that the answer has at the provider. */
  #answerId = "";
  /** How often the thinking was skipped. Each time has an event of its own. */
  #skips = 0;
  /** What the provider that answers could not be told. */
  #warnings: WireWarning[] = [];
  /** How many characters have come from providers. */
  #receivedCharacters = 0;
  /** What was spent on an answer that was given up for another one. */
  #spentBefore: Usage | undefined;
  #asked: AskedModel | undefined;
  #signal: GenerationEnding | undefined;
  /** How the provider has ended its answer; undefined if it did not come to that. */
  #providerEnd: TerminationReason | undefined;
  /** Counts what comes from a provider, before anything of it is held back or removed. */
  readonly #counter: Stage<GenerationEvent, GenerationEvent> = (next) => ({
    push: (event) => {
      if (event.type === "finish") this.#providerEnd = event.signal.reason;
      this.#receivedCharacters += charactersOf(event);
      next.push(event);
    },
    end: () => next.end(),
  });

  constructor(spec: GenerationSpec, observer: GenerationObserver = NO_OBSERVER) {
    this.id = spec.id;
    this.owner = spec.owner;
    this.model = spec.request.model;
    this.#spec = spec;
    this.#record = new GenerationRecord(observer, spec);
    const run = this.#record.run(() => this.#run());
    this.ended = run.catch((error: unknown) => this.#finish(failedSignal(error)));
  }

  /** How it ended, once it has. */
  get signal(): GenerationEnding | undefined {
    return this.#signal;
  }

  /** The model that was asked last; undefined before any was. */
  get asked(): AskedModel | undefined {
    return this.#asked;
  }

  /** Ends it now. What was generated so far is kept. */
  stop(detail: string): void {
    this.#record.ordered("stop", detail, this.log.all());
    this.#stop.abort(detail);
    // Its end must not wait for a reader that has stopped reading.
    this.log.setFree();
  }

  /** Ends it at the end of the sentence that is being written. */
  stopAtSentenceEnd(detail: string): void {
    this.#record.ordered("finish-sentence", detail, this.log.all());
    this.#sentenceEnd.request(detail);
  }

  /** Ends its thinking, so that the answer follows. False if there is no thinking to end. */
  async skipThinking(): Promise<boolean> {
    const isSkipped = await this.#leaveThinking();
    if (isSkipped && this.#signal === undefined) {
      this.#skips += 1;
      this.log.append({ type: "reasoning", text: "", skipped: true });
    }
    return isSkipped;
  }

  async #leaveThinking(): Promise<boolean> {
    if (this.#current?.skipThinking !== undefined) return this.#current.skipThinking();
    const restart = this.#restart;
    const isThinking = (): boolean => restart?.signal.aborted === false && !this.#hasAnswered();
    if (!isThinking()) return false;
    if (this.#endThinking !== undefined && (await this.#endThinking())) return true;
    // A provider that was asked again has been asked for no thinking already.
    if (!isThinking() || this.#skips > 0) return false;
    restart?.abort("skip_thinking");
    return true;
  }

  async #run(): Promise<TerminationSignal> {
    const { targets, request } = this.#spec;
    this.log.append({ type: "start", id: this.id, model: request.model });
    let signal = truncatedSignal();
    for (const target of targets) {
      this.#record.asks(target);
      signal = await this.#ask(target, request);
      if (signal.reason === "error_termination") this.#record.failed(signal);
      // Where something was said, or somebody has stopped it, nobody else is asked.
      if (signal.reason !== "error_termination" || this.#hasSpoken()) break;
    }
    return this.#finish(signal);
  }

  #finish(signal: TerminationSignal): GenerationEnding {
    const unshownCharacters = this.#countUnshown();
    const ending = describeEnding(signal, {
      warnings: [...(this.#spec.warnings ?? []), ...this.#warnings],
      unshownCharacters,
      isThinkingSkipped: this.#skips > 0,
    });
    this.#signal = ending;
    this.#countTokens(unshownCharacters);
    this.log.append({ type: "finish", signal: ending });
    this.log.close();
    this.#record.ended(ending, this.log.all());
    return ending;
  }

  /** How many characters came from a provider and went nowhere: an answer that was ended here may have some. */
  #countUnshown(): number {
    if (this.#receivedCharacters === 0) return 0;
    return Math.max(0, this.#receivedCharacters - totalCharacters(this.log.all()));
  }

  /** Asks one model and writes down what it says, but for the finish, which is returned. */
  async #ask(target: Target, request: GenerationRequest): Promise<TerminationSignal> {
    // Not the target itself, whose engine may hold a caller's key and would be kept for as long as the answer.
    const { provider, model, prices } = target;
    this.#asked = { provider, model, prices };
    const restart = new AbortController();
    const generation = this.#generate(target, { ...request, model: target.model, stream: true }, restart);
    let signal = truncatedSignal();
    for await (const event of generation) {
      if (event.type === "finish") signal = event.signal;
      else if (!restart.signal.aborted || event.type === "reasoning") this.#write(event);
      await this.log.room(MOST_BEHIND);
    }
    // Most providers cannot be told to leave their thinking, so they are asked again for an answer without any. If
    // somebody has stopped all of it in the meantime, that ends at once, with their reason.
    if (restart.signal.aborted) {
      this.#spentBefore = estimateUsage(request, this.#receivedCharacters);
      return this.#ask(target, withoutThinking(request, this.log.all()));
    }
    return signal;
  }

  #generate(target: Target, request: GenerationRequest, restart: AbortController): AsyncIterable<GenerationEvent> {
    const rules = { ...this.#spec.settings.rules, rules: [this.#sentenceEnd.rule] };
    this.#warnings = [];
    this.#providerEnd = undefined;
    this.#endThinking = undefined;
    if (target.appliesRules) {
      const local: LlamaRequest = { ...request, rules };
      this.#current = target.engine.generate(local, this.#stop.signal);
      return this.#current;
    }
    this.#current = undefined;
    this.#restart = restart;
    // Stop strings are looked for here, because providers take few of them and do not say which one it was.
    const { stop = [], ...others } = request;
    const signal = AbortSignal.any([this.#stop.signal, restart.signal]);
    const warnings = this.#warnings;
    const remote: RemoteRequest = { ...others, streamUsage: true, onWarning: (warning) => warnings.push(warning) };
    const { control } = target;
    if (control !== undefined) this.#endThinking = () => control.endThinking(this.#answerId, request.model, signal);
    const answer = target.engine.generate(remote, signal);
    const strings = [...stop, ...[rules.stop ?? []].flat()];
    const guard = defineGuard({ ...rules, stop: strings });
    const measured = strings.length === 0 ? guard : measureHoldBack(guard, (time) => this.#record.heldBack(time));
    const stages = compose(defineReasoningSplitter(), compose(this.#counter, measured));
    return runGeneration(answer, stages, { signal });
  }

  #write(event: GenerationEvent): void {
    if (event.type === "start") {
      this.#answerId = event.id;
      return;
    }
    this.#record.sees(event);
    const before = this.#spentBefore;
    const isSum = event.type === "usage" && before !== undefined;
    this.log.append(isSum ? { ...event, usage: addUsage(before, event.usage) } : event);
  }

  /** Puts token counts before the end where the provider has not come to say them, because it was stopped or cut. */
  #countTokens(unshownCharacters: number): void {
    const events = this.log.all();
    const known = events.findLast((event) => event.type === "usage")?.usage;
    const isWhole = this.#providerEnd !== undefined && !ENDED_EARLY.has(this.#providerEnd);
    const isCounted = known !== undefined && (this.#current !== undefined || isWhole);
    if (!this.#hasSpoken() || isCounted) return;
    const characters = totalCharacters(events) + unshownCharacters;
    const { inputTokens, ...estimate } = estimateUsage(this.#spec.request, characters);
    const readBefore = this.#spentBefore?.inputTokens ?? 0;
    const usage = settleUsage(known, { ...estimate, inputTokens: inputTokens + readBefore });
    if (usage !== known) this.log.append({ type: "usage", usage });
  }

  /** Whether anything was written but the start, and the notes that thinking was skipped. */
  #hasSpoken(): boolean {
    return this.log.length > 1 + this.#skips;
  }

  #hasAnswered(): boolean {
    return this.log.all().some(({ type }) => type !== "start" && type !== "reasoning" && type !== "usage");
  }
}
