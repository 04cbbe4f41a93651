import { jsonTextOf, recordOf, stringOf } from "../../../wire/json.ts";
import type { JsonRecord } from "../../../wire/json.ts";
import { ItemKeys } from "../../../wire/openai-responses/item-keys.ts";
import type { ItemKey } from "../../../wire/openai-responses/item-keys.ts";
import type { Unread } from "./editor.ts";
import { isClientCall, textsOf } from "./openai-responses-items.ts";

/** Where the arguments of a call stand that can be said in pieces, and the event that adds to them. */
const CALLS: ReadonlyMap<unknown, readonly [field: string, delta: string]> = new Map([
  ["function_call", ["arguments", "response.function_call_arguments.delta"]],
  ["custom_tool_call", ["input", "response.custom_tool_call_input.delta"]],
]);

/** Events about a response that hold nothing of its output. */
const STARTS: ReadonlySet<string> = new Set(["response.created", "response.queued", "response.in_progress"]);

/** A call that came as a whole, as the event that announces it and the one that adds all of its arguments. */
interface CallEvents {
  readonly added: JsonRecord;
  readonly delta: JsonRecord & { readonly delta: string };
}

/** The events that say in pieces what an event says of a call at once; undefined if that call has no pieces. */
export function callAsDelta(payload: JsonRecord): CallEvents | undefined {
  const item = recordOf(payload["item"]);
  const names = CALLS.get(item["type"]);
  if (names === undefined) return undefined;
  const [field, type] = names;
  const { item: _item, ...place } = payload;
  const added = { ...place, type: "response.output_item.added", item: { ...item, [field]: "", status: "in_progress" } };
  return { added, delta: { ...place, type, item_id: item["id"], delta: jsonTextOf(item[field]) } };
}

/**
 * The items of which something has come that is read only when they are done: a text that a server puts into the event
 * that should only announce it, or a call that has no pieces, which is told in events that nobody reads until it is
 * whole. Several may be open at once.
 */
export class UnreadItems {
  readonly #keys = new ItemKeys();
  readonly #open = new Map<ItemKey, Unread>();

  /** The item that an event is about, if there is something unread of it; `end` characters have come with the event. */
  follow(payload: JsonRecord, end: number): Unread | undefined {
    if (payload["type"] === "response.output_item.done") {
      const key = this.#keys.lastKeyOf(payload);
      const done = this.#open.get(key);
      if (done !== undefined) done.readBy = end;
      this.#open.delete(key);
      return undefined;
    }
    const key = this.#keys.keyOf(payload);
    if (!this.#open.has(key) && announcesUnread(payload)) this.#open.set(key, { readBy: Infinity });
    return this.#open.get(key);
  }

  /** All items are done. */
  readAll(end: number): void {
    for (const item of this.#open.values()) item.readBy = end;
    this.#open.clear();
  }
}

function announcesUnread(payload: JsonRecord): boolean {
  switch (payload["type"]) {
    case "response.output_item.added":
      return hasUnread(recordOf(payload["item"]));
    case "response.content_part.added":
    case "response.reasoning_summary_part.added": {
      const { text, refusal } = recordOf(payload["part"]);
      return stringOf(text) !== "" || stringOf(refusal) !== "";
    }
    default:
      return false;
  }
}

function hasUnread(item: JsonRecord): boolean {
  if (!isClientCall(item)) return textsOf(item).some(({ text }) => text !== "");
  const [field] = CALLS.get(item["type"]) ?? [];
  return field === undefined || jsonTextOf(item[field]) !== "";
}

/** An event with nothing in it that is read later; undefined if nothing of it would be left. */
export function emptyEvent(payload: JsonRecord): JsonRecord | undefined {
  const type = stringOf(payload["type"]);
  if (STARTS.has(type)) return payload;
  if (type === "response.output_item.added") {
    const item = recordOf(payload["item"]);
    const [field] = CALLS.get(item["type"]) ?? [];
    if (isClientCall(item)) return field === undefined ? undefined : { ...payload, item: { ...item, [field]: "" } };
    const { summary, content } = item;
    const empty = { ...(summary !== undefined && { summary: [] }), ...(content !== undefined && { content: [] }) };
    return { ...payload, item: { ...item, ...empty } };
  }
  if (type !== "response.content_part.added" && type !== "response.reasoning_summary_part.added") return undefined;
  const part = recordOf(payload["part"]);
  const field = part["type"] === "refusal" ? "refusal" : "text";
  return { ...payload, part: { ...part, [field]: "" } };
}
