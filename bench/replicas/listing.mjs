// @ts-check
import { openStore } from "./stores.mjs";

/** How many generations run, of how many owners, and how often they are listed. */
const LIVE = 10_000;
const OWNERS = 100;
const LISTS = 30;

/** @typedef {import("./stores.mjs").StoreKind} StoreKind */

/** @type {readonly StoreKind[]} */
export const LISTED_KINDS = ["memory", "sqlite", "redis"];

/**
 * Measures how long it takes to list many generations that run, all of them and those of one owner, on each store in
 * turns.
 *
 * @param {{directory: string, redisUrl: string}} place
 * @param {(progress: string) => void} showProgress
 * @returns {Promise<import("../interleave.mjs").Measurements>} Nanoseconds a list.
 */
export async function measureListing(place, showProgress) {
  const stores = [];
  for (const kind of LISTED_KINDS) {
    showProgress(`${LIVE} generations in ${kind}`);
    const store = await openStore(kind, { ...place, name: "listing" });
    await store.renew("one", 600_000);
    for (let start = 0; start < LIVE; start += 500) await openSome(store, start, start + 500);
    stores.push({ kind, store, all: /** @type {number[]} */ ([]), own: /** @type {number[]} */ ([]) });
  }
  for (let round = 0; round < LISTS; round++) {
    for (const { store, all, own } of stores) {
      all.push(await timeList(store, undefined, LIVE));
      own.push(await timeList(store, "owner-7", LIVE / OWNERS));
    }
  }
  for (const { store } of stores) await store.close();
  return new Map(
    stores.flatMap(({ kind, all, own }) => [
      [`list/${kind}`, { samples: all }],
      [`list-own/${kind}`, { samples: own }],
    ]),
  );
}

/**
 * @param {import("fullstop/control").GenerationStore} store
 * @param {number} from
 * @param {number} to
 */
async function openSome(store, from, to) {
  const opened = [];
  for (let index = from; index < to; index++) {
    const owner = `owner-${index % OWNERS}`;
    const record = { id: `generation-${index}`, owner, model: "some-model", startedAt: index, holder: "one" };
    opened.push(store.open(record));
  }
  await Promise.all(opened);
}

/**
 * @param {import("fullstop/control").GenerationStore} store
 * @param {string | undefined} owner
 * @param {number} expected
 */
async function timeList(store, owner, expected) {
  const start = performance.now();
  const { length } = await store.live(owner);
  const nanoseconds = (performance.now() - start) * 1e6;
  if (length !== expected) throw new Error(`listed ${length} instead of ${expected}`);
  return nanoseconds;
}
