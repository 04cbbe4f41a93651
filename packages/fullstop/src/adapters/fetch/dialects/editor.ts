import type { TerminationSignal } from "../../../termination.ts";
import { listOf, recordOf } from "../../../wire/json.ts";
import type { JsonRecord } from "../../../wire/json.ts";

/**
 * How an answer is ended early in its own dialect, losing as little as possible.
 *
 * Whatever comes before the end goes out as the bytes that came, so nothing that a provider adds is lost on the way:
 * translating everything into events and back would lose every field that we do not know. The price is that an event of
 * the provider's is held back as a whole while some of its text is. Only the event in which the end falls is written
 * anew. In that one, fields that repeat the text in other words, such as the probabilities of its tokens, are left out,
 * because what was cut off must not be read there.
 */
export interface AnswerEditor {
  /** Opens an editor for one stream. */
  openStream(): StreamEditor;
  /** Whether an object that stands alone is an event of a stream, which `cutAnswer` finds no answer in. */
  isEvent(body: JsonRecord): boolean;
  /** A whole answer that shows no more than `keep` characters and says how it ended. */
  cutAnswer(body: JsonRecord, keep: number, signal: TerminationSignal): JsonRecord;
}

/** Something that is read only when its end has come. Until then, the events with pieces of it are held back. */
export interface Unread {
  /** How many characters have come when it has been read; infinite while its end has not come. */
  readBy: number;
}

/** How many characters have come. */
export interface ReadCounts {
  /** With all of an event. */
  readonly all: number;
  /** With the first piece of a call that was read in it, if one was. */
  readonly call: number | undefined;
}

/** Follows one stream, so that it can be ended at any point. */
export interface StreamEditor {
  /**
   * Sees an event when it comes, before it may go out. Gives what a piece of it belongs to that is read only when its
   * end comes with a later event, so that no rule has seen it yet; and marks that as read when its end has come.
   */
  follow(payload: JsonRecord, counts: ReadCounts): Unread | undefined;
  /** An event that has gone out as it came. */
  pass(payload: JsonRecord): void;
  /**
   * The event in which the answer ends, as frames: with no more than the first `keep` of the `fresh` characters that are
   * new in it, and without any ending of its own. Also one before it of which something was to be read later, and now is
   * behind the end; then `fresh` is infinite.
   */
  cut(payload: JsonRecord, keep: number, fresh: number): string;
  /** The frames that end the answer. */
  end(signal: TerminationSignal): string;
}

/** How many characters may still be shown. */
export class Allowance {
  #left: number;
  #taken = 0;
  #isCut = false;

  constructor(characters: number) {
    this.#left = Math.max(0, characters);
  }

  /** How many characters are left. */
  get left(): number {
    return this.#left;
  }

  /** How many have been shown. */
  get taken(): number {
    return this.#taken;
  }

  /** Whether some text had to be cut, so that nothing that follows may be shown. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** As much of a text as may be shown. */
  take(text: string): string {
    const shown = text.slice(0, this.#left);
    this.#left -= shown.length;
    this.#taken += shown.length;
    this.#isCut ||= shown.length < text.length;
    return shown;
  }
}

/** An object without some of its fields. */
export function without(value: JsonRecord, ...names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

/** The values up to the one in which the cut falls, each edited; what shows nothing of its text is left out. */
export function editUntilCut(
  values: unknown,
  allowance: Allowance,
  edit: (value: JsonRecord) => JsonRecord | undefined,
): readonly JsonRecord[] {
  const edited: JsonRecord[] = [];
  for (const value of listOf(values)) {
    const { left } = allowance;
    const shown = edit(recordOf(value));
    if (shown === undefined || (allowance.isCut && allowance.left === left)) break;
    edited.push(shown);
  }
  return edited;
}

/** Whether a choice is the one that is read, which its number tells and, without one, its place. */
function isRead({ index }: JsonRecord, position: number): boolean {
  return (index ?? position) === 0;
}

/** The choices of an event that are read. */
export function readChoices(values: unknown): readonly JsonRecord[] {
  return listOf(values).map(recordOf).filter(isRead);
}

/**
 * The choices of an event with those cut that are read, which share what may be shown. No rule has looked at any other,
 * so these stay as they came.
 */
export function cutChoices(
  values: unknown,
  keep: number,
  cut: (value: JsonRecord, allowance: Allowance) => JsonRecord,
): readonly JsonRecord[] {
  const shared = new Allowance(keep);
  return listOf(values)
    .map(recordOf)
    .map((choice, position) => (isRead(choice, position) ? cut(choice, shared) : choice));
}

/**
 * The choices of a whole answer with the one edited that is read. Where none is read the first is edited, so that there
 * is one with an ending.
 */
export function editChoice(values: unknown, edit: (value: JsonRecord) => JsonRecord): readonly JsonRecord[] {
  const choices = listOf(values).map(recordOf);
  if (!choices.some(isRead)) return [edit(choices[0] ?? {}), ...choices.slice(1)];
  return choices.map((choice, position) => (isRead(choice, position) ? edit(choice) : choice));
}

/** How many characters a text has within JSON. */
export function escapedLength(text: string): number {
  return JSON.stringify(text).length - 2;
}

/** As much of a text as has no more than some characters within JSON. */
export function cutEscaped(text: string, length: number): string {
  let left = length;
  let shown = "";
  for (const character of text) {
    left -= escapedLength(character);
    if (left < 0) break;
    shown += character;
  }
  return shown;
}

/** The references of a text that has been cut: those to what is no longer there are left out. */
export function cutAnnotations(annotations: unknown, length: number): readonly unknown[] {
  return listOf(annotations).filter((annotation) => {
    const { end_index: own, url_citation: citation } = recordOf(annotation);
    const end = own ?? recordOf(citation)["end_index"];
    return typeof end !== "number" || end <= length;
  });
}
