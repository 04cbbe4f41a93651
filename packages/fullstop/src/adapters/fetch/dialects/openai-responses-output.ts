import { listOf, recordOf, stringOf } from "../../../wire/json.ts";
import type { JsonRecord } from "../../../wire/json.ts";
import { ItemKeys } from "../../../wire/openai-responses/item-keys.ts";
import type { ItemKey } from "../../../wire/openai-responses/item-keys.ts";

/** An item of the output as far as it has come, with its parts by their place. */
interface TrackedItem {
  /** Its place in the output, as the events about it tell it; nothing where they tell none. */
  readonly place: { readonly output_index?: number };
  item: JsonRecord;
  readonly parts: Map<string, TrackedPart>;
  isDone: boolean;
}

/** A part of an item: of its `content`, or of its `summary`. */
interface TrackedPart {
  readonly list: "content" | "summary";
  readonly index: number;
  part: JsonRecord;
  isDone: boolean;
}

/** The field that holds the text of a part, by its type. */
const TEXT_FIELDS: Readonly<Record<string, string>> = { refusal: "refusal" };

/** The names of the events about a part, by its type: text that ends, and the part that ends after it. */
const DONE_EVENTS: Readonly<Record<string, readonly [text: string, part: string]>> = {
  output_text: ["response.output_text.done", "response.content_part.done"],
  refusal: ["response.refusal.done", "response.content_part.done"],
  summary_text: ["response.reasoning_summary_text.done", "response.reasoning_summary_part.done"],
  reasoning_text: ["response.reasoning_text.done", "response.content_part.done"],
};

/** The type of a part that nobody has announced, by the event that adds to it. */
const DELTA_PARTS: Readonly<Record<string, string>> = {
  "response.output_text.delta": "output_text",
  "response.refusal.delta": "refusal",
  "response.reasoning_summary_text.delta": "summary_text",
  "response.reasoning_text.delta": "reasoning_text",
  "response.reasoning.delta": "reasoning_text",
};

/** Puts the output items of a stream together as they come, so that they can be closed at any point. */
export class OutputTracker {
  readonly #keys = new ItemKeys();
  readonly #items = new Map<ItemKey, TrackedItem>();

  get isEmpty(): boolean {
    return this.#items.size === 0;
  }

  /** The items as they stand. */
  get items(): readonly JsonRecord[] {
    const placed = [...this.#items.values()].map((tracked, turn) => {
      return { tracked, index: tracked.place.output_index ?? turn };
    });
    return placed.sort((one, other) => one.index - other.index).map(({ tracked }) => assemble(tracked));
  }

  /** Takes items that came all at once. */
  fill(items: readonly JsonRecord[]): void {
    for (const [index, item] of items.entries())
      this.#items.set(index, { place: { output_index: index }, item, parts: new Map(), isDone: true });
  }

  read(payload: JsonRecord): void {
    const type = stringOf(payload["type"]);
    const { item, part, delta } = payload;
    switch (type) {
      case "response.output_item.added":
      case "response.output_item.done": {
        const tracked = this.#itemOf(payload);
        tracked.item = recordOf(item);
        tracked.isDone = type.endsWith("done");
        if (!tracked.isDone) break;
        tracked.parts.clear();
        this.#keys.lastKeyOf(payload);
        break;
      }
      case "response.content_part.added":
      case "response.content_part.done":
      case "response.reasoning_summary_part.added":
      case "response.reasoning_summary_part.done": {
        const tracked = this.#partOf(payload, stringOf(recordOf(part)["type"]));
        tracked.part = recordOf(part);
        tracked.isDone = type.endsWith("done");
        break;
      }
      case "response.output_text.annotation.added": {
        const tracked = this.#partOf(payload, "output_text");
        const annotations = [...listOf(tracked.part["annotations"]), payload["annotation"]];
        tracked.part = { ...tracked.part, annotations };
        break;
      }
      case "response.function_call_arguments.delta":
        this.#addTo(payload, "arguments", stringOf(delta));
        break;
      case "response.custom_tool_call_input.delta":
        this.#addTo(payload, "input", stringOf(delta));
        break;
      default: {
        const kind = DELTA_PARTS[type];
        if (kind === undefined) break;
        const tracked = this.#partOf(payload, kind);
        tracked.part = { ...tracked.part, [fieldOf(tracked.part)]: textOf(tracked.part) + stringOf(delta) };
        break;
      }
    }
  }

  /** Closes what is open. Gives the events that say so. */
  close(isComplete: boolean): readonly JsonRecord[] {
    const events: JsonRecord[] = [];
    for (const tracked of this.#items.values()) {
      if (tracked.isDone) continue;
      for (const part of tracked.parts.values()) if (!part.isDone) events.push(...closePart(tracked, part));
      const isMessage = tracked.item["type"] === "message";
      tracked.item = { ...tracked.item, status: isComplete && isMessage ? "completed" : "incomplete" };
      // Clients take a call that is done for one that can be run, whatever its status says.
      if (tracked.item["type"] === "function_call") continue;
      events.push({ type: "response.output_item.done", ...tracked.place, item: assemble(tracked) });
    }
    return events;
  }

  #itemOf(payload: JsonRecord): TrackedItem {
    const key = this.#keys.keyOf(payload);
    const known = this.#items.get(key);
    if (known !== undefined) return known;
    const item = { id: stringOf(payload["item_id"]), type: "message", role: "assistant", content: [] };
    // Events that name a place where the others named none would be taken for those of another item.
    const place = typeof key === "number" ? { output_index: key } : {};
    const tracked: TrackedItem = { place, item, parts: new Map(), isDone: false };
    this.#items.set(key, tracked);
    return tracked;
  }

  #partOf(payload: JsonRecord, type: string): TrackedPart {
    const { parts } = this.#itemOf(payload);
    const list = "summary_index" in payload ? "summary" : "content";
    const index = numberOf(payload["summary_index"] ?? payload["content_index"]);
    const known = parts.get(`${list} ${index}`);
    if (known !== undefined) return known;
    const empty = type === "refusal" ? { type, refusal: "" } : { type, text: "" };
    const part = type === "output_text" ? { ...empty, annotations: [], logprobs: [] } : empty;
    const tracked: TrackedPart = { list, index, part, isDone: false };
    parts.set(`${list} ${index}`, tracked);
    return tracked;
  }

  #addTo(payload: JsonRecord, field: string, piece: string): void {
    const tracked = this.#itemOf(payload);
    tracked.item = { ...tracked.item, [field]: stringOf(tracked.item[field]) + piece };
  }
}

function assemble({ item, parts }: TrackedItem): JsonRecord {
  if (parts.size === 0) return item;
  const listed = (list: TrackedPart["list"]): readonly JsonRecord[] =>
    [...parts.values()]
      .filter((part) => part.list === list)
      .sort((one, other) => one.index - other.index)
      .map(({ part }) => part);
  const content = listed("content");
  const summary = listed("summary");
  return { ...item, ...(content.length > 0 && { content }), ...(summary.length > 0 && { summary }) };
}

function closePart({ item, place: itemPlace }: TrackedItem, { list, index, part }: TrackedPart): readonly JsonRecord[] {
  const names = DONE_EVENTS[stringOf(part["type"])];
  if (names === undefined) return [];
  const [textDone, partDone] = names;
  const place = { item_id: item["id"], ...itemPlace, [`${list}_index`]: index };
  const text = { [fieldOf(part)]: textOf(part), ...(part["type"] === "output_text" && { logprobs: [] }) };
  return [
    { type: textDone, ...place, ...text },
    { type: partDone, ...place, part },
  ];
}

function fieldOf(part: JsonRecord): string {
  return TEXT_FIELDS[stringOf(part["type"])] ?? "text";
}

function textOf(part: JsonRecord): string {
  return stringOf(part[fieldOf(part)]);
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
