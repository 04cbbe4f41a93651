import type { JsonRecord } from "../json.ts";
import { callIdOf, callNameOf } from "./decode-item.ts";
import type { ItemKey } from "./item-keys.ts";

/** A call that has been passed on, as far as it came. */
export interface ToldCall {
  readonly key: ItemKey;
  readonly id: string;
  readonly name: string;
}

/**
 * Finds the calls of the whole answer among those that came before it. Some servers give a call another id there than in
 * its pieces, or none; so one with an id that nobody knows is the next of its name that no id claims. Taken for another
 * one it would be run twice.
 */
export class RetoldCalls {
  readonly #byId = new Map<string, ToldCall>();
  /** By their names: the calls that no id claims, the next one last. */
  readonly #left = new Map<string, ToldCall[]>();

  constructor(told: readonly ToldCall[], calls: readonly JsonRecord[]) {
    const ids = new Set(calls.map(callIdOf));
    for (const call of told.toReversed()) {
      const { id, name } = call;
      if (id !== "") this.#byId.set(id, call);
      if (id !== "" && ids.has(id)) continue;
      const others = this.#left.get(name);
      if (others === undefined) this.#left.set(name, [call]);
      else others.push(call);
    }
  }

  /** The call that an item tells once more, if it does. Asked once for each, in their order. */
  next(item: JsonRecord): ToldCall | undefined {
    return this.#byId.get(callIdOf(item)) ?? this.#left.get(callNameOf(item))?.pop();
  }
}
