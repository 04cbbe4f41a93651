import { jsonTextOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import type { ToolCalls } from "../reading/tool-calls.ts";
import { callIdOf, callNameOf, clientCallOf, hasPieces, isBroken, isHosted, ownFieldsOf } from "./decode-item.ts";
import type { ItemKey, ItemKeys } from "./item-keys.ts";
import { RetoldCalls } from "./retold-calls.ts";
import type { ToldCall } from "./retold-calls.ts";

/** Reads the calls of an answer, of which each event and each item may tell what others have told before. */
export class ResponsesCallReader {
  readonly #calls: ToolCalls;
  readonly #keys: ItemKeys;
  /** The calls in the order in which they began. */
  readonly #told: ToldCall[] = [];
  readonly #ids = new Set<string>();
  /** The keys of calls by whatever else names them. */
  readonly #byName = new Map<string, ItemKey>();
  #last: ItemKey | undefined;
  /** What has come of the arguments that are text, by their calls. */
  readonly #inputs = new Map<ItemKey, string>();

  constructor(calls: ToolCalls, keys: ItemKeys) {
    this.#calls = calls;
    this.#keys = keys;
  }

  /** Reads an event about the arguments of a call. Tells whether it was one. */
  readDelta(type: string, value: JsonRecord): boolean {
    switch (type) {
      case "response.function_call_arguments.delta":
        this.#calls.add(this.keyOf(value), stringOf(value["delta"]));
        return true;
      case "response.function_call_arguments.done":
        this.#fill(this.keyOf(value), jsonTextOf(value["arguments"]), false);
        return true;
      case "response.custom_tool_call_input.delta":
        this.#addInput(this.keyOf(value), stringOf(value["delta"]));
        return true;
      case "response.custom_tool_call_input.done":
        this.#fillInput(this.keyOf(value), stringOf(value["input"]), false);
        return true;
      default:
        return false;
    }
  }

  /**
   * The call that an event adds to. Its place is not always that of the item, nor do all servers name the item by the
   * same id; one that names none adds to the call that came last. Arguments that are left out would not be missed.
   */
  keyOf(event: JsonRecord): ItemKey {
    const key = this.#keys.keyOf(event);
    if (this.#calls.has(key)) return key;
    const names = [event["item_id"], event["call_id"]].map(stringOf).filter((name) => name !== "");
    const named = names.map((name) => this.#byName.get(name)).find((known) => known !== undefined);
    if (named !== undefined || names.length > 0 || typeof key === "number") return named ?? key;
    return this.#last === undefined || this.#calls.isComplete(this.#last) ? key : this.#last;
  }

  /** What has come of the arguments of a call that are text. */
  inputOf(key: ItemKey): string {
    return this.#inputs.get(key) ?? "";
  }

  start(item: JsonRecord, key: ItemKey): void {
    const id = callIdOf(item);
    const name = callNameOf(item);
    this.#inputs.delete(key);
    this.#told.push({ key, id, name });
    if (id !== "") this.#ids.add(id);
    for (const one of [item["id"], item["call_id"]].map(stringOf)) if (one !== "") this.#byName.set(one, key);
    this.#last = key;
    const native = ownFieldsOf(item);
    if (item["type"] === "custom_tool_call") this.#calls.startText(key, id, name, native);
    else this.#calls.start(key, id, name, native);
  }

  /** A call of the caller's that is all there, or as much of it as there will be. */
  read(item: JsonRecord, key: ItemKey): void {
    const call = clientCallOf(item);
    if (call === undefined) return;
    if (!this.#calls.has(key)) this.start(item, key);
    if (call.type === "json") this.#fill(key, jsonTextOf(call.value), isBroken(item));
    else this.#fillInput(key, call.text, isBroken(item));
  }

  /** Which of the calls among the items of the whole answer have come before it. */
  retell(items: readonly JsonRecord[]): RetoldCalls {
    const own = items.filter((item) => clientCallOf(item) !== undefined && !isHosted(item, items));
    return new RetoldCalls([...this.#told], own);
  }

  /** A call of the whole answer: one that has not come before, or what did not come of one that has. */
  readRetold(item: JsonRecord, told: ToldCall | undefined, key: ItemKey): void {
    // Another call may have taken its place. One of another kind only has the same id.
    if (told !== undefined) {
      if (hasPieces(item) && this.#calls.idOf(told.key) === told.id) this.read(item, told.key);
      return;
    }
    // One that stands twice in the whole answer is run once.
    if (!this.#ids.has(callIdOf(item))) this.read(item, key);
  }

  #fill(key: ItemKey, json: string, isCut: boolean): void {
    const known = this.#calls.jsonOf(key);
    if (json.startsWith(known)) this.#calls.add(key, json.slice(known.length));
    this.#close(key, isCut);
  }

  #addInput(key: ItemKey, text: string): void {
    // What nobody has announced is read when all of it is there, and its name with it.
    if (!this.#calls.has(key)) return;
    this.#inputs.set(key, this.inputOf(key) + text);
    this.#calls.add(key, text);
  }

  #fillInput(key: ItemKey, text: string, isCut: boolean): void {
    const known = this.inputOf(key);
    if (text.startsWith(known)) this.#addInput(key, text.slice(known.length));
    this.#close(key, isCut);
  }

  #close(key: ItemKey, isCut: boolean): void {
    if (isCut) this.#calls.break(key);
    else this.#calls.finish(key);
  }
}
