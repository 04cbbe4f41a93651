import type { GenerationEvent } from "../events.ts";
import { seal } from "../seal.ts";
import type { Sink, Stage } from "../stage.ts";
import { failedSignal, truncatedSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import { mistakeSignal, withMetadata } from "./failures.ts";

/** The first sign of an answer. */
export interface ResponseHead {
  readonly status: number;
  readonly retryAfterMilliseconds: number | undefined;
}

/** What a pipe is made of. */
export interface AnswerPipeParts {
  /** Makes the reader of a body, given the status that it came with. */
  readonly decode: (status: number) => Stage<Uint8Array, GenerationEvent>;
  /** Takes out of a finish what nobody is to see. */
  readonly clean: (signal: TerminationSignal) => TerminationSignal;
  /** What the caller has put behind the reader. */
  readonly stage: Stage<GenerationEvent, GenerationEvent>;
}

/**
 * Where the bytes of one answer become events: the dialect's reader and the caller's stage in one synchronous run.
 * Whatever goes wrong, also within a stage, there is exactly one finish, and it comes last.
 */
export class AnswerPipe {
  readonly #decode: AnswerPipeParts["decode"];
  readonly #clean: AnswerPipeParts["clean"];
  readonly #first: Sink<GenerationEvent>;
  #body: Sink<Uint8Array> | undefined;
  #ready: GenerationEvent[] = [];
  #isFinished = false;
  #isAnswered = false;
  /** Whether the head has said that there is no answer, and why not. */
  #isRefused = false;

  constructor({ decode, clean, stage }: AnswerPipeParts) {
    this.#decode = decode;
    this.#clean = clean;
    const collect = {
      push: (event: GenerationEvent): void => {
        this.#isFinished ||= event.type === "finish";
        this.#ready.push(event);
      },
      end: () => undefined,
    };
    // The answer is sealed on its own, too: a stage is to see what an engine without one would give.
    this.#first = seal(stage(seal(collect)));
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Whether the answer has ended by its own account, so that hardly anything can follow. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** The answer has begun, and its head says what it is. */
  open({ status, retryAfterMilliseconds }: ResponseHead): void {
    this.#isRefused = status >= 400;
    const isAsked = this.#isRefused && retryAfterMilliseconds !== undefined;
    this.#body = this.#decode(status)({
      push: (event) => {
        // A stage that breaks breaks here, and not amid the reader, who would blame the server for what it cannot read.
        try {
          if (event.type !== "finish") this.#first.push(event);
          else {
            this.#isAnswered = true;
            this.#finish(isAsked ? withMetadata(event.signal, { retryAfterMilliseconds }) : event.signal);
          }
        } catch (error) {
          this.fail(mistakeSignal(error));
        }
      },
      end: () => undefined,
    });
  }

  push(bytes: Uint8Array): void {
    try {
      this.#body?.push(bytes);
    } catch (error) {
      this.fail(mistakeSignal(error));
    }
  }

  /** The bytes have come to their end. */
  end(): void {
    try {
      this.#body?.end();
      this.#first.end();
    } catch (error) {
      this.fail(mistakeSignal(error));
    }
    this.fail(truncatedSignal());
  }

  /** The bytes have broken off. A refusal is one all the same, and its head has said when to come back. */
  breakOff(failure: TerminationSignal): void {
    if (this.#isRefused && failure.reason !== "cancelled") this.end();
    else this.fail(failure);
  }

  /** Ends it otherwise than by its own account, if it has not ended yet. */
  fail(signal: TerminationSignal): void {
    if (this.#isFinished) return;
    this.#body = undefined;
    let last = signal;
    try {
      this.#finish(signal);
    } catch (error) {
      last = failedSignal(error);
    }
    if (this.#isFinished) return;
    // The caller's stage is broken, and nothing passes it any more.
    this.#isFinished = true;
    this.#ready.push({ type: "finish", signal: last });
  }

  /** Takes the events away that have come out since it was last asked. */
  take(): readonly GenerationEvent[] {
    const events = this.#ready;
    // A new list costs a quarter of what emptying the old one does.
    if (events.length > 0) this.#ready = [];
    return events;
  }

  #finish(signal: TerminationSignal): void {
    this.#first.push({ type: "finish", signal: this.#clean(signal) });
    this.#first.end();
  }
}
