import { listOf, recordOf, stringOf } from "../../../wire/json.ts";
import type { JsonRecord } from "../../../wire/json.ts";
import { hasTexts } from "../../../wire/openai-responses/decode-item.ts";
import { partIndexOf } from "../../../wire/openai-responses/decode-output.ts";
import type { TextKind, ToldText } from "../../../wire/openai-responses/told-texts.ts";
import { kindOf } from "./openai-responses-items.ts";

/** An item of the output as far as it has come, with what is known of its parts beside their texts, by their place. */
export interface TrackedItem {
  /** What the events about it tell it apart by: its place in the output, or its id where they tell no place. */
  readonly place: { readonly output_index: number } | { readonly item_id: string };
  item: JsonRecord;
  readonly parts: Map<string, TrackedPart>;
  isDone: boolean;
}

/** A part of an item: of its `content`, or of its `summary`. */
export interface TrackedPart {
  readonly list: "content" | "summary";
  readonly index: number;
  part: JsonRecord;
  isDone: boolean;
}

/** The names of the events about a part, by its type: text that ends, and the part that ends after it. */
const DONE_EVENTS: ReadonlyMap<unknown, readonly [text: string, part: string]> = new Map([
  ["output_text", ["response.output_text.done", "response.content_part.done"]],
  ["refusal", ["response.refusal.done", "response.content_part.done"]],
  ["summary_text", ["response.reasoning_summary_text.done", "response.reasoning_summary_part.done"]],
  ["reasoning_text", ["response.reasoning_text.done", "response.content_part.done"]],
]);

/** The type that a part of a kind has where nothing else is known of it. */
const PART_TYPES: Readonly<Record<TextKind, string>> = {
  text: "output_text",
  refusal: "refusal",
  reasoning: "reasoning_text",
  summary: "summary_text",
};

/** Where a part of a type stands in its item. */
export function placeOf(event: JsonRecord, type: string): Pick<TrackedPart, "list" | "index"> {
  const list = type === "summary_text" ? "summary" : "content";
  return { list, index: partIndexOf(event[`${list}_index`]) };
}

/** A part of a type with nothing in it. */
export function emptyPart(type: string): JsonRecord {
  if (type === "refusal") return { type, refusal: "" };
  return type === "output_text" ? { type, text: "", annotations: [], logprobs: [] } : { type, text: "" };
}

function fieldOf({ type }: JsonRecord): string {
  return type === "refusal" ? "refusal" : "text";
}

function withText(part: JsonRecord, text: string): JsonRecord {
  return part[fieldOf(part)] === text ? part : { ...part, [fieldOf(part)]: text };
}

/** The most places of an item that may have nothing in them; more is no honest server's. */
const MOST_GAPS = 16;

/**
 * An item with the texts that have been told of it, each in its place: whoever reads the item tells them apart by nothing
 * else. What would be read as something else than it was told as is left out, and so is what was never told.
 */
export function assemble(tracked: TrackedItem, told: readonly ToldText[]): JsonRecord {
  const { item } = tracked;
  if (!hasTexts(item)) return item;
  const summary = assembleParts(tracked, "summary", told);
  const content = assembleParts(tracked, "content", told);
  return {
    ...item,
    ...((summary.length > 0 || Array.isArray(item["summary"])) && { summary }),
    ...((content.length > 0 || Array.isArray(item["content"])) && { content }),
  };
}

function assembleParts(
  { item, parts }: TrackedItem,
  list: TrackedPart["list"],
  told: readonly ToldText[],
): readonly JsonRecord[] {
  const forms = new Map(listOf(item[list]).map(recordOf).entries());
  for (const part of parts.values()) if (part.list === list) forms.set(part.index, part.part);
  const texts = told.filter(({ kind }) => (kind === "summary") === (list === "summary"));
  const filled = texts.flatMap(({ kind, index, text }) => {
    const form = forms.get(index);
    const part = form !== undefined && kindOf(item, list, form) === kind ? form : emptyPart(PART_TYPES[kind]);
    return kindOf(item, list, part) === kind ? [{ index, part: withText(part, text) }] : [];
  });
  const places = new Set(filled.map(({ index }) => index));
  const empty = [...forms]
    .filter(([index, part]) => !places.has(index) && stringOf(part[fieldOf(part)]) === "")
    .map(([index, part]) => ({ index, part }));
  const placed: JsonRecord[] = [];
  for (const { index, part } of [...filled, ...empty].sort((one, other) => one.index - other.index)) {
    while (placed.length < Math.min(index, MOST_GAPS)) placed.push(emptyPart(stringOf(part["type"])));
    placed.push(part);
  }
  return placed;
}

/** The events that close a part whose text is known. */
export function closePart(
  { item, place: itemPlace }: TrackedItem,
  { list, index, part }: TrackedPart,
  text: string,
): readonly JsonRecord[] {
  const names = DONE_EVENTS.get(part["type"]);
  if (names === undefined) return [];
  const [textDone, partDone] = names;
  const place = { item_id: item["id"], ...itemPlace, [`${list}_index`]: index };
  return [
    { type: textDone, ...place, [fieldOf(part)]: text, ...(part["type"] === "output_text" && { logprobs: [] }) },
    { type: partDone, ...place, part: withText(part, text) },
  ];
}
