import type { FinishEvent, GenerationEvent } from "./events.ts";
import { run } from "./stage.ts";
import type { Sink, Source, Stage } from "./stage.ts";
import { cancelledSignal, failedSignal, isTerminationSignal, truncatedSignal } from "./termination.ts";
import type { TerminationSignal } from "./termination.ts";

const NO_SIGNAL = new TypeError("The finish carries no signal");

/**
 * Makes sure that a stream of events has exactly one finish and that it comes last. The first finish counts and
 * everything after it is dropped (a decoder whose provider repeats its finish value sends the event when it knows
 * that nothing follows); a source that ends without one gets `error_termination` with detail
 * `truncated`, never success. A natural end after complete tool calls becomes `tool_calls`, which is what the
 * caller has to act on; a limit, a filter or an error stays what it is.
 */
export const seal: Stage<GenerationEvent, GenerationEvent> = (next) => {
  let isFinished = false;
  const openCalls = new Set<string>();
  let completeCalls = 0;

  const finish = (signal: TerminationSignal): void => {
    isFinished = true;
    const callsWait = completeCalls > 0 && openCalls.size === 0 && signal.reason === "natural_completion";
    next.push(finishEvent(callsWait ? { ...signal, reason: "tool_calls" } : signal));
    next.end();
  };

  const sink: Sink<GenerationEvent> = {
    push(event) {
      if (isFinished) return;
      if (event.type === "finish") {
        finish(isTerminationSignal(event.signal) ? event.signal : failedSignal(NO_SIGNAL, "invalid_finish"));
        return;
      }
      if (event.type === "tool-call-start") openCalls.add(event.callId);
      else if (event.type === "tool-call-end" && openCalls.delete(event.callId)) completeCalls += 1;
      next.push(event);
    },
    end() {
      if (!isFinished) finish(truncatedSignal());
    },
  };
  return sink;
};

/** Options of {@link runGeneration}. */
export interface RunGenerationOptions {
  /**
   * Stops the generation: text held back leaves, then the finish says `cancelled`. An abort reason that is a string
   * becomes the signal's detail; a timeout becomes `deadline`; an abort without a reason counts as the user's.
   */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a source of events through a stage and seals the result: the iteration never throws because of the source or
 * the stage, ends with exactly one finish whatever they do, and closes the source as soon as that finish is out.
 */
export function runGeneration(
  source: Source<GenerationEvent>,
  stage: Stage<GenerationEvent, GenerationEvent>,
  options: RunGenerationOptions = {},
): AsyncGenerator<GenerationEvent, void, undefined> {
  return run<GenerationEvent, GenerationEvent>(source, (next) => stage(seal(next)), {
    signal: options.signal,
    onAbort: (reason) => finishEvent(cancelledSignal(toDetail(reason))),
    onError: failedEvent,
    onBroken: failedEvent,
    isLast: (event) => event.type === "finish",
  });
}

/** Who or what stopped the generation, as far as the reason of an abort tells. */
export function toDetail(reason: unknown): string | undefined {
  if (typeof reason === "string") return reason;
  if (!(reason instanceof Error) || reason.name === "AbortError") return undefined;
  return reason.name === "TimeoutError" ? "deadline" : reason.name;
}

function finishEvent(signal: TerminationSignal): FinishEvent {
  return { type: "finish", signal };
}

function failedEvent(error: unknown): FinishEvent {
  return finishEvent(failedSignal(error));
}
