import type { TerminationDecision } from "../decide/decision.ts";
import type { Usage } from "../events.ts";
import type { GenerationRequest, Message } from "../request.ts";
import { toDetail } from "../seal.ts";
import type { TerminationSignal } from "../termination.ts";
import { addUsage } from "../usage.ts";
import { reasoningOf, textOf, usageOf } from "./answer.ts";
import type { AgentAnswer } from "./answer.ts";
import type { Clock } from "../clock.ts";
import type { CurrentGeneration } from "./current-generation.ts";
import type { Spent } from "./limits.ts";
import type { AgentEnd, AgentResult, FinishedCall } from "./result.ts";
import type { RunSetup } from "./run-setup.ts";
import type { QueuedMessage } from "./steering.ts";

/** The reason of an abort by the run's own limit of time, which nobody else can give. */
export const DEADLINE: Error = Object.assign(new Error("The time for the run is up"), { name: "TimeoutError" });

/** What a run has done so far, for its limits and its result. */
export class RunRecord {
  readonly #clock: Clock;
  readonly #current: CurrentGeneration;
  readonly #signals: TerminationSignal[] = [];
  readonly #decisions: TerminationDecision[] = [];
  readonly #calls: FinishedCall[] = [];
  #usage: Usage = { inputTokens: 0, outputTokens: 0 };
  #began: number | undefined;
  #turns = 0;
  /** What the last answer shows of its thinking. */
  #thinking = "";

  /** How many messages there were when the answer under way began. */
  #before = Infinity;

  constructor({ clock, current }: Pick<RunSetup, "clock" | "current">) {
    this.#clock = clock;
    this.#current = current;
  }

  /** A new answer begins after so many messages. */
  beginAnswer(before: number): void {
    this.#before = before;
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
    this.#usage = addUsage(this.#usage, usageOf(answer, request, this.#current.hasEnded));
    this.#thinking = reasoningOf(answer.content);
  }

  addDecision(decision: TerminationDecision): void {
    this.#decisions.push(decision);
  }

  /** Something other than the model has failed. */
  addFailure(signal: TerminationSignal): void {
    this.#signals.push(signal);
  }

  addCall(call: FinishedCall): void {
    this.#calls.push(call);
  }

  spent(): Spent {
    this.#began ??= this.#clock.now();
    const milliseconds = this.#clock.now() - this.#began;
    return { turns: this.#turns, toolCalls: this.#calls.length, milliseconds, usage: this.#usage };
  }

  /** Whether the last answer or its tools were broken off by a stop. */
  isInterrupted(): boolean {
    return (
      this.#turns > 0 &&
      (this.#signals.at(-1)?.reason === "cancelled" || this.#decisions.at(-1)?.shouldContinue === true)
    );
  }

  /** Whether the last answer has ended by itself, even if nobody knows how. */
  isAnswered(end: AgentEnd | undefined): boolean {
    return end === "completed" || (end === "incomplete" && this.#signals.at(-1)?.reason === "unknown");
  }

  /** Why the run is over in the end, and who or what has stopped it if somebody did. */
  endOf(reason: AgentEnd, signal: AbortSignal): { readonly end: AgentEnd; readonly detail?: string } {
    // A generation can be stopped where it runs, without this run being told.
    if (reason !== "stopped" && !(signal.aborted && reason === "completed")) return { end: reason };
    if (signal.reason === DEADLINE) return { end: "time_limit" };
    if (typeof signal.reason === "string") return { end: "stopped", detail: signal.reason };
    const cancelled = this.#signals.findLast(({ reason: why }) => why === "cancelled");
    return { end: "stopped", detail: cancelled?.detail ?? toDetail(signal.reason) ?? "user" };
  }

  result(end: AgentEnd, messages: readonly Message[], queued: readonly QueuedMessage[]): AgentResult {
    const last = messages.slice(this.#before).findLast(({ role }) => role === "assistant");
    const content = last?.role === "assistant" ? last.content : [];
    const { turns, milliseconds, usage } = this.spent();
    return {
      end,
      text: textOf(content),
      // Thinking without an answer is not kept in the history, which providers would refuse.
      reasoning: last === undefined ? this.#thinking : reasoningOf(content),
      messages,
      usage,
      turns,
      toolCalls: this.#calls,
      milliseconds,
      signals: this.#signals,
      decisions: this.#decisions,
      warnings: this.#current.warnings,
      queued,
    };
  }
}
