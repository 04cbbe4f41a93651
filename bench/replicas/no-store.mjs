// @ts-check

/** @typedef {import("fullstop/control").GenerationStore} GenerationStore */

/** @type {import("fullstop/control").RecordResult} */
const RECORDED = { state: "recorded" };

const unwatch = () => undefined;

/**
 * A store that records nothing and says that it has: what a gateway costs without one.
 *
 * @returns {GenerationStore}
 */
export function createNoStore() {
  return {
    open: async () => undefined,
    append: async () => RECORDED,
    finish: async () => RECORDED,
    find: async () => undefined,
    read: async () => [],
    live: async () => [],
    ended: async () => [],
    delete: async () => false,
    watch: async () => unwatch,
    order: async () => "not_found",
    orders: async () => [],
    watchOrders: async () => unwatch,
    renew: async () => undefined,
    abandoned: async () => [],
    close: async () => undefined,
  };
}
