// @ts-check
/**
 * `npm run release -- 0.2.0`: says what a release of this version would do, and does nothing. With `--run` it does it:
 *
 * 1. looks whether all is in order: on main, nothing uncommitted, as at origin, a section in the changelog
 * 2. runs the tests, unless `--tests-passed` says that they have passed on this commit
 * 3. sets the version in every package and wherever another depends on it, and dates the section of the changelog
 * 4. builds, and packs every package that is published into `.scratch/release/<version>`
 * 5. commits, tags, pushes, and publishes the packages in the order in which they need each other
 *
 * What goes wrong before the commit leaves the files changed and nothing else: `git checkout .` takes them back.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readOptions } from "./read-options.mjs";
import { editsOf } from "./release/edits.mjs";
import { readPackages } from "./release/packages.mjs";
import { problemsOf } from "./release/problems.mjs";

const root = resolve(import.meta.dirname, "..");
const HELP = "usage: npm run release -- VERSION [--dry-run | --run [--tests-passed]]";
const { values, positionals } = readOptions(
  {
    allowPositionals: true,
    options: {
      run: { type: "boolean", default: false },
      "dry-run": { type: "boolean", default: false },
      "tests-passed": { type: "boolean", default: false },
    },
  },
  HELP,
);
const [version = "", ...more] = positionals;
if (version === "" || more.length > 0 || (values.run && values["dry-run"])) {
  console.error(HELP);
  process.exit(2);
}

const packages = readPackages(root);
const problems = problemsOf(root, packages, version);
if (problems.length > 0) {
  console.error(problems.map((problem) => `- ${problem}`).join("\n"));
  process.exit(1);
}
const date = new Date().toISOString().slice(0, 10);
const edits = editsOf(root, packages, version, date);
const published = packages.filter(({ isPublished }) => isPublished);
const folder = join(root, ".scratch/release", version);
release();

function release() {
  if (!values["tests-passed"]) perform("npm", "test");
  for (const [file, text] of edits) {
    console.log(`${values.run ? "writes" : "would write"} ${file}`);
    for (const line of changedLines(readFileSync(join(root, file), "utf8"), text)) console.log(`    ${line}`);
    if (values.run) writeFileSync(join(root, file), text);
  }
  if (values.run) mkdirSync(folder, { recursive: true });
  perform("npm", "run", "prepare");
  for (const { directory } of published) {
    perform("npm", "pack", "--ignore-scripts", "--pack-destination", folder, `./${directory}`);
  }
  perform("git", "commit", "--all", "--message", `Release ${version}`);
  perform("git", "tag", "--annotate", `v${version}`, "--message", `fullstop ${version}`);
  perform("git", "push", "--atomic", "origin", "main", `v${version}`);
  // Last, because what is published cannot be taken back.
  for (const each of published) {
    const tag = version.includes("-") ? ["--tag", "next"] : [];
    perform("npm", "publish", "--ignore-scripts", "--access", "public", ...tag, join(folder, tarballOf(each)));
  }
  if (!values.run) console.log("\nNothing was done. With --run it is.");
}

/**
 * Runs a command, or says that it would.
 *
 * @param {string} program
 * @param {readonly string[]} parameters
 */
function perform(program, ...parameters) {
  console.log(`${values.run ? "runs" : "would run"} ${[program, ...parameters].map(quote).join(" ")}`);
  if (values.run) execFileSync(program, parameters, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
}

/** @param {string} word */
function quote(word) {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** @param {import("./release/packages.mjs").Package} each */
function tarballOf({ name }) {
  return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
}

/**
 * The lines of a text that are not in the other one.
 *
 * @param {string} before
 * @param {string} after
 */
function changedLines(before, after) {
  const known = before.split("\n");
  return after.split("\n").filter((line, index) => line !== known[index]);
}
