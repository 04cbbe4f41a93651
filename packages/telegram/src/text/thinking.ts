import { endOfHead, startOfTail } from "./cut.ts";
import { formatPlain } from "./format-markdown.ts";
import type { FormattedText } from "./formatted-text.ts";
import { replaceLineEnds } from "./line-ends.ts";

/** Code units of thinking that are shown at most. Three quarters of the first message are left for the answer. */
export const THINKING_LIMIT = 1_000;

const OMISSION = "…";

/**
 * Thinking as a quote that opens when it is touched; nothing if there is none. While it goes on, its end is shown:
 * that is what changes. When it is done, its beginning says what was understood and its end what was decided, and
 * what lies between is left out.
 */
export function formatThinking(thinking: string, state: "running" | "done"): FormattedText | undefined {
  // Closed, the quote shows three lines: none of them should be blank.
  const { text } = formatPlain(replaceLineEnds(thinking, "\n"));
  if (text === "") return undefined;
  const shown = text.length <= THINKING_LIMIT ? text : state === "running" ? showEnd(text) : showBothEnds(text);
  return { text: shown, entities: [{ type: "expandable_blockquote", offset: 0, length: shown.length }] };
}

function showEnd(text: string): string {
  const room = THINKING_LIMIT - OMISSION.length;
  return OMISSION + text.slice(startOfTail(text, text.length - room)).trimStart();
}

function showBothEnds(text: string): string {
  const separator = `\n${OMISSION}\n`;
  const room = Math.floor((THINKING_LIMIT - separator.length) / 2);
  const head = text.slice(0, endOfHead(text, room)).trimEnd();
  const tail = text.slice(startOfTail(text, text.length - room)).trimStart();
  return head + separator + tail;
}
