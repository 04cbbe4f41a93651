import { compose, defineGuard, defineReasoningSplitter, runGeneration } from "fullstop";
import type { GenerationEvent, GenerationRequest, Sink, Stage, TerminationReason } from "fullstop";
import type { RemoteRequest } from "fullstop/engines";
import type { LlamaRules } from "fullstop/llama";
import type { WireWarning } from "fullstop/wire";
import type { Target } from "../models/model-router.ts";
import { measureHoldBack } from "../operations/hold-back.ts";
import type { AnswerOptions, ModelAnswer, ThinkingOutcome } from "./model-answer.ts";
import { charactersOf } from "./usage.ts";

/** The endings after which a provider does not say what it has counted, or only what it had counted at the start. */
const ENDED_EARLY: ReadonlySet<TerminationReason> = new Set([
  "cancelled",
  "stop_sequence",
  "repetition_detected",
  "budget_exceeded",
  "error_termination",
]);

/** What an answer is made of, as opposed to what comes before it. */
const ANSWERS: ReadonlySet<GenerationEvent["type"]> = new Set(["text", "tool-call-start", "opaque"]);

/** The answer of a provider. The rules are applied here, to what comes. */
export class RemoteAnswer implements ModelAnswer {
  readonly batches: AsyncIterable<readonly GenerationEvent[]>;
  readonly warnings: WireWarning[] = [];
  readonly #target: Target;
  readonly #giveUp = new AbortController();
  readonly #signal: AbortSignal;
  /** The id that the answer has at the provider. */
  #id = "";
  #sentCharacters = 0;
  #hasAnswered = false;
  /** How the provider has ended it; undefined if it did not come to that. */
  #end: TerminationReason | undefined;

  constructor(target: Target, request: GenerationRequest, { rules, signal, onHeldBack }: AnswerOptions) {
    this.#target = target;
    this.#signal = AbortSignal.any([signal, this.#giveUp.signal]);
    // Stop strings are looked for here, because providers take few of them and do not say which one it was.
    const { stop = [], ...others } = request;
    const asked: RemoteRequest = { ...others, streamUsage: true, onWarning: (warning) => this.warnings.push(warning) };
    const generation = target.engine.generate(asked, this.#signal);
    const guard = guardOf(rules, stop, onHeldBack);
    const stages = compose(defineReasoningSplitter(), compose(this.#lookBefore, compose(guard, this.#lookAfter)));
    this.batches = inBatches(runGeneration(generation, stages, { signal: this.#signal }));
  }

  get sentCharacters(): number {
    return this.#sentCharacters;
  }

  get isCounted(): boolean {
    return this.#end !== undefined && !ENDED_EARLY.has(this.#end);
  }

  get isGivenUp(): boolean {
    return this.#giveUp.signal.aborted;
  }

  async leaveThinking(mayGiveUp: boolean): Promise<ThinkingOutcome> {
    if (!this.#isThinking()) return "not thinking";
    const { control, model } = this.#target;
    if (control !== undefined && (await control.endThinking(this.#id, model, this.#signal))) return "left";
    if (!mayGiveUp || !this.#isThinking()) return "not thinking";
    this.#giveUp.abort("skip_thinking");
    return "given up";
  }

  #isThinking(): boolean {
    return !this.#signal.aborted && this.#end === undefined && !this.#hasAnswered;
  }

  /** Looks at what comes from the provider, before anything of it is held back or removed. */
  readonly #lookBefore: Stage<GenerationEvent, GenerationEvent> = (next: Sink<GenerationEvent>) => ({
    push: (event) => {
      if (event.type === "start") this.#id = event.id;
      else if (event.type === "finish") this.#end = event.signal.reason;
      this.#sentCharacters += charactersOf(event);
      next.push(event);
    },
    end: () => next.end(),
  });

  /** Looks at what readers get. Text that is held back is no answer yet: the thinking can still be skipped. */
  readonly #lookAfter: Stage<GenerationEvent, GenerationEvent> = (next: Sink<GenerationEvent>) => ({
    push: (event) => {
      if (ANSWERS.has(event.type)) this.#hasAnswered = true;
      next.push(event);
    },
    end: () => next.end(),
  });
}

function guardOf(
  rules: LlamaRules,
  stop: readonly string[],
  onHeldBack: (milliseconds: number) => void,
): Stage<GenerationEvent, GenerationEvent> {
  const strings = [...stop, ...[rules.stop ?? []].flat()];
  const guard = defineGuard({ ...rules, stop: strings });
  return strings.length === 0 ? guard : measureHoldBack(guard, onHeldBack);
}

async function* inBatches(events: AsyncIterable<GenerationEvent>): AsyncGenerator<readonly GenerationEvent[]> {
  for await (const event of events) yield [event];
}
