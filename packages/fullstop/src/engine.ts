import type { GenerationEvent } from "./events.ts";
import type { GenerationRequest } from "./request.ts";
import type { Stage } from "./stage.ts";
import type { TerminationSignal } from "./termination.ts";

/** Something in a request that whoever answers it cannot be told, and that was therefore left out or changed. */
export interface RequestWarning {
  /** Where it stood, such as `sampling.topK` or `messages[2].content[0]`. */
  readonly field: string;
  /** What was done about it, in one sentence. */
  readonly message: string;
}

/**
 * Takes values in the run in which they come. What it returns, if anything, is waited for before there are more, unless
 * it is the end that comes. It must neither throw nor reject.
 */
export type Take<Value> = (value: Value) => Promise<void> | undefined;

/** One answer as it is generated. It is read once. */
export interface Generation extends AsyncIterable<GenerationEvent> {
  /**
   * Asks the model to leave its thinking and answer now, within the same generation. Returns whether that will
   * happen: not when the thinking is over. Absent where the source of the answer cannot do it.
   */
  skipThinking?(): boolean;
  /**
   * Reads the answer through a stage, in place of iterating over it: what has come at once goes through the stage and
   * to whoever takes it in one synchronous run, in one list that is never empty. What is taken is sealed, as the result
   * of `runGeneration` is. Fulfilled when the finish was taken; only the signal ends it before. Absent where the source
   * has no faster way than one event after the other.
   */
  deliver?(stage: Stage<GenerationEvent, GenerationEvent>, take: Take<readonly GenerationEvent[]>): Promise<void>;
  /** What of the request could not be passed on, complete once an event has come. Absent where that cannot happen. */
  readonly warnings?: readonly RequestWarning[] | undefined;
}

/** How many tokens the prompt of a request has, or why nobody can say. */
export type TokenCount = { readonly inputTokens: number } | { readonly failure: TerminationSignal };

/**
 * Anything that generates: a hosted provider, a model on this machine, a script in a test.
 *
 * An engine holds no conversation and no state between calls, so one engine serves any number of generations, also at
 * the same time.
 */
export interface Engine {
  /**
   * Generates an answer. The iteration never throws: whatever goes wrong arrives as the last event, which is always
   * a finish and the only one.
   *
   * Aborting `signal` ends it with `cancelled`, also in the middle of a silence, and lets go of whatever generates: a
   * connection is closed, a model is free. Leaving the loop early does the same without a finish. An engine may start
   * with the first read rather than with the call.
   *
   * The request's stop strings are for the engine to heed, in the answer's text: none of them is shown, and the finish
   * says which one it was as far as anybody knows.
   */
  generate(request: GenerationRequest, signal: AbortSignal): Generation;
  /**
   * Counts the tokens of a request's prompt as `usage` would, without generating. It does not throw: a failure is the
   * result. Absent where the source of the answers cannot count.
   */
  countTokens?(request: GenerationRequest, signal: AbortSignal): Promise<TokenCount>;
}
