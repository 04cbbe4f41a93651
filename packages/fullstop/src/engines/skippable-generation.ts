import type { Engine, Generation, RequestWarning } from "../engine.ts";
import type { GenerationEvent, ReasoningEvent, Usage } from "../events.ts";
import type { GenerationRequest } from "../request.ts";
import { stopOnLeave } from "../leave.ts";
import { runGeneration, toDetail } from "../seal.ts";
import { cancelledSignal } from "../termination.ts";
import { NOTHING_USED, addUsage, charactersOf, estimateUsage, settleUsage } from "../usage.ts";
import { isRefusedRequest, requestsWithoutThinking } from "./without-thinking.ts";

/** Tells a server to leave the thinking of an answer. False if it did not. */
export type LeaveThinking = (answerId: string, model: string, signal: AbortSignal) => Promise<boolean>;

/** What a generation whose thinking can be skipped is made of. */
export interface SkippableParts {
  readonly engine: Engine;
  readonly request: GenerationRequest;
  readonly signal: AbortSignal;
  readonly leaveThinking: LeaveThinking | undefined;
}

type Phase =
  /** Nothing has come that is more than thinking. */
  | "thinking"
  /** Somebody wants the thinking to end, and the server has been told. */
  | "leaving"
  /** The request that thinks was given up. */
  | "given up"
  /** The thinking is over, or was left. */
  | "answering";

/** What an answer is made of, as opposed to what comes before it. */
const ANSWERS: ReadonlySet<GenerationEvent["type"]> = new Set(["text", "tool-call-start", "opaque"]);

const SKIPPED: ReasoningEvent = { type: "reasoning", text: "", skipped: true };

/** Why a request is given up for another one. It is never told to anybody. */
const GIVEN_UP = Symbol("given up");

/** One answer, which takes a second request if somebody has its thinking skipped. */
export class SkippableGeneration implements Generation {
  readonly #parts: SkippableParts;
  /** Ends the request under way: with the caller's signal, when its reader leaves, or to ask again. */
  #end = new AbortController();
  readonly #onAbort = (): void => this.#end.abort(this.#parts.signal.reason);
  readonly #first: Generation;
  #second: Generation | undefined;
  #events: AsyncGenerator<GenerationEvent, void, undefined> | undefined;
  #phase: Phase = "thinking";
  /** Whether somebody has to be told yet that the thinking was skipped. */
  #owesMark = false;
  #answerId: string | undefined;
  /** Whether the first request was made: one that is given up before anybody reads is not. */
  #isAsked = false;
  readonly #thinking: ReasoningEvent[] = [];
  /** What the first request has brought, and what of it the provider has counted. */
  #characters = 0;
  #usage: Usage | undefined;

  constructor(parts: SkippableParts) {
    const { engine, request, signal } = parts;
    this.#parts = parts;
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
    this.#first = engine.generate(request, this.#end.signal);
  }

  /** Those of both requests. */
  get warnings(): readonly RequestWarning[] {
    return [...(this.#first.warnings ?? []), ...(this.#second?.warnings ?? [])];
  }

  skipThinking(): boolean {
    if (this.#parts.signal.aborted) return false;
    if (this.#first.skipThinking !== undefined) return this.#first.skipThinking();
    if (this.#phase === "thinking" && this.#mayThink()) {
      this.#phase = "leaving";
      this.#owesMark = true;
      const { leaveThinking } = this.#parts;
      // Before an answer has begun nobody knows what it is called at the server.
      if (leaveThinking === undefined || this.#answerId === undefined) this.#giveUp();
      else void this.#tell(leaveThinking, this.#answerId);
    }
    return this.#phase === "leaving" || this.#phase === "given up";
  }

  [Symbol.asyncIterator](): AsyncGenerator<GenerationEvent, void, undefined> {
    // The caller's signal is for the engine to heed, which knows what was used when it ends.
    this.#events ??= stopOnLeave(
      runGeneration(this.#read(), (next) => next),
      () => this.#leave(),
    );
    return this.#events;
  }

  /** Nobody is there for another answer, nor for the rest of this one. */
  #leave(): void {
    this.#phase = "answering";
    this.#parts.signal.removeEventListener("abort", this.#onAbort);
    this.#end.abort();
  }

  /** A model that was asked not to think, and shows no thinking, has none to leave. */
  #mayThink(): boolean {
    const { effort, budgetTokens } = this.#parts.request.reasoning ?? {};
    return this.#thinking.length > 0 || (effort !== "none" && budgetTokens !== 0);
  }

  /** Tells the server, which is asked again if it does not listen. */
  async #tell(leaveThinking: LeaveThinking, answerId: string): Promise<void> {
    let isLeft = false;
    try {
      isLeft = await leaveThinking(answerId, this.#parts.request.model, this.#end.signal);
    } catch {
      // The thinking can be ended in another way, so nobody has to know.
    }
    if (this.#phase !== "leaving") return;
    if (isLeft) this.#phase = "answering";
    else this.#giveUp();
  }

  #giveUp(): void {
    this.#phase = "given up";
    this.#end.abort(GIVEN_UP);
  }

  async *#read(): AsyncGenerator<GenerationEvent, void, undefined> {
    try {
      this.#isAsked = this.#phase !== "given up";
      for await (const event of this.#first) {
        this.#note(event);
        if (this.#phase === "given up") {
          // An answer that was given up for another one has not been given, but its last thoughts have been thought.
          if (event.type === "reasoning") yield event;
          continue;
        }
        const isAnswer = ANSWERS.has(event.type);
        if (isAnswer || event.type === "finish") this.#phase = "answering";
        if (isAnswer) yield* this.#mark();
        yield event;
      }
      if (this.#phase === "given up") yield* this.#askAgain();
    } finally {
      // A reader may leave while the server is still being told to end the thinking.
      this.#leave();
    }
  }

  #note(event: GenerationEvent): void {
    if (event.type === "start") this.#answerId = event.id;
    else if (event.type === "reasoning") this.#thinking.push(event);
    else if (event.type === "usage") this.#usage = event.usage;
    this.#characters += charactersOf(event);
  }

  /** Says once that the thinking was skipped, before the answer begins. */
  *#mark(): Generator<GenerationEvent, void, undefined> {
    if (!this.#owesMark) return;
    this.#owesMark = false;
    yield SKIPPED;
  }

  /** Asks for an answer without thinking, which goes on where the first one has ended. */
  async *#askAgain(): AsyncGenerator<GenerationEvent, void, undefined> {
    const { request, signal } = this.#parts;
    this.#end = new AbortController();
    // Nobody counts the tokens of a request that was given up.
    const estimate = this.#isAsked ? estimateUsage(request, this.#characters) : NOTHING_USED;
    const before = settleUsage(this.#usage, estimate);
    // What has not begun yet begins with the second request.
    if (this.#answerId !== undefined) yield* this.#mark();
    if (signal.aborted) {
      yield { type: "usage", usage: before };
      yield { type: "finish", signal: cancelledSignal(toDetail(signal.reason)) };
      return;
    }
    this.#phase = "answering";
    const requests = requestsWithoutThinking(request, this.#thinking);
    for (const again of requests) {
      if (yield* this.#answer(again, before, again === requests.at(-1))) return;
    }
  }

  /** Gives the answer to a request. False if it was refused, and there is another one to try. */
  async *#answer(
    again: GenerationRequest,
    before: Usage,
    isLast: boolean,
  ): AsyncGenerator<GenerationEvent, boolean, undefined> {
    const { engine } = this.#parts;
    let isCounted = false;
    let characters = 0;
    this.#second = engine.generate(again, this.#end.signal);
    for await (const event of this.#second) {
      characters += charactersOf(event);
      if (event.type === "start") {
        if (this.#answerId !== undefined) continue;
        this.#answerId = event.id;
      }
      if (event.type === "usage") {
        isCounted = true;
        yield { type: "usage", usage: addUsage(before, event.usage) };
        continue;
      }
      const isRefused = event.type === "finish" && isRefusedRequest(event.signal) && characters === 0;
      if (isRefused && !isCounted && !isLast) return false;
      if (event.type === "finish" && !isCounted) {
        const isFailed = event.signal.reason === "error_termination" && characters === 0;
        yield { type: "usage", usage: isFailed ? before : addUsage(before, estimateUsage(again, characters)) };
      }
      if (event.type !== "start") yield* this.#mark();
      yield event;
    }
    return true;
  }
}
