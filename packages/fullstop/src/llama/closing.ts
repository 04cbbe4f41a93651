import type { GenerationEvent, Usage } from "../events.ts";
import type { Stage } from "../stage.ts";

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
    return {
      push(event) {
        if (event.type === "finish") {
          const rest = source.takeRest();
          // What comes after a stop string belongs to nobody.
          const isShown = rest !== "" && event.signal.reason !== "stop_sequence";
          if (isShown) write({ type: source.isThinking ? "reasoning" : "text", text: rest });
          write({ type: "usage", usage: source.usage() });
        }
        write(event);
      },
      end: () => next.end(),
    };
  };
}
