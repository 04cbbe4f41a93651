import { listOf, recordOf, stringOf } from "../../../wire/json.ts";
import type { JsonRecord } from "../../../wire/json.ts";
import { ItemKeys } from "../../../wire/openai-responses/item-keys.ts";
import type { ItemKey } from "../../../wire/openai-responses/item-keys.ts";
import { callIdOf } from "../../../wire/openai-responses/decode-item.ts";
import { hasPieces, isClientCall, textsOf } from "./openai-responses-items.ts";
import type { TextKind, ToldOutput } from "./openai-responses-items.ts";
import { addTo, assembleRead, closePart, emptyPart, kindOf, placeOf, textOf } from "./openai-responses-parts.ts";
import type { TrackedItem, TrackedPart } from "./openai-responses-parts.ts";
import { toDelta } from "./openai-responses-whole.ts";

/** The type of a part that nobody has announced, by the event that adds to it. */
const DELTA_PARTS: ReadonlyMap<string, string> = new Map([
  ["response.output_text.delta", "output_text"],
  ["response.refusal.delta", "refusal"],
  ["response.reasoning_summary_text.delta", "summary_text"],
  ["response.reasoning_text.delta", "reasoning_text"],
  ["response.reasoning.delta", "reasoning_text"],
]);

/** The types of the parts of thinking. */
const THOUGHTS: ReadonlySet<string> = new Set(["summary_text", "reasoning_text"]);

/** The field of a call that an event adds to. */
const CALL_FIELDS: ReadonlyMap<string, string> = new Map([
  ["response.function_call_arguments.delta", "arguments"],
  ["response.custom_tool_call_input.delta", "input"],
]);

/** Whether an event adds to a text or to a call. */
export function isDelta(type: string): boolean {
  return DELTA_PARTS.has(type) || CALL_FIELDS.has(type);
}

/** Puts the output items of a stream together as they come, so that they can be closed at any point. */
export class OutputTracker {
  readonly #keys = new ItemKeys();
  readonly #items = new Map<ItemKey, TrackedItem>();

  get isEmpty(): boolean {
    return this.#items.size === 0;
  }

  /** The items as they stand. A call that has no words for half of it is left out while it is not done. */
  get items(): readonly JsonRecord[] {
    const placed = [...this.#items.values()].map((tracked, turn) => {
      return { tracked, index: tracked.place.output_index ?? turn };
    });
    return placed
      .filter(({ tracked: { item, isDone } }) => isDone || !isClientCall(item) || hasPieces(item))
      .sort((one, other) => one.index - other.index)
      .map(({ tracked }) => assembleRead(tracked));
  }

  /** What has come of the text that an event adds to. */
  knownOf(event: JsonRecord): string {
    const type = stringOf(event["type"]);
    const tracked = this.#items.get(this.#keys.keyOf(event));
    const field = CALL_FIELDS.get(type);
    if (field !== undefined) return stringOf(tracked?.item[field]);
    const { list, index } = placeOf(event, DELTA_PARTS.get(type) ?? "");
    const known = tracked?.parts.get(`${list} ${index}`);
    return known === undefined ? "" : textOf(known.part);
  }

  /** Whether the item that an event is about has been announced as a call. */
  hasCall(event: JsonRecord): boolean {
    const tracked = this.#items.get(this.#keys.keyOf(event));
    return tracked !== undefined && isClientCall(tracked.item);
  }

  /** What has come of the item that an event is about. */
  toldOf(event: JsonRecord): ToldOutput {
    const parts = this.#items.get(this.#keys.keyOf(event))?.parts;
    return {
      textOf: (kind, index) => {
        const known = parts?.get(`${kind === "summary" ? "summary" : "content"} ${index}`);
        return known === undefined || kindOf(known.part) !== kind ? "" : textOf(known.part);
      },
      callOf: () => undefined,
    };
  }

  /**
   * What has come of all items. They may have other places in the whole, so texts are told apart by their kind and their
   * turn, as they are where the whole is read; and only the last of a kind may go on there.
   */
  toldOfAll(): ToldOutput {
    const items = [...this.#items.values()].map(assembleRead);
    const texts = items.flatMap(textsOf).filter(({ text }) => text !== "");
    const turns: Record<TextKind, number> = { text: 0, refusal: 0, reasoning: 0, summary: 0 };
    return {
      textOf: (kind, _index, whole) => {
        if (whole === "") return "";
        const known = texts.filter((told) => told.kind === kind);
        const turn = turns[kind]++;
        return turn === known.length - 1 ? (known[turn]?.text ?? "") : turn < known.length ? whole : "";
      },
      callOf: (id) => (id === "" ? undefined : items.find((item) => isClientCall(item) && callIdOf(item) === id)),
    };
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
      default: {
        const whole = toDelta(payload);
        if (whole === undefined) this.#add(payload, stringOf(delta));
        else {
          // Said once more. Servers that leave out the pieces say it here for the first time.
          const known = this.knownOf(whole);
          if (whole.delta.startsWith(known)) this.#add(whole, whole.delta.slice(known.length));
        }
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
      if (isClientCall(tracked.item)) continue;
      events.push({ type: "response.output_item.done", ...tracked.place, item: assembleRead(tracked) });
    }
    return events;
  }

  /** The item that an event is about. One that nobody has announced is told by what comes of it. */
  #itemOf(payload: JsonRecord, isThought = false): TrackedItem {
    const key = this.#keys.keyOf(payload);
    const known = this.#items.get(key);
    if (known !== undefined) return known;
    const id = stringOf(payload["item_id"]);
    const item = isThought
      ? { id, type: "reasoning", summary: [] }
      : { id, type: "message", role: "assistant", content: [] };
    // Events that name a place where the others named none would be taken for those of another item.
    const place = typeof key === "number" ? { output_index: key } : {};
    const tracked: TrackedItem = { place, item, parts: new Map(), isDone: false };
    this.#items.set(key, tracked);
    return tracked;
  }

  #partOf(payload: JsonRecord, type: string): TrackedPart {
    const { parts } = this.#itemOf(payload, THOUGHTS.has(type));
    const { list, index } = placeOf(payload, type);
    const known = parts.get(`${list} ${index}`);
    if (known !== undefined) return known;
    const tracked: TrackedPart = { list, index, part: emptyPart(type), isDone: false };
    parts.set(`${list} ${index}`, tracked);
    return tracked;
  }

  #add(event: JsonRecord, piece: string): void {
    const type = stringOf(event["type"]);
    const kind = DELTA_PARTS.get(type);
    if (kind !== undefined) {
      const tracked = this.#partOf(event, kind);
      tracked.part = addTo(tracked.part, piece);
      return;
    }
    const field = CALL_FIELDS.get(type);
    const tracked = this.#items.get(this.#keys.keyOf(event));
    // A call that nobody has announced has no name yet.
    if (field === undefined || tracked === undefined) return;
    tracked.item = { ...tracked.item, [field]: stringOf(tracked.item[field]) + piece };
  }
}
