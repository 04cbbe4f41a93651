import { truncatedSignal } from "fullstop";
import type { GenerationEvent, GenerationRequest, TerminationSignal, Usage } from "fullstop";
import {
  addUsage,
  estimateUsage,
  isRefusedRequest,
  refusedStreamWish,
  requestsWithoutThinking,
} from "fullstop/engines";
import type { WireWarning } from "fullstop/wire";
import type { AskedModel, Target } from "../models/model-router.ts";
import type { StreamWay } from "../models/refused-streams.ts";
import { isAppliedHere } from "../rules/words-of-servers.ts";
import { askModel } from "./model-answer.ts";
import type { AnswerOptions, ModelAnswer } from "./model-answer.ts";

/** What an {@link Inquiry} is about, and who listens to it. */
export interface InquiryOptions extends Omit<AnswerOptions, "spentBefore" | "way"> {
  readonly request: GenerationRequest;
  /** Takes all of an answer and gives how it ended; undefined if it was given up for one without thinking. */
  readonly hear: (answer: ModelAnswer) => Promise<TerminationSignal | undefined>;
  /** What was heard so far, from all that were asked. */
  readonly heard: () => readonly GenerationEvent[];
}

/**
 * What one generation asks of models: one after the other, and each of them once more where its thinking is skipped and
 * it can only be asked for another answer without any, and where it refuses to be streamed. It knows what the answers that
 * were given up have cost.
 */
export class Inquiry {
  readonly #options: InquiryOptions;
  #asked: AskedModel | undefined;
  #answer: ModelAnswer | undefined;
  #stopReason: string | undefined;
  #isThinkingSkipped = false;
  /** Whether the answer of the model that is asked may be given up for one without thinking: once for each model. */
  #mayGiveUp = true;
  /** How the model that is asked is to answer: as it was configured, or as it has not refused. */
  #way: StreamWay = "counted";
  /** How many characters came from answers that were given up, and what they have cost. */
  #sentBefore = 0;
  #spentBefore: Usage = { inputTokens: 0, outputTokens: 0 };

  constructor(options: InquiryOptions) {
    this.#options = options;
  }

  /** The model that was asked last; undefined before any was. */
  get asked(): AskedModel | undefined {
    return this.#asked;
  }

  get isThinkingSkipped(): boolean {
    return this.#isThinkingSkipped;
  }

  /** How many characters came from all answers but those of models that have failed. */
  get sentCharacters(): number {
    return this.#sentBefore + (this.#answer?.sentCharacters ?? 0);
  }

  /** What the answers have cost that were given up, which no provider says. */
  get spentBefore(): Usage {
    return this.#spentBefore;
  }

  /** Whether the last token counts of the last answer are all of it. */
  get isCounted(): boolean {
    return this.#answer?.isCounted === true;
  }

  /** What of the request the model that was asked last could not be told, and nobody does in its place. */
  get warnings(): readonly WireWarning[] {
    const { request } = this.#options;
    return (this.#answer?.warnings ?? []).filter((warning) => !isAppliedHere(request, warning));
  }

  /** Asks a model, and gives how its answer ended. */
  async ask(target: Target): Promise<TerminationSignal> {
    this.#mayGiveUp = true;
    this.#way = target.streams === false ? "whole" : (target.refusedStreams?.wayOf(target.model) ?? "counted");
    // Whoever has skipped the thinking of one model does not want that of the next one either.
    let signal = this.#isThinkingSkipped ? undefined : await this.#askOnce(target, this.#options.request);
    // Most providers cannot be told to leave their thinking, so they are asked again for an answer without any. That one
    // may think all the same and be given up in its turn, but only one answer of each model is.
    while (signal === undefined) signal = await this.#askForNone(target);
    return signal;
  }

  /** Ends what is asked, and what would be asked next, for a reason. */
  stop(reason: string): void {
    this.#stopReason ??= reason;
    this.#answer?.stop(this.#stopReason);
  }

  /** Has the model that is asked leave its thinking. False if there is none to leave. */
  async leaveThinking(): Promise<boolean> {
    let told: ModelAnswer | undefined;
    // A model may fail while it is told, and whoever is asked instead knows nothing of the order.
    do {
      told = this.#answer;
      const outcome = await told?.leaveThinking(this.#mayGiveUp);
      if (outcome === "given up" || (outcome === "left" && this.#answer === told)) {
        this.#isThinkingSkipped = true;
        return true;
      }
    } while (this.#answer !== told);
    return false;
  }

  /** Asks a model for an answer without thinking, in the first words for it that are not refused. */
  async #askForNone(target: Target): Promise<TerminationSignal | undefined> {
    let signal: TerminationSignal | undefined = truncatedSignal();
    for (const request of requestsWithoutThinking(this.#options.request, this.#options.heard())) {
      signal = await this.#askOnce(target, request);
      const isRefused = signal !== undefined && isRefusedRequest(signal) && this.#answer?.sentCharacters === 0;
      if (!isRefused) break;
    }
    return signal;
  }

  /** Asks a model in certain words, and once more in another way where it is the stream or its counts that are refused. */
  async #askOnce(target: Target, request: GenerationRequest): Promise<TerminationSignal | undefined> {
    const signal = await this.#askInOneWay(target, request);
    const way = signal === undefined ? undefined : otherWay(this.#way, signal);
    if (way === undefined || target.appliesRules || this.#answer?.sentCharacters !== 0) return signal;
    this.#way = way;
    const again = await this.#askOnce(target, request);
    if (again === undefined) return undefined;
    if (again.reason !== "error_termination") target.refusedStreams?.add(target.model, this.#way);
    // A request that is refused either way is refused for what was said first.
    return isRefusedRequest(again) ? signal : again;
  }

  /** Asks a model once. Gives how its answer ended; undefined if that was given up. */
  async #askInOneWay(target: Target, request: GenerationRequest): Promise<TerminationSignal | undefined> {
    // Not the target itself, whose engine may hold a caller's key and would be kept for as long as the answer.
    const { provider, model, prices } = target;
    this.#asked = { provider, model, prices };
    const ours = { spentBefore: this.#spentBefore, way: this.#way };
    const answer = askModel(target, request, { ...ours, ...this.#options });
    this.#answer = answer;
    if (this.#stopReason !== undefined) answer.stop(this.#stopReason);
    const signal = await this.#options.hear(answer);
    if (signal !== undefined) return signal;
    this.#sentBefore += answer.sentCharacters;
    this.#spentBefore = addUsage(this.#spentBefore, estimateUsage(request, answer.sentCharacters));
    this.#mayGiveUp = false;
    return undefined;
  }
}

/** The way that is left after a refusal; undefined where it was none of how the answer was asked for. */
function otherWay(way: StreamWay, refusal: TerminationSignal): StreamWay | undefined {
  const wish = way === "whole" ? undefined : refusedStreamWish(refusal);
  if (wish === "streamUsage") return way === "counted" ? "uncounted" : undefined;
  return wish === "stream" ? "whole" : undefined;
}
