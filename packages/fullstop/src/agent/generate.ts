import type { Clock } from "../clock.ts";
import type { Engine } from "../engine.ts";
import type { GenerationEvent } from "../events.ts";
import type { GenerationRequest } from "../request.ts";
import { runGeneration } from "../seal.ts";
import { compose } from "../stage.ts";
import type { Stage } from "../stage.ts";
import type { CurrentGeneration } from "./current-generation.ts";

/** What an answer is generated under. */
export interface GenerateSettings {
  /** What every event passes through. */
  readonly stage: Stage<GenerationEvent, GenerationEvent>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** How long an engine has, after a stop, to say its last words. */
  readonly graceMilliseconds: number;
  /** Told of the generation for as long as it is read. */
  readonly current: CurrentGeneration;
}

/**
 * Asks an engine and reads its answer. A stop reaches the engine at once, and it ends the answer itself, because it
 * knows what was used; one that does not heed the stop is left after a short grace.
 */
export async function* generate(
  engine: Engine,
  request: GenerationRequest,
  { stage, signal, clock, graceMilliseconds, current }: GenerateSettings,
): AsyncGenerator<GenerationEvent, void, undefined> {
  const leave = new AbortController();
  let cancelGrace: (() => void) | undefined;
  const onStop = (): void => {
    cancelGrace = clock.after(graceMilliseconds, () => leave.abort(signal.reason));
  };
  // Nobody has been asked yet, so there is nobody to wait for.
  if (signal.aborted) leave.abort(signal.reason);
  else signal.addEventListener("abort", onStop, { once: true });
  try {
    const watched = compose(defineEndWatch(current), stage);
    yield* runGeneration(ask(engine, request, signal, current), watched, { signal: leave.signal });
  } finally {
    // Not where the engine is read: one that hangs is left there, and its thinking is nobody's any more.
    current.end();
    cancelGrace?.();
    signal.removeEventListener("abort", onStop);
  }
}

/** Calls the engine inside the iteration, so that one that throws at once fails like one that throws later. */
async function* ask(
  engine: Engine,
  request: GenerationRequest,
  signal: AbortSignal,
  current: CurrentGeneration,
): AsyncGenerator<GenerationEvent, void, undefined> {
  const generation = engine.generate(request, signal);
  current.begin(generation);
  yield* generation;
}

/** Notices the engine's own finish, before any rule that may have ended the answer earlier. */
function defineEndWatch(current: CurrentGeneration): Stage<GenerationEvent, GenerationEvent> {
  return (next) => ({
    push(event) {
      if (event.type === "finish") current.ended();
      next.push(event);
    },
    end: () => next.end(),
  });
}
