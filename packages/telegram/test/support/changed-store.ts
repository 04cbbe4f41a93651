import type { Store } from "fullstop/control";

/** The methods of a store. */
type Methods = Required<Omit<Store, "immediate">>;

/** A store of which some things are done otherwise. */
export function changeStore(store: Store, changes: Partial<Methods>): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      // There is no short cut past what is changed.
      if (name === "immediate") return undefined;
      const method = changes[name] ?? target[name];
      return method.bind(target);
    },
  });
}
