import type { StopRuleOptions, StopRules } from "../../stop/stop-rules.ts";
import { createTextGuard } from "../../stop/text-guard.ts";
import type { TerminationSignal } from "../../termination.ts";

/** Stop rules at work on a web stream of text. */
export interface GuardStream {
  readonly readable: ReadableStream<string>;
  readonly writable: WritableStream<string>;
  /** How the text ended, once a rule has ended it; undefined for a text that ended by itself. */
  readonly signal: TerminationSignal | undefined;
  /** The text held back at present. After a source has failed it is what was never shown. */
  readonly held: string;
}

/**
 * Creates a transform of text, for `pipeThrough`. What may be shown leaves at once. When a rule ends the text the
 * readable side closes, and the source is cancelled: a connection behind it is closed.
 *
 * ```ts
 * const guard = createGuardStream({ stop: ["</answer>"], repetition: true });
 * for await (const text of response.body.pipeThrough(new TextDecoderStream()).pipeThrough(guard)) show(text);
 * console.log(guard.signal?.reason);
 * ```
 */
export function createGuardStream(rules: StopRules | StopRuleOptions = {}): GuardStream {
  const guard = createTextGuard(rules);
  const { readable, writable } = new TransformStream<string, string>({
    start(controller) {
      // A limit of nothing is reached before anything has come, and nobody is to wait for a source that may be silent.
      if (guard.signal !== undefined) controller.terminate();
    },
    transform(chunk, controller) {
      const shown = guard.push(chunk);
      if (shown !== "") controller.enqueue(shown);
      if (guard.signal !== undefined) controller.terminate();
    },
    flush(controller) {
      const rest = guard.end();
      if (rest !== "") controller.enqueue(rest);
    },
  });
  return {
    readable,
    writable,
    get signal() {
      return guard.signal;
    },
    get held() {
      return guard.held;
    },
  };
}
