import type { Generation, GenerationEvent, GenerationRequest, Take } from "fullstop";
import type { LlamaRequest } from "fullstop/llama";
import type { WireWarning } from "fullstop/wire";
import type { Target } from "../models/model-router.ts";
import { deliverEach } from "./deliver-each.ts";
import type { AnswerOptions, ModelAnswer, ThinkingOutcome } from "./model-answer.ts";

/** The answer of a model on this machine, which counts its own tokens and applies the rules to them. */
export class LocalAnswer implements ModelAnswer {
  readonly sentCharacters = 0;
  readonly isCounted = true;
  readonly isGivenUp = false;
  readonly #generation: Generation;
  readonly #stop = new AbortController();

  constructor({ engine }: Target, request: GenerationRequest, { rules, ownRules }: AnswerOptions) {
    const local: LlamaRequest = { ...request, rules: { ...rules, rules: ownRules } };
    this.#generation = engine.generate(local, this.#stop.signal);
  }

  get warnings(): readonly WireWarning[] {
    return this.#generation.warnings ?? [];
  }

  deliver(take: Take<readonly GenerationEvent[]>): Promise<void> {
    return deliverEach(this.#generation, take);
  }

  stop(reason: string): void {
    this.#stop.abort(reason);
  }

  async leaveThinking(): Promise<ThinkingOutcome> {
    return this.#generation.skipThinking?.() === true ? "left" : "not thinking";
  }
}
