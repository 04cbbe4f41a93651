import type { Generation, GenerationEvent, GenerationRequest } from "fullstop";
import type { LlamaRequest } from "fullstop/llama";
import type { WireWarning } from "fullstop/wire";
import type { Target } from "../models/model-router.ts";
import type { AnswerOptions, ModelAnswer, ThinkingOutcome } from "./model-answer.ts";

/** The answer of a model on this machine, which counts its own tokens and applies the rules to them. */
export class LocalAnswer implements ModelAnswer {
  readonly sentCharacters = 0;
  readonly isCounted = true;
  readonly isGivenUp = false;
  readonly warnings: readonly WireWarning[] = [];
  readonly #generation: Generation;

  constructor({ engine }: Target, request: GenerationRequest, { rules, signal }: AnswerOptions) {
    const local: LlamaRequest = { ...request, rules };
    this.#generation = engine.generate(local, signal);
  }

  get batches(): AsyncIterable<readonly GenerationEvent[]> {
    return oneByOne(this.#generation);
  }

  async leaveThinking(): Promise<ThinkingOutcome> {
    return this.#generation.skipThinking?.() === true ? "left" : "not thinking";
  }
}

/** Tokens come one at a time. */
async function* oneByOne(events: AsyncIterable<GenerationEvent>): AsyncGenerator<readonly GenerationEvent[]> {
  for await (const event of events) yield [event];
}
