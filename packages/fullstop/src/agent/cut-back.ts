import type { TextPart } from "../request.ts";
import { defineStopRules } from "../stop/stop-rules.ts";
import type { StopRuleOptions, StopRules } from "../stop/stop-rules.ts";
import { createTextGuard } from "../stop/text-guard.ts";
import { isHighSurrogate } from "../text/surrogates.ts";
import { textOf } from "./answer.ts";
import type { AnswerPart } from "./answer.ts";
import type { StepSettings } from "./settings.ts";

/** Longer than any word: text without spaces for so long is something else, and is not cut. */
const LONGEST_WORD = 40;

const LAST_WORD = new RegExp(`(?<=\\s)\\S{1,${LONGEST_WORD}}$`, "u");

/**
 * Takes the last word off a text that was cut, because nobody knows whether it is whole. A model that goes on with
 * whole words then writes it again; where the one ends and the other begins is beyond doubt.
 */
export function cutBackToWord(text: string): string {
  return text.replace(LAST_WORD, "");
}

/**
 * Takes off the end of a cut text what may be the beginning of a stop string. Stop strings are looked for in one answer
 * at a time, so one that begins in this answer and ends in the next would not be found; the next has to begin before it.
 */
export function cutBackToStop(text: string, stopRules: StopRuleOptions): string {
  const rules = defineStopRules(stopRules);
  if (rules.stopStrings.size === 0) return text;
  const reach = FOLDED * longestOf(stopRules);
  let end = text.length;
  // What is left may itself end with the beginning of one, and the model may write something else behind it this time.
  for (let held = heldBack(text, rules); held > 0;) {
    end -= held;
    held = heldBack(text.slice(Math.max(0, end - reach), end), rules);
  }
  return text.slice(0, end);
}

/** How many characters a letter can become when its case is ignored. */
const FOLDED = 3;

function longestOf({ stop = [] }: StopRuleOptions): number {
  const lengths = [stop].flat().map((each) => (typeof each === "string" ? each : each.text).length);
  return lengths.reduce((longest, length) => Math.max(longest, length), 0);
}

/** How much of the end of a text may be the beginning of a stop string. */
function heldBack(text: string, rules: StopRules): number {
  const guard = createTextGuard(rules);
  const shown = guard.push(text);
  // One that stands in the text as a whole has not ended it, so it does not hold for this text.
  return guard.signal === undefined ? text.length - shown.length : 0;
}

/** A text without half a character at its end. No model can write the other half, and all of it would stand behind it. */
function withoutHalf(text: string): string {
  return isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text;
}

/** An answer that was cut, as it is to be completed: what stays of it, and what is to be written again behind that. */
export function cutBack(
  parts: readonly AnswerPart[],
  { resumeAt, stopRules = {}, isOnePiece = false }: StepSettings,
): { readonly draft: readonly AnswerPart[]; readonly spare: readonly AnswerPart[] } {
  // Two halves of JSON, each written from the beginning of the same schema, do not make one whole.
  if (isOnePiece) return { draft: [], spare: parts };
  const last = parts.at(-1);
  if (last?.type !== "text") return { draft: parts, spare: [] };
  const { text } = last;
  const whole = withoutHalf(text);
  const kept = cutBackToStop(resumeAt === "word" ? cutBackToWord(whole) : whole, stopRules);
  if (kept === text) return { draft: parts, spare: [] };
  const draft = withLastText(parts, kept);
  if (textOf(draft) === "") return { draft: [], spare: parts };
  return { draft, spare: [{ ...last, text: text.slice(kept.length) }] };
}

/** An answer that ends in another text than it did, or before it if that is none. */
export function withLastText(parts: readonly AnswerPart[], text: string): readonly AnswerPart[] {
  const before = parts.slice(0, -1);
  return text === "" ? before : [...before, { type: "text", text }];
}

/** An answer without its calls. */
export function withoutCalls(content: readonly AnswerPart[]): readonly AnswerPart[] {
  return content.filter((part) => part.type !== "tool-call");
}

/** Text that was continued is one text, unless a provider has something of its own to say about a part of it. */
export function joinTexts(content: readonly AnswerPart[]): readonly AnswerPart[] {
  const joined: AnswerPart[] = [];
  for (const part of content) {
    const last = joined.at(-1);
    if (isPlainText(part) && isPlainText(last)) joined.splice(-1, 1, { type: "text", text: last.text + part.text });
    else joined.push(part);
  }
  return joined;
}

function isPlainText(part: AnswerPart | undefined): part is TextPart {
  return part?.type === "text" && part.native === undefined;
}
