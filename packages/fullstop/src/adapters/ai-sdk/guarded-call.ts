import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import type { TerminationPolicy } from "../../decide/policy.ts";
import type { Usage } from "../../events.ts";
import { toDetail } from "../../seal.ts";
import { cancelledSignal, truncatedSignal } from "../../termination.ts";
import type { TerminationSignal } from "../../termination.ts";
import { NOTHING_USED, addUsage } from "../../usage.ts";
import { BrokenAnswerError } from "../broken-answer.ts";
import { estimateCallUsage, isAnnouncement, readAnnouncement, readUsage } from "./call-usage.ts";
import { CollectedContent } from "./collected-content.ts";
import { readFinishReason } from "./finish-reason.ts";
import { writeFinish } from "./finished-call.ts";
import type { FinishPart, FinishedModelCall } from "./finished-call.ts";
import { GuardedParts } from "./guarded-parts.ts";
import type { PreparedCall } from "./prepare-call.ts";
import { readError } from "./read-error.ts";
import { renumbered, resumedPrompt } from "./resumed-prompt.ts";
import { wantsResume } from "./wants-resume.ts";
import type { OpenedAnswer } from "./whole-answer.ts";

/** What a call under rules is made of. */
export interface GuardedCallSetup {
  readonly model: Pick<LanguageModelV4, "provider" | "modelId">;
  readonly call: PreparedCall;
  /** Asks the model. */
  readonly open: (options: LanguageModelV4CallOptions) => PromiseLike<OpenedAnswer>;
  /** How often a paused turn is sent back. */
  readonly policy: TerminationPolicy;
  /** Told once how the call ended. */
  readonly onEnd: (call: FinishedModelCall) => void;
}

/** One model call under rules: reads the provider's answer part by part, and its continuation after a pause. */
export class GuardedCall {
  readonly #setup: GuardedCallSetup;
  readonly #guarded: GuardedParts;
  readonly #shown = new CollectedContent();
  readonly #abort: AbortSignal | undefined;
  #options: LanguageModelV4CallOptions;
  #reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined;
  /** What the provider has said in this turn, to be sent back to it as it was. */
  #said = new CollectedContent();
  /** The last finish. Some streams have several, so the end of the stream tells which it is. */
  #finish: FinishPart | undefined;
  /** What the provider has told of its costs at the beginning of the answer. */
  #announced: Usage | undefined;
  /** What all of an answer has cost that came whole. */
  #counts: Usage | undefined;
  #failure: { readonly error: unknown } | undefined;
  #resumes = 0;
  /** What the answers before the last pause have cost, and how many characters they had. */
  #spent: Usage | undefined;
  #counted = 0;
  #end: FinishedModelCall | undefined;

  constructor(setup: GuardedCallSetup) {
    this.#setup = setup;
    this.#options = setup.call.options;
    this.#guarded = new GuardedParts(setup.call.rules);
    this.#abort = setup.call.options.abortSignal;
  }

  /** The call, once it has ended. */
  get end(): FinishedModelCall | undefined {
    return this.#end;
  }

  /** What went wrong, if anything did. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Asks the model. What it throws before its answer has begun is thrown on, because the SDK tries some of it again. */
  async start(): Promise<LanguageModelV4StreamResult> {
    this.#abort?.addEventListener("abort", this.#onAbort, { once: true });
    try {
      return await this.#ask();
    } catch (error) {
      if (this.#end === undefined) this.#conclude(this.#cancelled() ?? readError(error));
      throw error;
    }
  }

  /** The next parts that may be shown, perhaps none; with the last of them the call has ended. */
  async next(): Promise<readonly LanguageModelV4StreamPart[]> {
    if (this.#reader === undefined) throw new TypeError("next was called before start");
    let read: ReadableStreamReadResult<LanguageModelV4StreamPart>;
    try {
      read = await this.#reader.read();
    } catch (error) {
      return this.#break(error);
    }
    // Nobody is there any more who could be shown anything.
    if (this.#end !== undefined) throw this.#abort?.reason ?? new BrokenAnswerError(this.#end.signal);
    return read.done ? this.#endTurn() : this.#take(read.value);
  }

  /** Ends the call because nobody reads it any more. */
  cancel(reason: unknown): void {
    this.#leave(this.#cancelled() ?? cancelledSignal("disconnect"), reason);
  }

  readonly #onAbort = (): void => {
    this.#leave(cancelledSignal(toDetail(this.#abort?.reason)), this.#abort?.reason);
  };

  #cancelled(): TerminationSignal | undefined {
    return this.#abort?.aborted === true ? cancelledSignal(toDetail(this.#abort.reason)) : undefined;
  }

  #leave(signal: TerminationSignal, reason: unknown): void {
    if (this.#end !== undefined) return;
    this.#show(this.#guarded.end(signal));
    this.#conclude(signal);
    this.#close(reason);
  }

  /** Closes the connection to the provider. What an abandoned answer throws now concerns nobody. */
  #close(reason: unknown): void {
    this.#reader?.cancel(reason).catch(() => undefined);
  }

  #take(part: LanguageModelV4StreamPart): readonly LanguageModelV4StreamPart[] {
    if (part.type === "finish") {
      this.#finish = part;
      return [];
    }
    if (isAnnouncement(part)) this.#announced = readAnnouncement(part);
    if (part.type === "error") this.#failure ??= { error: part.error };
    // The SDK expects one beginning an answer.
    if (part.type === "stream-start" && this.#resumes > 0) return [];
    this.#said.push(part);
    const shown = this.#show(this.#guarded.push(renumbered(part, this.#resumes)));
    const { signal } = this.#guarded;
    if (signal === undefined) return shown;
    this.#finish = undefined;
    this.#close(signal.reason);
    return [...shown, this.#conclude(signal)];
  }

  /** The provider has said all it has to say for now. */
  async #endTurn(): Promise<readonly LanguageModelV4StreamPart[]> {
    const signal = this.#readEnd();
    if (wantsResume(signal, this.#said, this.#resumes, this.#setup.policy)) return this.#resume();
    const shown = this.#show(this.#guarded.end(signal));
    // The SDK takes a finish for the sign that all went well, so an answer of nothing has to fail beside it.
    const isEmpty = this.#finish === undefined && this.#shown.content.length === 0;
    if (isEmpty && this.#failure === undefined) {
      const error = new BrokenAnswerError(signal);
      this.#failure = { error };
      return [...shown, { type: "error", error }, this.#conclude(signal)];
    }
    return [...shown, this.#conclude(signal)];
  }

  #readEnd(): TerminationSignal {
    // Whatever came after it, part of the answer is missing.
    if (this.#failure !== undefined) return readError(this.#failure.error);
    if (this.#finish === undefined) return truncatedSignal();
    const { finishReason, providerMetadata } = this.#finish;
    return readFinishReason(finishReason, { providerMetadata, hadStopStrings: this.#setup.call.hadStopStrings });
  }

  async #resume(): Promise<readonly LanguageModelV4StreamPart[]> {
    this.#spent = this.#usage(undefined);
    this.#counted = this.#guarded.received;
    this.#resumes += 1;
    this.#finish = undefined;
    this.#announced = undefined;
    const { options } = this.#setup.call;
    this.#options = { ...options, prompt: resumedPrompt(options.prompt, this.#said.content) };
    try {
      await this.#ask();
    } catch (error) {
      return this.#break(error);
    }
    return [];
  }

  async #ask(): Promise<LanguageModelV4StreamResult> {
    const opened = await this.#setup.open(this.#options);
    this.#reader = opened.stream.getReader();
    this.#counts = opened.counts;
    // Whoever left while the model was asked could not close what was not open yet.
    if (this.#end !== undefined) this.#close(this.#abort?.reason);
    return opened;
  }

  #break(error: unknown): readonly LanguageModelV4StreamPart[] {
    const cancelled = this.#cancelled();
    if (cancelled !== undefined) this.#leave(cancelled, error);
    if (this.#end !== undefined) throw error;
    const signal = readError(error);
    this.#finish = undefined;
    this.#failure ??= { error };
    return [...this.#show(this.#guarded.end(signal)), { type: "error", error }, this.#conclude(signal)];
  }

  #show(parts: readonly LanguageModelV4StreamPart[]): readonly LanguageModelV4StreamPart[] {
    for (const part of parts) this.#shown.push(part);
    return parts;
  }

  /** What the call has cost so far, or in the end if it ends with a signal. */
  #usage(signal: TerminationSignal | undefined): Usage {
    const known = this.#finish === undefined ? this.#counts : readUsage(this.#finish.usage);
    const usage = known ?? this.#estimate(signal);
    return this.#spent === undefined ? usage : addUsage(this.#spent, usage);
  }

  #estimate(signal: TerminationSignal | undefined): Usage {
    const characters = this.#guarded.received - this.#counted;
    // A request that was refused is not paid for, however often the SDK tries it again.
    const isRefused = signal?.reason === "error_termination" && characters === 0 && this.#announced === undefined;
    return isRefused ? NOTHING_USED : estimateCallUsage(this.#options, characters, this.#announced);
  }

  #conclude(signal: TerminationSignal): FinishPart {
    this.#abort?.removeEventListener("abort", this.#onAbort);
    const usage = this.#usage(signal);
    const { provider, modelId } = this.#setup.model;
    const { text, reasoning, content, cutCalls } = this.#shown;
    const resumes = this.#resumes;
    this.#end = { signal, text, reasoning, content, cutCalls, usage, provider, modelId, resumes };
    this.#setup.onEnd(this.#end);
    return writeFinish(this.#end, this.#finish);
  }
}
