// @ts-check

/**
 * How good the default repetition profile is: how often it flags real text of the kind models write, and whether it
 * flags every loop in time. Ends with status 1 if 0.1 % of the documents or more are flagged, or a loop is missed.
 *
 * The limit of the text read, in megabytes, may be given as the argument; by default it is 300.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createTextGuard, defineStopRules } from "fullstop";
import { LONGEST_DOCUMENT, SHORTEST_DOCUMENT, cutIntoDocuments, leadInOf } from "../bench/quality/documents.mjs";
import { expectLoop, runStart } from "../bench/quality/expectation.mjs";
import { MATERIALS, choosePeriods, createUnit } from "../bench/quality/loops.mjs";
import { SKIP_REASONS, readTextFiles } from "../bench/quality/text-files.mjs";
import { createRandom } from "../bench/random.mjs";

const MOST_FLAGGED_PERCENT = 0.1;
const LEAST_MEGABYTES = 50;
const MOST_MEGABYTES = Number(process.argv[2] ?? 300);
const ROOTS = [
  {
    directory: fileURLToPath(new URL("../node_modules", import.meta.url)),
    extensions: new Set([".md", ".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".jsx", ".tsx"]),
  },
  { directory: "/usr/share/doc" },
].filter(({ directory }) => existsSync(directory));

const rules = defineStopRules({ repetition: true });
const began = performance.now();
const clean = measureFalseAlarms();
const recall = measureRecall(clean.leadIns);
console.log(`\n${((performance.now() - began) / 1000).toFixed(0)} s`);
const isGood = clean.megabytes >= LEAST_MEGABYTES && clean.percent < MOST_FLAGGED_PERCENT && recall.missed === 0;
console.log(isGood ? "Both are as promised." : "NOT as promised, see above.");
process.exitCode = isGood ? 0 : 1;

/** Reads all the text there is and counts the documents that the profile takes for loops. */
function measureFalseAlarms() {
  const random = createRandom(2);
  /** @type {Map<import("../bench/quality/text-files.mjs").SkipReason, {files: number, bytes: number}>} */
  const skipped = new Map();
  const skip = (
    /** @type {import("../bench/quality/text-files.mjs").SkipReason} */ reason,
    /** @type {string} */ _path,
    /** @type {number} */ bytes,
  ) => {
    const sum = skipped.get(reason) ?? { files: 0, bytes: 0 };
    skipped.set(reason, { files: sum.files + 1, bytes: sum.bytes + bytes });
  };
  /** @type {string[]} */
  const leadIns = [];
  /** @type {string[]} */
  const flagged = [];
  let files = 0;
  let bytes = 0;
  let documents = 0;
  for (const { path, text } of readTextFiles(ROOTS, SHORTEST_DOCUMENT, skip)) {
    const size = Buffer.byteLength(text);
    if (bytes + size > MOST_MEGABYTES * 1e6) {
      skip("enough", path, size);
      continue;
    }
    files += 1;
    bytes += size;
    for (const document of cutIntoDocuments(text, random)) {
      documents += 1;
      const signal = signalOf(document.text);
      if (signal !== undefined) flagged.push(`${path} at ${document.offset}: ${describe(signal)}`);
      else if (documents % 50 === 0) leadIns.push(leadInOf(document));
    }
  }
  const percent = (100 * flagged.length) / documents;
  const megabytes = bytes / 1e6;
  for (const { directory, extensions } of ROOTS) {
    const kinds =
      extensions === undefined ? "every text file, unpacked where it ends in .gz" : [...extensions].join(" ");
    console.log(`Real text: ${directory} (${kinds})`);
  }
  console.log(
    `  ${files.toLocaleString("en")} files, ${megabytes.toFixed(1)} MB, cut into ` +
      `${documents.toLocaleString("en")} documents of ${SHORTEST_DOCUMENT} to ${LONGEST_DOCUMENT} characters`,
  );
  for (const [reason, { files: count, bytes: total }] of skipped) {
    console.log(
      `  left out ${count.toLocaleString("en")} files, ${(total / 1e6).toFixed(1)} MB: ${SKIP_REASONS[reason]}`,
    );
  }
  if (megabytes < LEAST_MEGABYTES) console.log(`  TOO LITTLE: at least ${LEAST_MEGABYTES} MB are needed`);
  console.log(`  flagged: ${flagged.length}, ${percent.toFixed(4)} % (must be below ${MOST_FLAGGED_PERCENT} %)`);
  for (const line of flagged) console.log(`    ${line}`);
  return { megabytes, percent, leadIns };
}

/**
 * Writes loops of every period and material, and looks where each is flagged.
 *
 * @param {readonly string[]} leadIns Real text in which there is no loop.
 */
function measureRecall(leadIns) {
  const random = createRandom(3);
  const periods = choosePeriods(random);
  const counts = { loops: 0, atThreshold: 0, late: 0, missed: 0, early: 0 };
  /** @type {string[]} */
  const complaints = [];
  for (const length of periods) {
    for (const material of MATERIALS) {
      for (const hasLeadIn of [false, true]) {
        for (const isInCode of [false, true]) {
          const leadIn = hasLeadIn ? (leadIns[Math.floor(random() * leadIns.length)] ?? "") : "";
          const before = leadIn + (isInCode ? "\n```ts\n" : hasLeadIn ? "\n\n" : "");
          const unit = createUnit(material, length, random);
          const outcome = tryLoop(before, unit, random);
          counts.loops += 1;
          counts[outcome.verdict] += 1;
          if (outcome.verdict === "missed" || outcome.verdict === "early") {
            const place = `${hasLeadIn ? "after text" : "at once"}, ${isInCode ? "in code" : "outside code"}`;
            complaints.push(`${outcome.verdict}: ${material}, ${place}, ${outcome.text}, unit ${shorten(unit)}`);
          }
        }
      }
    }
  }
  const { loops, atThreshold, late, missed, early } = counts;
  console.log(
    `\nLoops: ${periods.length} periods from 1 to 2,000, each of ${MATERIALS.join(", ")}, ` +
      "with and without a lead-in of real text, inside and outside a code fence",
  );
  console.log(`  ${loops.toLocaleString("en")} loops: ${atThreshold.toLocaleString("en")} flagged at the threshold,`);
  console.log(`  ${late} within two copies after it, ${missed} missed or later (must be 0), ${early} before it`);
  for (const line of complaints.slice(0, 40)) console.log(`    ${line}`);
  return { missed };
}

/**
 * @param {string} before
 * @param {string} unit
 * @param {() => number} random
 * @returns {{verdict: "atThreshold" | "late" | "missed" | "early", text: string}}
 */
function tryLoop(before, unit, random) {
  const { period, kind, threshold } = expectLoop(unit);
  const copies = Math.ceil((threshold + 3 * period) / unit.length) + 1;
  const text = before + unit.repeat(copies);
  const due = runStart(text, before.length, period) + threshold;
  const flaggedAt = metadataNumber(signalOf(text, random), "end");
  const expected = `${kind} of period ${period}, due at ${due}, flagged at ${flaggedAt ?? "no point"}`;
  if (flaggedAt === undefined || flaggedAt > due + 2 * period) return { verdict: "missed", text: expected };
  if (flaggedAt < due) return { verdict: "early", text: expected };
  // A cut never halves a character, so an emoji may be completed first.
  return { verdict: flaggedAt <= due + 1 ? "atThreshold" : "late", text: expected };
}

/**
 * @param {string} text
 * @param {() => number} [random] Cuts the text into pieces like tokens; without it the text comes in one piece.
 * @returns {import("fullstop").TerminationSignal | undefined}
 */
function signalOf(text, random) {
  const guard = createTextGuard(rules);
  for (let offset = 0; offset < text.length && guard.signal === undefined;) {
    const length = random === undefined ? text.length : 1 + Math.floor(random() * 8);
    guard.push(text.slice(offset, offset + length));
    offset += length;
  }
  return guard.signal;
}

/**
 * @param {import("fullstop").TerminationSignal | undefined} signal
 * @param {string} name
 * @returns {number | undefined}
 */
function metadataNumber(signal, name) {
  const value = signal?.providerSpecific.metadata?.[name];
  return typeof value === "number" ? value : undefined;
}

/**
 * @param {import("fullstop").TerminationSignal} signal
 * @returns {string}
 */
function describe(signal) {
  const [start, period, count] = ["start", "period", "count"].map((name) => metadataNumber(signal, name));
  return `+${start}, period ${period}, ${count} times ${shorten(signal.providerSpecific.originalValue ?? "")}`;
}

/**
 * @param {string} text
 * @returns {string}
 */
function shorten(text) {
  return JSON.stringify(text.length <= 50 ? text : `${text.slice(0, 50)}…`);
}
