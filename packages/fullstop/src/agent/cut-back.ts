import { createTextGuard } from "../stop/text-guard.ts";
import type { AnswerPart } from "./answer.ts";

/** Longer than any word: text without spaces for so long is something else, and is not cut. */
const LONGEST_WORD = 40;

const LAST_WORD = new RegExp(`(?<=\\s)\\S{1,${LONGEST_WORD}}$`, "u");

/**
 * Takes the last word off an answer that was cut, because nobody knows whether it is whole. A model that goes on with
 * whole words then writes it again; where the one ends and the other begins is beyond doubt.
 */
export function cutBackToWord(parts: readonly AnswerPart[]): readonly AnswerPart[] {
  const last = parts.at(-1);
  if (last?.type !== "text") return parts;
  return [...parts.slice(0, -1), { ...last, text: last.text.replace(LAST_WORD, "") }];
}

/**
 * Takes the beginning of a stop string off an answer that was cut in the middle of one, perhaps. Whoever looks for stop
 * strings sees one answer at a time: only if the rest begins before it, it is found in there.
 */
export function cutBackToStop(parts: readonly AnswerPart[], stop: readonly string[]): readonly AnswerPart[] {
  const last = parts.at(-1);
  if (last?.type !== "text" || stop.length === 0) return parts;
  const guard = createTextGuard({ stop });
  guard.push(last.text);
  const text = last.text.slice(0, last.text.length - guard.held.length);
  // An answer that is nothing else has nothing to go on from.
  return text === "" || text === last.text ? parts : [...parts.slice(0, -1), { ...last, text }];
}
