import { checkFunction } from "../check.ts";
import type { GenerationEvent } from "../events.ts";
import type { Stage } from "../stage.ts";
import { createOverlapSearch } from "./overlap.ts";
import type { OverlapOptions } from "./overlap.ts";

/** What a trimmer of overlaps works with. */
export interface OverlapTrimmerOptions extends OverlapOptions {
  /** Told of a repetition, once that is known: how many characters (UTF-16 code units) it has. */
  readonly onOverlap?: ((length: number) => void) | undefined;
}

/**
 * Drops from a continuation what repeats the end of `before`, however its text is cut into events. Text is held only
 * while it can still turn out to be a repetition, and the rest goes on at once. Whatever ends the text (a call of a tool
 * or of the provider's own, the finish, the end of the stream) ends the search, and what is then held leaves first.
 * Thinking does not end it: before the first text it passes, and amid held text it waits so that the order stays. Tokens
 * go with their text, and citations count from the beginning of `before`.
 */
export function defineOverlapTrimmer(
  before: string,
  { onOverlap, ...options }: OverlapTrimmerOptions = {},
): Stage<GenerationEvent, GenerationEvent> {
  // Wrong options are refused here and not in the middle of a generation.
  checkFunction("onOverlap", onOverlap);
  createOverlapSearch(before, options);
  return (next) => {
    const search = createOverlapSearch(before, options);
    let held: GenerationEvent[] | undefined = [];
    /** How far the text of the continuation is behind the beginning of the whole. */
    let shift = before.length;

    function pass(event: GenerationEvent): void {
      const isPlaced = event.type === "citation" && event.start !== undefined && event.end !== undefined;
      next.push(isPlaced ? { ...event, start: event.start + shift, end: event.end + shift } : event);
    }

    /** Ends the search: lets go what is held but for the overlap. */
    function settle(overlap: number): void {
      const events = held ?? [];
      held = undefined;
      if (overlap > 0) onOverlap?.(overlap);
      shift = before.length - overlap;
      let rest = overlap;
      for (const event of events) {
        const dropped = event.type === "text" ? Math.min(rest, event.text.length) : 0;
        rest -= dropped;
        if (dropped === 0 || event.type !== "text") pass(event);
        else if (dropped < event.text.length) next.push({ ...event, text: event.text.slice(dropped) });
      }
    }

    return {
      push(event) {
        if (held === undefined) {
          pass(event);
          return;
        }
        switch (event.type) {
          case "text": {
            // A token without text may be the model's end token; with nothing held there is nothing to wait for.
            if (event.text === "" && held.length === 0) {
              next.push(event);
              break;
            }
            held.push(event);
            const overlap = search.feed(event.text);
            if (overlap !== undefined) settle(overlap);
            break;
          }
          case "reasoning":
          case "citation":
            if (held.length > 0) held.push(event);
            else pass(event);
            break;
          case "start":
          case "usage":
            next.push(event);
            break;
          case "tool-call-start":
          case "tool-call-delta":
          case "tool-call-end":
          case "opaque":
          case "finish":
            settle(search.close());
            next.push(event);
            break;
        }
      },
      end() {
        if (held !== undefined) settle(search.close());
        next.end();
      },
    };
  };
}
