import type { TerminationDecision } from "../decide/decision.ts";
import type { Usage } from "../events.ts";
import type { GenerationRequest, Message } from "../request.ts";
import type { TerminationSignal } from "../termination.ts";
import { addUsage, reasoningOf, textOf, usageOf } from "./answer.ts";
import type { AgentAnswer } from "./answer.ts";
import type { Clock } from "../clock.ts";
import type { Spent } from "./limits.ts";
import type { AgentEnd, AgentResult, FinishedCall } from "./result.ts";
import type { QueuedMessage } from "./steering.ts";

/** What a run has done so far, for its limits and its result. */
export class RunRecord {
  readonly #clock: Clock;
  readonly #began: number;
  readonly #signals: TerminationSignal[] = [];
  readonly #decisions: TerminationDecision[] = [];
  #usage: Usage = { inputTokens: 0, outputTokens: 0 };
  #turns = 0;
  readonly #calls: FinishedCall[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#began = clock.now();
  }

  get turns(): number {
    return this.#turns;
  }

  get usage(): Usage {
    return this.#usage;
  }

  /** Begins a turn and tells its number. */
  startTurn(): number {
    this.#turns += 1;
    return this.#turns;
  }

  addAnswer(answer: AgentAnswer, request: GenerationRequest): void {
    this.#signals.push(answer.signal);
    this.#usage = addUsage(this.#usage, usageOf(answer, request));
  }

  addDecision(decision: TerminationDecision): void {
    this.#decisions.push(decision);
  }

  addCall(call: FinishedCall): void {
    this.#calls.push(call);
  }

  spent(): Spent {
    const milliseconds = this.#clock.now() - this.#began;
    return { turns: this.#turns, toolCalls: this.#calls.length, milliseconds, usage: this.#usage };
  }

  result(end: AgentEnd, messages: readonly Message[], queued: readonly QueuedMessage[]): AgentResult {
    const last = messages.findLast(({ role }) => role === "assistant");
    const content = last?.role === "assistant" ? last.content : [];
    const { turns, milliseconds, usage } = this.spent();
    return {
      end,
      text: textOf(content),
      reasoning: reasoningOf(content),
      messages,
      usage,
      turns,
      toolCalls: this.#calls,
      milliseconds,
      signals: this.#signals,
      decisions: this.#decisions,
      queued,
    };
  }
}
