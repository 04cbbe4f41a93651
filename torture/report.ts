import { existsSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describeMachine } from "../bench/results.mjs";
import { CHECKS } from "./checker/check.ts";
import { evidenceFile } from "./evidence.ts";
import { KINDS } from "./plan/kinds.ts";
import type { TortureFindings, Violation } from "./torture.ts";

/** How many generations a long run has, and how often it has to have seen each kind of fault. */
export const LONG_RUN = 10_000;
const LEAST_SEEN = 50;

/** How many generations a run needs to see each kind once. */
const SHORT_RUN = 300;

const SHOWN_VIOLATIONS = 20;
/** How many generations before and after one are done again with it: they ran at the same time. */
const NEIGHBOURS = 40;

/** The kinds of faults that were seen too rarely: in a long run less than 50 times, in a short one never. */
function tooRare({ generations, seen }: TortureFindings): readonly string[] {
  const least = generations >= LONG_RUN ? LEAST_SEEN : generations >= SHORT_RUN ? 1 : 0;
  return KINDS.filter((kind) => (seen[kind] ?? 0) < least);
}

/** Whether nothing is wrong, and everything was seen that has to be. */
export function isPassed(findings: TortureFindings): boolean {
  return findings.violations.length === 0 && tooRare(findings).length === 0;
}

/** The findings for people. */
export function formatFindings(findings: TortureFindings): string {
  const { seed, generations, milliseconds, endings, seen, violations, excused } = findings;
  const rare = tooRare(findings);
  return [
    `${generations} generations in ${(milliseconds / 1000).toFixed(0)} s (seed ${seed}): ${violations.length} violations`,
    `endings: ${list(endings)}`,
    `faults: ${list(seen)}`,
    ...(excused > 0 ? [`${excused} problems do not count: the store was slow when a gateway was ended`] : []),
    ...(rare.length > 0 ? [`seen too rarely: ${rare.join(", ")}`] : []),
    ...violations.slice(0, SHOWN_VIOLATIONS).map((violation) => formatViolation(seed, violation)),
  ].join("\n");
}

function formatViolation(seed: number, { number, check, guarantees, problem }: Violation): string {
  const about = `guarantee ${guarantees.join(", ")}, ${check}: ${problem}`;
  if (number === undefined) return `  ${about}`;
  const first = Math.max(0, number - NEIGHBOURS);
  const again = `npm run torture -- --seed ${seed} --first ${first} --count ${number - first + NEIGHBOURS}`;
  const file = evidenceFile(seed, number);
  // Two that should have come to the same, and problems of the torture itself, have nothing written down.
  const seen = existsSync(file) ? [`    what was seen: ${path.relative(process.cwd(), file)}`] : [];
  return [`  generation ${number}: ${about}`, `    ${again}`, ...seen].join("\n");
}

function list(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .toSorted(([one], [two]) => one.localeCompare(two))
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
}

/** Writes the findings down, and gives the file. */
export function writeFindings(findings: TortureFindings): string {
  const file = fileURLToPath(new URL("../bench/results/torture.json", import.meta.url));
  const checks = CHECKS.map(({ name, guarantees }) => ({ name, guarantees: guarantees.join(", ") }));
  const { violations, ...rest } = findings;
  const about = { date: new Date().toISOString(), machine: describeMachine(), loadAverages: loadavg() };
  const results = {
    ...about,
    ...rest,
    violationCount: violations.length,
    violations: violations.slice(0, SHOWN_VIOLATIONS),
    checks,
  };
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
  return file;
}
