import type { GenerationEvent } from "../events.ts";
import type { Sink, Stage } from "../stage.ts";

/**
 * For an answer that comes whole: holds all of it back until it has ended, and then lets its counts go first. All of such
 * an answer is paid for, also what a rule behind this stage cuts off, and what it has cost stands at its end.
 */
export const countsFirst: Stage<GenerationEvent, GenerationEvent> = (next: Sink<GenerationEvent>) => {
  let held: GenerationEvent[] = [];
  const release = (): void => {
    const counts = held.filter(({ type }) => type === "usage");
    for (const event of [...counts, ...held.filter(({ type }) => type !== "usage")]) next.push(event);
    held = [];
  };
  return {
    push(event) {
      if (event.type === "start") next.push(event);
      else held.push(event);
      if (event.type === "finish") release();
    },
    end() {
      release();
      next.end();
    },
  };
};
