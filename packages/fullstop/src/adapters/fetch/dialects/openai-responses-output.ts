import { listOf, recordOf, stringOf } from "../../../wire/json.ts";
import type { JsonRecord } from "../../../wire/json.ts";
import { callIdOf, hasPieces } from "../../../wire/openai-responses/decode-item.ts";
import { OutputReader, PART_KINDS } from "../../../wire/openai-responses/decode-output.ts";
import type { ItemKey } from "../../../wire/openai-responses/item-keys.ts";
import type { ToldCall } from "../../../wire/openai-responses/retold-calls.ts";
import { RetoldTexts } from "../../../wire/openai-responses/retold-texts.ts";
import { Answer } from "../../../wire/reading/answer.ts";
import { UNKNOWN_CALL, isClientCall, textsOf } from "./openai-responses-items.ts";
import type { ToldOutput } from "./openai-responses-items.ts";
import { assemble, closePart, emptyPart, placeOf } from "./openai-responses-parts.ts";
import type { TrackedItem, TrackedPart } from "./openai-responses-parts.ts";

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

/** The events that add to a call. */
const INPUT_DELTA = "response.custom_tool_call_input.delta";
const CALL_DELTAS: ReadonlySet<string> = new Set(["response.function_call_arguments.delta", INPUT_DELTA]);

/** The events of an answer in which something is said, beside thinking, which may be a mere proof. */
const SAID: ReadonlySet<string> = new Set(["text", "tool-call-start", "tool-call-delta"]);

/** Whether an event adds to a text or to a call. */
export function isDelta(type: string): boolean {
  return DELTA_PARTS.has(type) || CALL_DELTAS.has(type);
}

/**
 * Puts the output items of a stream together as they come, so that they can be closed at any point. What is new in an
 * event depends on all that came before it, so what is shown is read here as the decoder reads it, by the same code; of
 * the items only their form is kept beside that.
 */
export class OutputTracker {
  /** How often something was read that is shown to somebody. */
  #said = 0;
  readonly #answer = new Answer(
    {
      push: ({ type, ...event }) => {
        const isSaid = type === "reasoning" ? "text" in event && event.text !== "" : SAID.has(type);
        if (isSaid) this.#said += 1;
      },
      end: () => undefined,
    },
    "openai-responses",
    {},
  );
  readonly #reader = new OutputReader(this.#answer);
  readonly #items = new Map<ItemKey, TrackedItem>();

  get isEmpty(): boolean {
    return this.#items.size === 0;
  }

  /** The items as they stand. A call that has no words for half of it is left out while it is not done. */
  get items(): readonly JsonRecord[] {
    const placed = [...this.#items].map(([key, tracked], turn) => {
      return { key, tracked, index: typeof key === "number" ? key : turn };
    });
    return placed
      .filter(({ tracked: { item, isDone } }) => isDone || !isClientCall(item) || hasPieces(item))
      .sort((one, other) => one.index - other.index)
      .map(({ key, tracked }) => this.#assemble(key, tracked));
  }

  /** What has come of the text that an event adds to. */
  knownOf(event: JsonRecord): string {
    const type = stringOf(event["type"]);
    const part = DELTA_PARTS.get(type);
    const kind = PART_KINDS.get(part);
    if (part !== undefined && kind !== undefined) {
      return this.#reader.texts.at(kind, this.#reader.keys.keyOf(event), placeOf(event, part).index).text;
    }
    const key = this.#reader.calls.keyOf(event);
    return type === INPUT_DELTA ? this.#reader.calls.inputOf(key) : this.#answer.calls.jsonOf(key);
  }

  /** Whether the item that an event is about has been announced as a call. */
  hasCall(event: JsonRecord): boolean {
    return this.#answer.calls.has(this.#reader.keys.keyOf(event));
  }

  /** What has come of the item that an event is about. */
  toldOf(event: JsonRecord): ToldOutput {
    const key = this.#reader.keys.keyOf(event);
    return {
      textOf: (kind, index) => this.#reader.texts.at(kind, key, index).text,
      hasCall: () => false,
      knownCall: () => UNKNOWN_CALL,
    };
  }

  /**
   * What has come of all items. They may have other places in the whole, so texts are told apart as they are where the
   * whole is read.
   */
  toldOfAll(output: unknown): ToldOutput {
    const calls = this.items.filter((item) => isClientCall(item));
    const unnamed = calls.filter((item) => callIdOf(item) === "");
    const items = listOf(output).map(recordOf);
    const retold = new RetoldTexts(this.#reader.texts, items.flatMap(textsOf));
    const retoldCalls = this.#reader.calls.retell(items);
    let call: ToldCall | undefined;
    return {
      textOf: (kind, _index, whole) => {
        if (whole === "") return "";
        const { known, mayGoOn } = retold.next(kind);
        return known !== undefined && !mayGoOn ? whole : (known?.text ?? "");
      },
      hasCall(item) {
        call = retoldCalls.next(item);
        return call !== undefined;
      },
      knownCall: () => {
        if (call === undefined) return UNKNOWN_CALL;
        const { id, key } = call;
        const item = id === "" ? unnamed.shift() : calls.find((one) => callIdOf(one) === id);
        return { item, json: this.#answer.calls.jsonOf(key) };
      },
    };
  }

  read(payload: JsonRecord): void {
    const type = stringOf(payload["type"]);
    switch (type) {
      case "response.output_item.added":
        this.#itemOf(payload).item = recordOf(payload["item"]);
        this.#reader.beginItem(payload);
        return;
      case "response.output_item.done": {
        const tracked = this.#itemOf(payload);
        tracked.item = recordOf(payload["item"]);
        tracked.isDone = true;
        tracked.parts.clear();
        this.#reader.completeItem(payload);
        return;
      }
      case "response.content_part.added":
      case "response.content_part.done":
      case "response.reasoning_summary_part.added":
      case "response.reasoning_summary_part.done": {
        const tracked = this.#partOf(payload, stringOf(recordOf(payload["part"])["type"]));
        tracked.part = recordOf(payload["part"]);
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
        const part = DELTA_PARTS.get(type.replace(/done$/u, "delta"));
        if (part !== undefined) this.#partOf(payload, part);
        break;
      }
    }
    this.#reader.readDelta(type, payload);
  }

  /** Closes what is open. Gives the events that say so. */
  close(isComplete: boolean): readonly JsonRecord[] {
    const events: JsonRecord[] = [];
    for (const [key, tracked] of this.#items) {
      if (tracked.isDone) continue;
      for (const part of tracked.parts.values()) if (!part.isDone) events.push(...this.#closePart(key, tracked, part));
      const isMessage = tracked.item["type"] === "message";
      tracked.item = { ...tracked.item, status: isComplete && isMessage ? "completed" : "incomplete" };
      // Clients take a call that is done for one that can be run, whatever its status says.
      if (isClientCall(tracked.item)) continue;
      const item = this.#assemble(key, tracked);
      // One whose parts cannot stand in their places would be read once more.
      const isKnown = textsOf(item).every(({ kind, index, text }) => {
        return text === "" || text === this.#reader.texts.at(kind, key, index).text;
      });
      if (isKnown) events.push({ type: "response.output_item.done", ...tracked.place, item });
    }
    return events;
  }

  /**
   * Whether nothing is new in items for those who have read what has been shown. Texts are matched by their turns there,
   * and those of a server that goes back and forth between its parts have other turns in any list. Asked at the end only.
   */
  hasSaid(items: readonly JsonRecord[]): boolean {
    const said = this.#said;
    this.#reader.readAll(items);
    return this.#said === said;
  }

  #assemble(key: ItemKey, tracked: TrackedItem): JsonRecord {
    const { item, isDone } = tracked;
    if (!isDone && item["type"] === "function_call") return { ...item, arguments: this.#answer.calls.jsonOf(key) };
    if (!isDone && item["type"] === "custom_tool_call") return { ...item, input: this.#reader.calls.inputOf(key) };
    return assemble(tracked, this.#reader.texts.ofItem(key));
  }

  #closePart(key: ItemKey, tracked: TrackedItem, part: TrackedPart): readonly JsonRecord[] {
    const kind = PART_KINDS.get(part.part["type"]);
    return kind === undefined ? [] : closePart(tracked, part, this.#reader.texts.at(kind, key, part.index).text);
  }

  /** The item that an event is about. One that nobody has announced is told by what comes of it. */
  #itemOf(payload: JsonRecord, isThought = false): TrackedItem {
    const key = this.#reader.keys.keyOf(payload);
    const known = this.#items.get(key);
    if (known !== undefined) return known;
    const id = stringOf(payload["item_id"] ?? recordOf(payload["item"])["id"]);
    const item = isThought
      ? { id, type: "reasoning", summary: [] }
      : { id, type: "message", role: "assistant", content: [] };
    // Events that name a place where the others named none would be taken for those of another item.
    const place = typeof key === "number" ? { output_index: key } : { item_id: id };
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
}
