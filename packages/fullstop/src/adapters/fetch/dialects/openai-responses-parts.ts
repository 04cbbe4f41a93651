import { stringOf } from "../../../wire/json.ts";
import type { JsonRecord } from "../../../wire/json.ts";
import { partIndexOf } from "../../../wire/openai-responses/decode-output.ts";
import type { TextKind } from "./openai-responses-items.ts";

/** An item of the output as far as it has come, with its parts by their place. */
export interface TrackedItem {
  /** Its place in the output, as the events about it tell it; nothing where they tell none. */
  readonly place: { readonly output_index?: number };
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

/** What parts are read as while they come, by their type. Any other is read when its item is there. */
const PART_KINDS: ReadonlyMap<unknown, TextKind> = new Map<unknown, TextKind>([
  ["output_text", "text"],
  ["text", "text"],
  ["refusal", "refusal"],
  ["reasoning_text", "reasoning"],
  ["summary_text", "summary"],
]);

/** What a part is read as while it comes. */
export function kindOf(part: JsonRecord): TextKind | undefined {
  return PART_KINDS.get(part["type"]);
}

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

/** A part with more text. */
export function addTo(part: JsonRecord, piece: string): JsonRecord {
  return { ...part, [fieldOf(part)]: textOf(part) + piece };
}

/** The text of a part. */
export function textOf(part: JsonRecord): string {
  return stringOf(part[fieldOf(part)]);
}

function fieldOf({ type }: JsonRecord): string {
  return type === "refusal" ? "refusal" : "text";
}

/** The most places of an item that may have nothing in them; more is no honest server's. */
const MOST_GAPS = 16;

/** An item with its parts, each in its place: whoever reads the item tells them apart by nothing else. */
function assemble({ item, parts }: TrackedItem): JsonRecord {
  if (parts.size === 0) return item;
  const listed = (list: TrackedPart["list"]): readonly JsonRecord[] => {
    const inOrder = [...parts.values()].filter((part) => part.list === list);
    const placed: JsonRecord[] = [];
    for (const { index, part } of inOrder.sort((one, other) => one.index - other.index)) {
      while (placed.length < Math.min(index, MOST_GAPS)) placed.push(emptyPart(stringOf(part["type"])));
      placed.push(part);
    }
    return placed;
  };
  const content = listed("content");
  const summary = listed("summary");
  return { ...item, ...(content.length > 0 && { content }), ...(summary.length > 0 && { summary }) };
}

/** An item without the texts that would be read only when all of it is there, which it will not be. */
export function assembleRead({ parts, ...tracked }: TrackedItem): JsonRecord {
  const read = [...parts].filter(([, { part }]) => kindOf(part) !== undefined || textOf(part) === "");
  return assemble({ ...tracked, parts: new Map(read) });
}

/** The events that close a part. */
export function closePart({ item, place: itemPlace }: TrackedItem, tracked: TrackedPart): readonly JsonRecord[] {
  const { list, index, part } = tracked;
  const names = DONE_EVENTS.get(part["type"]);
  if (names === undefined) return [];
  const [textDone, partDone] = names;
  const place = { item_id: item["id"], ...itemPlace, [`${list}_index`]: index };
  const text = { [fieldOf(part)]: textOf(part), ...(part["type"] === "output_text" && { logprobs: [] }) };
  return [
    { type: textDone, ...place, ...text },
    { type: partDone, ...place, part },
  ];
}
