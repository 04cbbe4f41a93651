import { compose, defineGuard, defineReasoningSplitter, runGeneration } from "fullstop";
import type {
  Generation,
  GenerationEvent,
  GenerationRequest,
  Sink,
  Stage,
  Take,
  TerminationReason,
  Usage,
} from "fullstop";
import { charactersOf, countsFirst } from "fullstop/engines";
import type { RemoteRequest } from "fullstop/engines";
import type { WireWarning } from "fullstop/wire";
import type { Target } from "../models/model-router.ts";
import { measureHoldBack } from "../operations/hold-back.ts";
import { compileRules } from "../rules/compile-rules.ts";
import { withStops } from "../rules/generation-settings.ts";
import type { AnswerOptions, ModelAnswer, ThinkingOutcome } from "./model-answer.ts";
import { deliverEach } from "./deliver-each.ts";

/** The endings after which a provider does not say what it has counted, or only what it had counted at the start. */
const ENDED_EARLY: ReadonlySet<TerminationReason> = new Set([
  "cancelled",
  "stop_sequence",
  "repetition_detected",
  "budget_exceeded",
  "error_termination",
]);

/** What comes after the thinking: what an answer is made of, and its end, which a rule can bring before there is any. */
const AFTER_THINKING: ReadonlySet<GenerationEvent["type"]> = new Set(["text", "tool-call-start", "opaque", "finish"]);

/** Compiled once for all: it would take longer than all else that is done for a short answer. */
const REASONING_SPLITTER = defineReasoningSplitter();

/** The answer of a provider. The rules are applied here, to what comes. */
export class RemoteAnswer implements ModelAnswer {
  readonly warnings: WireWarning[] = [];
  readonly #target: Target;
  readonly #generation: Generation;
  readonly #stages: Stage<GenerationEvent, GenerationEvent>;
  /** Ends it: for good, or to ask again. */
  readonly #end = new AbortController();
  /** The id that the answer has at the provider. */
  #id = "";
  #sentCharacters = 0;
  #isPastThinking = false;
  /** Kept beside the signal, because this is asked with every batch and the getters of a signal are slow. */
  #isGivenUp = false;
  /** How the provider has ended it; undefined if it did not come to that. */
  #providerEnd: TerminationReason | undefined;
  /** What the provider has counted last, and what of that readers were told before the end. */
  #counted: Usage | undefined;
  #toldCounts: Usage | undefined;

  constructor(target: Target, request: GenerationRequest, options: AnswerOptions) {
    this.#target = target;
    const { signal } = this.#end;
    // Stop strings are looked for here, because providers take few of them and do not say which one it was.
    const { stop = [], streamUsage: _, ...others } = request;
    const asked: RemoteRequest = {
      streamUsage: options.way === "counted",
      onWarning: (warning) => this.warnings.push(warning),
      ...others,
    };
    this.#generation = target.engine.generate(asked, signal);
    const guarded = compose(this.#lookBefore, compose(guardOf(stop, options), this.#lookAfter));
    const stages = compose(REASONING_SPLITTER, guarded);
    this.#stages = options.way === "whole" ? compose(countsFirst, stages) : stages;
  }

  deliver(take: Take<readonly GenerationEvent[]>): Promise<void> {
    const generation = this.#generation;
    const { signal } = this.#end;
    return (
      generation.deliver?.(this.#stages, take) ?? deliverEach(runGeneration(generation, this.#stages, { signal }), take)
    );
  }

  get sentCharacters(): number {
    return this.#sentCharacters;
  }

  get isCounted(): boolean {
    // A rule may end it with what came first of something that has all the rest in it: its last counts were not told.
    const isAllTold = this.#toldCounts === this.#counted;
    return isAllTold && this.#providerEnd !== undefined && !ENDED_EARLY.has(this.#providerEnd);
  }

  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  stop(reason: string): void {
    this.#end.abort(reason);
  }

  async leaveThinking(mayGiveUp: boolean): Promise<ThinkingOutcome> {
    if (!this.#isThinking()) return "not thinking";
    const { control, model } = this.#target;
    if (control !== undefined && (await control.endThinking(this.#id, model, this.#end.signal))) return "left";
    if (!mayGiveUp || !this.#isThinking()) return "not thinking";
    this.#isGivenUp = true;
    this.#end.abort();
    return "given up";
  }

  #isThinking(): boolean {
    return !this.#end.signal.aborted && this.#providerEnd === undefined && !this.#isPastThinking;
  }

  /** Looks at what comes from the provider, before anything of it is held back or removed. */
  readonly #lookBefore: Stage<GenerationEvent, GenerationEvent> = (next: Sink<GenerationEvent>) => ({
    push: (event) => {
      if (event.type === "start") this.#id = event.id;
      else if (event.type === "finish") this.#providerEnd = event.signal.reason;
      else if (event.type === "usage") this.#counted = event.usage;
      this.#sentCharacters += charactersOf(event);
      next.push(event);
    },
    end: () => next.end(),
  });

  /** Looks at what readers get. Text that is held back is no answer yet: the thinking can still be skipped. */
  readonly #lookAfter: Stage<GenerationEvent, GenerationEvent> = (next: Sink<GenerationEvent>) => ({
    push: (event) => {
      if (AFTER_THINKING.has(event.type)) this.#isPastThinking = true;
      else if (event.type === "usage") this.#toldCounts = event.usage;
      next.push(event);
    },
    end: () => {
      // A source that breaks off has no finish of its own; that is made further on.
      this.#isPastThinking = true;
      next.end();
    },
  });
}

function guardOf(
  stop: readonly string[],
  { rules, ownRules, onHeldBack }: AnswerOptions,
): Stage<GenerationEvent, GenerationEvent> {
  const all = withStops(rules, stop);
  const compiled = compileRules(all);
  const guard = defineGuard({ ...compiled, budgetRules: [...ownRules, ...compiled.budgetRules] });
  return all.stop === undefined ? guard : measureHoldBack(guard, onHeldBack);
}
