import type { Sink, Stage } from "../stage.ts";

/** A stage that is decided on only after it was put in its place. */
export interface LateStage<T> {
  readonly stage: Stage<T, T>;
  /** Puts the real stage in. What came before has passed as it was. */
  use(stage: Stage<T, T>): void;
}

/**
 * Which rules a local generation is under depends on its model, and that may have to be loaded first; a stop in the
 * meantime has to get through. So the place of the stage is there from the start and the stage comes later.
 */
export function createLateStage<T>(): LateStage<T> {
  let target: Sink<T> | undefined;
  return {
    stage: (next) => {
      target = next;
      return { push: (value) => target?.push(value), end: () => target?.end() };
    },
    use(stage) {
      if (target !== undefined) target = stage(target);
    },
  };
}
