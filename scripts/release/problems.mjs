// @ts-check
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sectionOf } from "./edits.mjs";

const VERSION = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/u;

/**
 * What stands in the way of a release, as sentences that say what to do.
 *
 * @param {string} root
 * @param {readonly import("./packages.mjs").Package[]} packages
 * @param {string} version
 * @returns {readonly string[]}
 */
export function problemsOf(root, packages, version) {
  if (!VERSION.test(version))
    return [`The version must be like 1.2.3 or 1.2.3-beta.1, got ${JSON.stringify(version)}.`];
  const git = (/** @type {string[]} */ ...parameters) =>
    execFileSync("git", parameters, { cwd: root, encoding: "utf8" }).trim();
  const branch = git("rev-parse", "--abbrev-ref", "HEAD");
  const changes = git("status", "--porcelain");
  const versions = [...new Set(packages.map((each) => each.version))];
  const section = sectionOf(readFileSync(join(root, "CHANGELOG.md"), "utf8"), version);
  const hasOrigin = git("remote").split("\n").includes("origin");
  const remote = hasOrigin ? git("ls-remote", "origin", "refs/heads/main").split("\t")[0] : undefined;
  return [
    branch !== "main" && `Releases are made on main, and this is ${branch}: git switch main.`,
    changes !== "" && `There are changes that are not committed:\n${changes}`,
    !hasOrigin && "There is no remote called origin to push to: git remote add origin ADDRESS.",
    hasOrigin && remote !== git("rev-parse", "HEAD") && "main is not what it is at origin: git pull, or git push.",
    git("tag", "--list", `v${version}`) !== "" && `There is a tag v${version} already: choose another version.`,
    versions.length > 1 && `The packages have several versions: ${versions.join(", ")}. Give them one first.`,
    versions.some((each) => isBefore(version, each)) && `${version} comes before ${versions[0]}, which is here.`,
    section === undefined && `CHANGELOG.md has no section "## ${version} (unreleased)". Write one.`,
    section === "" && `The section for ${version} in CHANGELOG.md is empty. Say what has changed.`,
  ].filter((each) => each !== false);
}

/**
 * Whether a version comes before another. One with a word behind it comes before the one without.
 *
 * @param {string} one
 * @param {string} other
 */
export function isBefore(one, other) {
  const [a = "", aWord] = one.split("-");
  const [b = "", bWord] = other.split("-");
  const numbers = a.localeCompare(b, "en", { numeric: true });
  if (numbers !== 0) return numbers < 0;
  if (aWord === undefined || bWord === undefined) return aWord !== undefined && bWord === undefined;
  return aWord.localeCompare(bWord, "en", { numeric: true }) < 0;
}
