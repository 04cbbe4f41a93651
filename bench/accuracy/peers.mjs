// @ts-check
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** The peers are a project of their own, of which nothing is installed with the repository. */
export const PEERS = resolve(import.meta.dirname, "../peers");

const require = createRequire(join(PEERS, "package.json"));

/**
 * Loads a package of the peers' project. Its types are not there to be checked against, so whoever loads it says what
 * is used of it.
 *
 * @param {string} name
 * @returns {Promise<unknown>}
 */
export function loadPeer(name) {
  return import(pathToFileURL(require.resolve(name)).href);
}
