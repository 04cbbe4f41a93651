import type { GenerationEvent } from "../events.ts";
import type { Stage } from "../stage.ts";
import { REASONING_MARKERS } from "./markers.ts";
import type { ReasoningMarkers } from "./markers.ts";

/**
 * The opposite of a splitter: writes reasoning into the text again, between literal markers, for clients that know
 * only text. An open block is closed before anything else follows, the finish included.
 */
export function defineReasoningInliner(
  { open, close }: ReasoningMarkers = REASONING_MARKERS[0]!,
): Stage<GenerationEvent, GenerationEvent> {
  return (next) => {
    let side: "text" | "reasoning" = "text";
    const goTo = (other: "text" | "reasoning"): void => {
      if (side === other) return;
      side = other;
      next.push({ type: "text", text: other === "reasoning" ? open : close });
    };
    return {
      push(event) {
        if (event.type === "reasoning") {
          if (event.text !== "") goTo("reasoning");
          next.push({ ...event, type: "text" });
          return;
        }
        if (event.type !== "usage" && event.type !== "start") goTo("text");
        next.push(event);
      },
      end() {
        goTo("text");
        next.end();
      },
    };
  };
}
