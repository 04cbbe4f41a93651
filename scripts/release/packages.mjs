// @ts-check
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * A package of the repository.
 *
 * @typedef {{
 *   readonly name: string,
 *   readonly version: string,
 *   readonly directory: string,
 *   readonly isPublished: boolean,
 *   readonly needs: readonly string[],
 * }} Package
 */

/**
 * @typedef {{ readonly name: string, readonly version: string, readonly private?: boolean }
 *   & Readonly<Partial<Record<(typeof FIELDS)[number], Readonly<Record<string, string>>>>>} Manifest
 */

/** Where a manifest names other packages. */
export const FIELDS = /** @type {const} */ (["dependencies", "peerDependencies", "devDependencies"]);

/**
 * The packages of the repository, each after those that it needs, which is the order in which they are published.
 *
 * @param {string} root
 * @returns {readonly Package[]}
 */
export function readPackages(root) {
  const directories = ["models", "packages"].flatMap((parent) =>
    readdirSync(join(root, parent)).map((name) => `${parent}/${name}`),
  );
  const packages = directories.map((directory) => {
    const manifest = /** @type {Manifest} */ (JSON.parse(readFileSync(join(root, directory, "package.json"), "utf8")));
    const needs = FIELDS.flatMap((field) => Object.keys(manifest[field] ?? {}));
    return { name: manifest.name, version: manifest.version, directory, isPublished: manifest.private !== true, needs };
  });
  return inOrder(packages);
}

/**
 * @param {readonly Package[]} packages
 * @returns {readonly Package[]}
 */
function inOrder(packages) {
  /** @type {Package[]} */
  const placed = [];
  while (placed.length < packages.length) {
    const isReady = (/** @type {string} */ need) =>
      placed.some(({ name }) => name === need) || !packages.some(({ name }) => name === need);
    const next = packages.find((each) => !placed.includes(each) && each.needs.every(isReady));
    if (next === undefined) throw new Error("The packages need each other in a circle.");
    placed.push(next);
  }
  return placed;
}
