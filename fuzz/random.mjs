// @ts-check

/**
 * Numbers that look random and are the same for the same seed.
 *
 * @typedef {object} Random
 * @property {(limit: number) => number} below A whole number from 0 to one less than the limit.
 * @property {<T>(list: readonly T[]) => T} pick One of a list, which must not be empty.
 */

/**
 * @param {number} seed
 * @returns {Random}
 */
export function createRandom(seed) {
  let state = seed >>> 0;
  // Mulberry32: small, fast, and good enough to choose where to cut.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (/** @type {number} */ limit) => Math.floor(next() * limit);
  return {
    below,
    pick: (list) => /** @type {(typeof list)[number]} */ (list[below(list.length)]),
  };
}

/**
 * A number for some bytes, by which everything that an input leaves open is chosen: so a replay is the same.
 *
 * @param {Uint8Array} bytes
 * @returns {number}
 */
export function hashBytes(bytes) {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}
