import type { GenerationEvent } from "../events.ts";
import type { Stage } from "../stage.ts";
import { createTerminationSignal } from "../termination.ts";
import { JsonScanner } from "./json-scanner.ts";
import { preferOwnEnd } from "./own-end.ts";

/** Deeper than any grammar goes: whatever is nested, the answer is passed on. */
const DEEPEST = Number.POSITIVE_INFINITY;

/**
 * Goes before the guard. Ends an answer that has to be JSON where its value is complete. A grammar lets blank space
 * follow a value, and a model that may write nothing else goes on with it for ever.
 */
export const wholeJson: Stage<GenerationEvent, GenerationEvent> = (next) => {
  const scanner = new JsonScanner(DEEPEST);
  return {
    push(event) {
      const end = event.type === "text" ? scanner.read(event.text, 0) : 0;
      if (event.type !== "text" || scanner.state !== "complete") {
        next.push(event);
        return;
      }
      next.push({ ...event, text: event.text.slice(0, end) });
      next.push({ type: "finish", signal: COMPLETE });
    },
    end: () => next.end(),
  };
};

/** Goes after the guard. An answer whose value is complete, as it is shown, has ended by itself. */
export const jsonVerdict: Stage<GenerationEvent, GenerationEvent> = (next) => {
  const scanner = new JsonScanner(DEEPEST);
  return {
    push(event) {
      if (event.type === "text") scanner.read(event.text, 0);
      const isComplete = event.type === "finish" && scanner.state === "complete";
      next.push(isComplete ? preferOwnEnd(event, COMPLETE) : event);
    },
    end: () => next.end(),
  };
};

const COMPLETE = createTerminationSignal({
  reason: "natural_completion",
  originalField: "output",
  originalValue: "complete",
  message: "The JSON value is complete",
});
