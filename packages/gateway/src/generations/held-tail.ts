import type { Channel, GenerationEvent, StopRule } from "fullstop";

/**
 * What the stop rules of one generation hold back at present: the beginning of a stop string, perhaps. It is what has
 * gone in and not come out.
 */
export interface HeldTail {
  /** Sees what goes in. It never ends anything. */
  readonly rule: StopRule;
  /** Sees what comes out. */
  shown(event: GenerationEvent): void;
  /** What is held back of the visible text; empty most of the time. */
  readonly text: string;
}

/** Follows what is held back of one generation. */
export function createHeldTail(): HeldTail {
  let channel: Channel = "text";
  let text = "";
  return {
    rule: {
      name: "held_tail",
      start() {
        text = "";
        return (step) => {
          // Whatever was held in another channel leaves when that is left.
          if (step.channel !== channel) text = "";
          channel = step.channel;
          if (channel === "text") text += step.text;
          return undefined;
        };
      },
    },
    shown(event) {
      // It leaves in the order in which it came.
      if (event.type === "text") text = text.slice(event.text.length);
    },
    get text() {
      return text;
    },
  };
}
