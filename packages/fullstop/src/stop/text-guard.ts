import { checkTokenIds } from "../check.ts";
import { FullstopError, invalidArgument } from "../errors.ts";
import type { TerminationSignal } from "../termination.ts";
import { StopMachine } from "./stop-machine.ts";
import { toStopRules } from "./stop-rules.ts";
import type { StopRuleOptions, StopRules } from "./stop-rules.ts";

/** Stop rules at work on plain text. */
export interface TextGuard {
  /**
   * Takes the next piece of text and returns what may be shown now. Token ids, where they are known, are what
   * token limits and end tokens work on; a piece without them counts as one token. A piece is one step: which of
   * its text belongs to which of its tokens is not known, so pass tokens one at a time where a limit has to fall
   * between two. Once `signal` is there the answer is always empty.
   */
  push(chunk: string, tokenIds?: readonly number[]): string;
  /** Returns the text that was still held back. There is nothing to push after it. */
  end(): string;
  /**
   * Stops from outside and returns the text that was still held back. `detail` says who stopped, such as `user`. A
   * text that has ended already cannot be stopped any more.
   */
  cancel(detail?: string): string;
  /** How the text ended, once a rule or a cancel has ended it. */
  readonly signal: TerminationSignal | undefined;
  /** The text held back at present: the beginning of a stop string, perhaps, or of a loop that is to be trimmed. */
  readonly held: string;
}

/**
 * Watches plain text and decides when it ends. Give it options, or rules compiled with `defineStopRules` when many
 * texts share them.
 *
 * ```ts
 * const guard = createTextGuard({ stop: ["</answer>"], repetition: true, maxTokens: 500 });
 * for await (const chunk of chunks) {
 *   show(guard.push(chunk));
 *   if (guard.signal) break;
 * }
 * show(guard.end());
 * ```
 */
export function createTextGuard(rules: StopRules | StopRuleOptions = {}): TextGuard {
  return new MachineTextGuard(new StopMachine(toStopRules(rules)));
}

class MachineTextGuard implements TextGuard {
  readonly #machine: StopMachine;
  #ended = false;

  constructor(machine: StopMachine) {
    this.#machine = machine;
  }

  push(chunk: string, tokenIds?: readonly number[]): string {
    if (typeof chunk !== "string") throw invalidArgument("chunk", "must be a string", chunk);
    checkTokenIds("tokenIds", tokenIds);
    if (this.#ended && this.#machine.signal === undefined) {
      throw new FullstopError("use_after_end", "push was called after end; a new text needs a new guard");
    }
    return this.#machine.feed("text", chunk, tokenIds);
  }

  end(): string {
    this.#ended = true;
    return this.#machine.signal === undefined ? this.#machine.leave() : "";
  }

  cancel(detail?: string): string {
    return this.#ended ? "" : this.#machine.cancel(detail);
  }

  get signal(): TerminationSignal | undefined {
    return this.#machine.signal;
  }

  get held(): string {
    return this.#machine.held;
  }
}
