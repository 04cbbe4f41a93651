import { callsOf, textOf } from "../provider/frames.ts";
import type { Piece } from "../plan/content.ts";
import type { PlannedStop, Rules, Scope } from "../plan/rules.ts";

/** A call as far as it was let through. */
export interface ShownCall {
  readonly name: string;
  readonly json: string;
  readonly isWhole: boolean;
}

/** What has to come of some pieces under some rules. */
export interface Outcome {
  readonly reasoning: string;
  readonly text: string;
  readonly calls: readonly ShownCall[];
  /** The rule that ended it; undefined where none did. */
  readonly rule: "stop_sequence" | "characters" | undefined;
  readonly stopSequence: string | undefined;
  /** Where in its channel the rule took hold. */
  readonly at: number;
  /** The most that may be seen of each channel where something else ends the answer before its time. */
  readonly most: { readonly reasoning: string; readonly text: string; readonly calls: readonly ShownCall[] };
}

interface Match {
  readonly stop: PlannedStop;
  readonly start: number;
  readonly end: number;
}

/**
 * What rules make of an answer, worked out in the most obvious way on all of it at once. The answer is thinking, then
 * text, then calls.
 */
export function outcomeOf(pieces: readonly Piece[], rules: Rules): Outcome {
  const thought = textOf(pieces, "reasoning");
  const said = textOf(pieces, "text");
  const called = callsOf(pieces).map(({ name, json }, index) => {
    const isWhole = pieces.some((piece) => piece.channel === "call" && piece.index === index && piece.isLast);
    return { name, json, isWhole };
  });
  const none = { reasoning: "", text: "", calls: [], rule: undefined, stopSequence: undefined, at: 0 };

  const inThought = firstMatch(thought, rules, "reasoning");
  if (inThought !== undefined) {
    const most = { reasoning: thought.slice(0, inThought.end - 1), text: "", calls: [] };
    return { ...none, ...matched(inThought), reasoning: shown(thought, inThought), most };
  }
  const inText = firstMatch(said, rules, "text");
  const limit = limitOf(said, rules.maxCharacters);
  if (limit !== undefined && (inText === undefined || limit < inText.end)) {
    const text = said.slice(0, limit);
    return {
      ...none,
      reasoning: thought,
      text,
      rule: "characters",
      at: limit,
      most: { reasoning: thought, text, calls: [] },
    };
  }
  if (inText !== undefined) {
    const most = { reasoning: thought, text: said.slice(0, inText.end - 1), calls: [] };
    return { ...none, ...matched(inText), reasoning: thought, text: shown(said, inText), most };
  }
  for (const [index, { name, json }] of called.entries()) {
    const inCall = firstMatch(json, rules, "tool-arguments");
    if (inCall === undefined) continue;
    const before = called.slice(0, index);
    const calls = [...before, { name, json: shown(json, inCall), isWhole: false }];
    const most = [...before, { name, json: json.slice(0, inCall.end - 1), isWhole: false }];
    const rest = { reasoning: thought, text: said };
    return { ...none, ...matched(inCall), ...rest, calls, most: { ...rest, calls: most } };
  }
  const all = { reasoning: thought, text: said, calls: called };
  return { ...none, ...all, most: all };
}

/** The match that is complete first; of those that are at the same character, the longest. */
function firstMatch(text: string, { stops, ignoresCase }: Rules, scope: Scope): Match | undefined {
  const fold = (each: string): string => (ignoresCase ? each.toLowerCase() : each);
  const folded = fold(text);
  const matches = stops
    .filter((stop) => stop.scope === scope || stop.scope === "all")
    .map((stop) => ({ stop, start: folded.indexOf(fold(stop.text)) }))
    .filter(({ start }) => start >= 0)
    .map(({ stop, start }) => ({ stop, start, end: start + stop.text.length }));
  return matches.toSorted((one, two) => one.end - two.end || one.start - two.start)[0];
}

function matched({ stop, end }: Match): Pick<Outcome, "rule" | "stopSequence" | "at"> {
  return { rule: "stop_sequence", stopSequence: stop.text, at: end };
}

function shown(text: string, { stop, start, end }: Match): string {
  return text.slice(0, stop.include ? end : start);
}

/** Where a text has as many characters as it may have; undefined if it has fewer. */
function limitOf(text: string, most: number | undefined): number | undefined {
  if (most === undefined || text.length < most) return undefined;
  const isHalf = /[\uD800-\uDBFF]/u.test(text.charAt(most - 1)) && most < text.length;
  return isHalf ? most - 1 : most;
}

/** What rules hold back at the end of a text: its longest end with which a stop string begins. */
export function heldOf(text: string, rules: Rules, scope: Scope): string {
  const fold = (each: string): string => (rules.ignoresCase ? each.toLowerCase() : each);
  const folded = fold(text);
  const ends = rules.stops
    .filter((stop) => stop.scope === scope || stop.scope === "all")
    .map((stop) => {
      for (let size = Math.min(stop.text.length - 1, text.length); size > 0; size -= 1) {
        if (folded.endsWith(fold(stop.text).slice(0, size))) return size;
      }
      return 0;
    });
  return text.slice(text.length - Math.max(0, ...ends));
}
