import type { GenerationEvent } from "../events.ts";
import type { Stage } from "../stage.ts";
import { createTerminationSignal } from "../termination.ts";
import { JsonScanner } from "./json-scanner.ts";

/** Deeper than any grammar goes: whatever is nested, the answer is passed on. */
const DEEPEST = Number.POSITIVE_INFINITY;

/**
 * Ends an answer that has to be JSON where its value is complete. A grammar lets blank space follow a value, and a
 * model that may write nothing else goes on with it for ever.
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

const COMPLETE = createTerminationSignal({
  reason: "natural_completion",
  originalField: "output",
  originalValue: "complete",
  message: "The JSON value is complete",
});
