import { runGeneration } from "fullstop";
import type { Engine, GenerationEvent, GenerationRequest } from "fullstop";
import { finish, start, text } from "fullstop/testing";

/** One answer of a fed engine: it says what it is given, when it is given. */
export interface Feed {
  readonly request: GenerationRequest;
  /** Raised when nobody wants the answer any more. */
  readonly signal: AbortSignal;
  /** Fulfilled when it is. */
  readonly stopped: Promise<void>;
  readonly say: (words: string) => void;
  readonly push: (...events: readonly GenerationEvent[]) => void;
  /** Ends the answer well. */
  readonly end: () => void;
}

/** An engine whose answers are given piece by piece by the test. */
export interface FedEngine extends Engine {
  /** The answers in the order in which they were asked for. */
  readonly feeds: readonly Feed[];
  /** Waits until there is an answer with this number, counted from 0. */
  readonly feed: (number: number) => Promise<Feed>;
}

/** Creates an engine that says nothing by itself. */
export function createFedEngine(): FedEngine {
  const feeds: Feed[] = [];
  const waiting = new Set<() => void>();
  return {
    feeds,
    async feed(number) {
      while (feeds[number] === undefined) await new Promise<void>((resolve) => waiting.add(resolve));
      return feeds[number];
    },
    generate(request, signal) {
      const queue: GenerationEvent[] = [start()];
      let wake: (() => void) | undefined;
      const push = (...events: readonly GenerationEvent[]): void => {
        queue.push(...events);
        wake?.();
      };
      async function* play(): AsyncGenerator<GenerationEvent, void, undefined> {
        for (;;) {
          for (let event = queue.shift(); event !== undefined; event = queue.shift()) {
            yield event;
            if (event.type === "finish") return;
          }
          await new Promise<void>((resolve) => (wake = resolve));
        }
      }
      const stopped = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      feeds.push({ request, signal, stopped, push, say: (words) => push(text(words)), end: () => push(finish()) });
      for (const resolve of waiting) resolve();
      waiting.clear();
      return runGeneration(play(), (next) => next, { signal });
    },
  };
}
