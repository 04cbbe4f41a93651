import { recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";

/** What an output item is told apart by. */
export type ItemKey = string | number;

/**
 * Tells which output item the events of a stream are about: by its place, or by its id where that is left out. What has
 * neither is about the one item that is open without either.
 */
export class ItemKeys {
  #unnamed = 0;

  /** The item that an event is about. */
  keyOf(event: JsonRecord): ItemKey {
    const { output_index: index, item_id: id } = event;
    if (typeof index === "number") return index;
    return stringOf(id ?? recordOf(event["item"])["id"]) || `unnamed ${this.#unnamed}`;
  }

  /** The item that an event is about which is the last of it, so that what comes without a name is about another. */
  lastKeyOf(event: JsonRecord): ItemKey {
    const key = this.keyOf(event);
    if (key === `unnamed ${this.#unnamed}`) this.#unnamed += 1;
    return key;
  }
}
