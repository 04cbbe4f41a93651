import type { Store } from "fullstop/control";

/** A store of which some things are done otherwise. */
export function changeStore(store: Store, changes: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      const method = changes[name] ?? target[name];
      return method.bind(target);
    },
  });
}
