import type { GenerationEvent } from "../events.ts";

/** What can come before an answer. */
const BEFORE_ANSWERS: ReadonlySet<GenerationEvent["type"]> = new Set(["start", "reasoning", "usage"]);

/** The thinking of one scripted answer, which can be left. */
export class ScriptedThinking {
  /** Fulfilled when the thinking is to be left. */
  readonly #skipped: Promise<void>;
  readonly #signal: AbortSignal;
  #state: "thinking" | "skipped" | "over" = "thinking";
  #leave: () => void = () => undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.#skipped = new Promise((resolve) => (this.#leave = resolve));
  }

  /** Leaves it. False if it is over. */
  skip(): boolean {
    if (this.#signal.aborted || this.#state === "over") return false;
    this.#state = "skipped";
    this.#leave();
    return true;
  }

  /** Waits for a step of the script, but not for one that belongs to thinking and is left with it. */
  async during(step: void | Promise<void>): Promise<void> {
    await (this.#state === "over" ? step : Promise.race([step, this.#skipped]));
  }

  /** Whether a step of the script is not taken, because it belongs to thinking that was left. */
  leavesOut(step: GenerationEvent | (() => unknown)): boolean {
    const isEvent = typeof step !== "function";
    if (isEvent && !BEFORE_ANSWERS.has(step.type)) this.#state = "over";
    return this.#state === "skipped" && !(isEvent && step.type !== "reasoning");
  }
}
