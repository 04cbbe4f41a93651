import type { GenerationEvent } from "../events.ts";
import type { Stage } from "../stage.ts";

/** What stands around the end of an answer where its rest is asked for. */
export const QUOTE_TAG = "cut-answer";

const MARKS: readonly string[] = [`<${QUOTE_TAG}>`, `</${QUOTE_TAG}>`];
/** What may come amid a text without ending it. */
const BESIDE_TEXT: ReadonlySet<GenerationEvent["type"]> = new Set(["start", "reasoning", "citation", "usage"]);

/**
 * Takes the marks of the quote out of a continuation: a small model repeats what it was shown, marks and all. An answer
 * that has them itself is about them, and keeps them. Text is held only while it can still become a mark.
 */
export function defineMarkFilter(before: string): Stage<GenerationEvent, GenerationEvent> {
  if (before.includes(QUOTE_TAG)) return (next) => next;
  return (next) => {
    let held = "";
    const release = (): void => {
      if (held !== "") next.push({ type: "text", text: held });
      held = "";
    };
    return {
      push(event) {
        if (event.type !== "text") {
          if (!BESIDE_TEXT.has(event.type)) release();
          next.push(event);
          return;
        }
        const hadNone = held === "";
        const all = MARKS.reduce((text, mark) => text.replaceAll(mark, ""), held + event.text);
        const free = all.length - unfinishedMark(all);
        held = all.slice(free);
        // As it came, token ids and all, unless something was taken from it.
        if (hadNone && free === event.text.length) next.push(event);
        else if (free > 0 || event.tokenIds !== undefined) next.push({ ...event, text: all.slice(0, free) });
      },
      end() {
        release();
        next.end();
      },
    };
  };
}

/** How many characters at the end of a text can be the beginning of a mark. */
function unfinishedMark(text: string): number {
  const place = text.lastIndexOf("<");
  const rest = place < 0 ? "" : text.slice(place);
  return rest !== "" && MARKS.some((mark) => mark.startsWith(rest)) ? rest.length : 0;
}
