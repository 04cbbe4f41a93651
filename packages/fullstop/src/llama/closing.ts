import type { GenerationEvent, Usage } from "../events.ts";
import type { Stage } from "../stage.ts";
import type { TerminationSignal } from "../termination.ts";

/** What the end of a generation has to be told about. */
export interface ClosingSource {
  /** The counts so far. */
  usage(): Usage;
  /** What is left of a character whose bytes are not all there. */
  takeRest(): string;
  readonly isThinking: boolean;
}

/**
 * The last stage of a local generation: puts what is left over and the token counts before the finish, whichever
 * stage or abort it came from. Counts that came after the finish would reach nobody.
 */
export function defineClosing(source: ClosingSource, showThinking: boolean): Stage<GenerationEvent, GenerationEvent> {
  return (next) => {
    const write = (event: GenerationEvent): void => {
      if (showThinking || event.type !== "reasoning") next.push(event);
    };
    let openCalls = 0;
    return {
      push(event) {
        if (event.type === "tool-call-start") openCalls += 1;
        else if (event.type === "tool-call-end") openCalls -= 1;
        if (event.type === "finish") {
          const rest = source.takeRest();
          const isShown = rest !== "" && openCalls === 0 && !isCutInText(event.signal);
          if (isShown) write({ type: source.isThinking ? "reasoning" : "text", text: rest });
          write({ type: "usage", usage: source.usage() });
        }
        write(event);
      },
      end: () => next.end(),
    };
  };
}

/** Whether the text ends at a certain character, so that what was generated after it belongs to nobody. */
function isCutInText({ reason, stopSequence, detail }: TerminationSignal): boolean {
  return stopSequence !== undefined || detail === "characters" || reason === "repetition_detected";
}
