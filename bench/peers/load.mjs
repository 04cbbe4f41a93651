// @ts-check

/**
 * Imports one of the peers that are installed here. From here, because Node looks for packages beside whoever asks, and
 * by a name that no tool follows: these packages are there only after a benchmark has asked for them.
 *
 * @param {string} name
 * @returns {Promise<unknown>}
 */
export function loadPeer(name) {
  return import(name);
}
