// @ts-check
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fill } from "../../scripts/docs/fill.mjs";
import { format } from "../../scripts/docs/format.mjs";
import { writeHighlights } from "./highlights.mjs";
import { PLOT_FOLDER, writePage } from "./page.mjs";
import { drawPlots } from "./plots.mjs";
import { readResults } from "./read-results.mjs";

const ROOT = resolve(import.meta.dirname, "../..");
const FOLDER = `docs/${PLOT_FOLDER}`;

/**
 * The page, its drawings, and the front page with its table, by their paths from the root.
 *
 * @returns {ReadonlyMap<string, string>}
 */
function listFiles() {
  const results = readResults();
  const plots = drawPlots(results);
  const [page, front] = ["docs/benchmarks.md", "README.md"];
  const filled = fill(front, readFileSync(join(ROOT, front), "utf8"), "bench/run.mjs", {
    speed: () => writeHighlights(results),
  });
  return new Map([
    [page, format(page, writePage(results, plots))],
    [front, format(front, filled)],
    ...plots.map(({ name, svg }) => /** @type {const} */ ([`${FOLDER}/${name}.svg`, svg])),
  ]);
}

/**
 * The drawings that are there and that nobody draws any more.
 *
 * @param {ReadonlyMap<string, string>} files
 * @returns {readonly string[]}
 */
function listLeftovers(files) {
  const folder = join(ROOT, FOLDER);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .map((name) => `${FOLDER}/${name}`)
    .filter((name) => !files.has(name));
}

/** Writes all of them. */
export function writePages() {
  const files = listFiles();
  mkdirSync(join(ROOT, FOLDER), { recursive: true });
  for (const [name, text] of files) writeFileSync(join(ROOT, name), text);
  for (const name of listLeftovers(files)) rmSync(join(ROOT, name));
  console.log([...files.keys()].map((name) => `wrote ${name}`).join("\n"));
}

/**
 * Says which of them are not what the results give.
 *
 * @returns {boolean} Whether all are.
 */
export function checkPages() {
  const files = listFiles();
  const outdated = [...files]
    .filter(([name, text]) => !existsSync(join(ROOT, name)) || readFileSync(join(ROOT, name), "utf8") !== text)
    .map(([name]) => name)
    .concat(listLeftovers(files));
  for (const name of outdated) console.error(`${name} is out of date; npm run bench -- report writes it anew`);
  return outdated.length === 0;
}
