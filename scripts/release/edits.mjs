// @ts-check
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FIELDS } from "./packages.mjs";

/**
 * What is of interest here in a manifest, or in an entry of a lock, which repeats it.
 *
 * @typedef {{ readonly version?: string } & Readonly<Partial<Record<"dependencies" | "peerDependencies" | "devDependencies", Readonly<Record<string, string>>>>>} Manifest
 */

/** @typedef {{ readonly packages: Readonly<Record<string, Manifest>> }} Lock */

/** Locks in which the packages of this repository stand. */
const LOCKS = ["package-lock.json", "examples/package-lock.json"];

/**
 * What a release changes: the version in every package and wherever another depends on it, and the date of the section
 * of the changelog. By file, as it is to be; files that stay as they are are left out.
 *
 * @param {string} root
 * @param {readonly import("./packages.mjs").Package[]} packages
 * @param {string} version
 * @param {string} date
 * @returns {ReadonlyMap<string, string>}
 */
export function editsOf(root, packages, version, date) {
  const names = new Set(packages.map(({ name }) => name));
  /** @type {Map<string, string>} */
  const edits = new Map();
  const edit = (/** @type {string} */ file, /** @type {(text: string) => string} */ change) => {
    if (!existsSync(join(root, file))) return;
    const text = readFileSync(join(root, file), "utf8");
    const changed = change(text);
    if (changed !== text) edits.set(file, changed);
  };
  for (const { directory } of packages) {
    edit(`${directory}/package.json`, (text) =>
      write(withVersion(/** @type {Manifest} */ (JSON.parse(text)), names, version)),
    );
  }
  for (const lock of LOCKS) {
    edit(lock, (text) => write(lockWithVersion(/** @type {Lock} */ (JSON.parse(text)), packages, names, version)));
  }
  edit("packages/gateway/openapi.json", (text) => withApiVersion(text, version));
  edit("CHANGELOG.md", (text) => text.replace(`## ${version} (unreleased)`, `## ${version} (${date})`));
  return edits;
}

/**
 * What stands in the changelog about a version.
 *
 * @param {string} changelog
 * @param {string} version
 * @returns {string | undefined} its lines, or undefined where there is no section for it that is not released
 */
export function sectionOf(changelog, version) {
  const [, after] = changelog.split(`\n## ${version} (unreleased)\n`);
  return after?.split("\n## ")[0]?.trim();
}

/**
 * @param {Manifest} manifest
 * @param {ReadonlySet<string>} names
 * @param {string} version
 * @returns {Manifest}
 */
function withVersion(manifest, names, version) {
  const changed = { ...manifest, ...(manifest.version !== undefined && { version }) };
  for (const field of FIELDS) {
    const wanted = manifest[field];
    if (wanted === undefined) continue;
    // What is taken from a folder has no version.
    const isOurs = (/** @type {string} */ name) => names.has(name) && wanted[name]?.startsWith("file:") !== true;
    changed[field] = mapValues(wanted, (range, name) => (isOurs(name) ? version : range));
  }
  return changed;
}

/**
 * @param {Lock} lock
 * @param {readonly import("./packages.mjs").Package[]} packages
 * @param {ReadonlySet<string>} names
 * @param {string} version
 * @returns {Lock}
 */
function lockWithVersion(lock, packages, names, version) {
  const directories = new Set(packages.map(({ directory }) => directory));
  return {
    ...lock,
    packages: mapValues(lock.packages, (entry, place) =>
      directories.has(place.replace(/^\.\.\//u, "")) ? withVersion(entry, names, version) : entry,
    ),
  };
}

/**
 * @template Value
 * @param {Readonly<Record<string, Value>>} record
 * @param {(value: Value, name: string) => Value} change
 * @returns {Readonly<Record<string, Value>>}
 */
function mapValues(record, change) {
  /** @type {Record<string, Value>} */
  const changed = {};
  for (const [name, value] of Object.entries(record)) changed[name] = change(value, name);
  return changed;
}

/**
 * Only the version is touched: the document is written by `npm run docs`, as the formatter leaves it.
 *
 * @param {string} text
 * @param {string} version
 */
function withApiVersion(text, version) {
  const { info } = /** @type {{ readonly info: { readonly version: string } }} */ (JSON.parse(text));
  return text.replace(`"version": "${info.version}"`, `"version": "${version}"`);
}

/** @param {unknown} value */
function write(value) {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
