// @ts-check
import { summarize } from "../statistics.mjs";
import { judgeRatio, judgeTime, ratioOf } from "../verdicts.mjs";
import { CLIENTS, describeCut } from "./catalogue.mjs";

/**
 * @typedef {import("../verdicts.mjs").Verdict} Verdict
 * @typedef {import("../interleave.mjs").Measurements} Measurements
 * @typedef {import("./catalogue.mjs").Entry} Entry
 */

/** The microseconds that finding out how an answer ended may take. */
const DETECTION_NANOSECONDS = 10_000;

/**
 * Holds the figures against what was promised of the wire formats. A promise is about every stream and every way of
 * cutting it, so the worst of them decides.
 *
 * @param {readonly import("./catalogue.mjs").Section[]} sections
 * @param {Measurements} measurements
 * @returns {readonly Verdict[]}
 */
export function judgeWireFormats(sections, measurements) {
  const entries = sections.flatMap((section) => section.entries);
  const formats = new Set(entries.flatMap(({ task }) => ("stream" in task ? [task.stream.format] : [])));
  const subject = (/** @type {string} */ name) => entries.filter(({ task }) => task.subject === name);

  return [
    ...[...formats].map((format) =>
      judgeWorst(`decoding ${format}: at most 1.6 x the floor`, ofFormat(subject("decode"), format), measurements, {
        atMost: 1.6,
      }),
    ),
    ...Object.entries(CLIENTS).flatMap(([format, clients]) =>
      clients
        .filter(({ isPromised }) => isPromised)
        .map((client) =>
          judgeWorst(
            `${format}: 3 x the events of ${client.label}`,
            ofFormat(subject(client.subject), format),
            measurements,
            { atLeast: 3 },
            "with one event a chunk, what the stream itself costs is the same for all, and the larger part of the faster one",
          ),
        ),
    ),
    judgeWorst("Anthropic to Chat: at most 2.5 x the floor", subject("transcode"), measurements, { atMost: 2.5 }),
    judgeDetection([...subject("detector"), ...subject("registry")], measurements),
  ];
}

/**
 * @param {readonly Entry[]} entries
 * @param {string} format
 * @returns {readonly Entry[]}
 */
function ofFormat(entries, format) {
  return entries.filter(({ task }) => "stream" in task && task.stream.format === format);
}

/**
 * @param {string} promise
 * @param {readonly Entry[]} entries
 * @param {Measurements} measurements
 * @param {import("../verdicts.mjs").Limit} limit
 * @param {string} [whenMissed]
 * @returns {Verdict}
 */
function judgeWorst(promise, entries, measurements, limit, whenMissed) {
  const ratios = entries.map(({ id, beside = "", task }) => ({
    ratio: ratioOf(measurements.get(id), measurements.get(beside)),
    where: "stream" in task ? `${task.stream.origin}, ${describeCut(task.cut)}` : "",
  }));
  const isUpper = "atMost" in limit;
  const sorted = ratios.sort((first, second) => {
    const difference = (first.ratio?.median ?? 0) - (second.ratio?.median ?? 0);
    return isUpper ? -difference : difference;
  });
  // One that has failed is missing from no other: all have to be there.
  const worst = ratios.some(({ ratio }) => ratio === undefined) ? undefined : sorted[0];
  const verdict = judgeRatio(promise, worst?.ratio, limit, whenMissed);
  const last = sorted.at(-1)?.ratio;
  if (worst === undefined || last === undefined) return verdict;
  return { ...verdict, found: `worst ${verdict.found}: ${worst.where}; best ${last.median.toFixed(2)} x` };
}

/**
 * @param {readonly Entry[]} entries
 * @param {Measurements} measurements
 * @returns {Verdict}
 */
function judgeDetection(entries, measurements) {
  const promise = "detection: at most 10 µs a body";
  const slowest = entries
    .map((entry) => ({ entry, measurement: measurements.get(entry.id) }))
    .sort((first, second) => medianOf(second.measurement) - medianOf(first.measurement))[0];
  const verdict = judgeTime(
    promise,
    slowest?.measurement,
    DETECTION_NANOSECONDS,
    "real answers of many kinds in turn are slower than one kind alone",
  );
  return {
    ...verdict,
    found: `slowest ${verdict.found}: ${slowest === undefined ? "" : describeBodies(slowest.entry)}`,
  };
}

/**
 * @param {Entry} entry
 * @returns {string}
 */
function describeBodies({ label, task }) {
  const [name, ...others] = "bodies" in task ? task.bodies : [];
  return name === undefined || others.length > 0 ? label.trim() : name;
}

/**
 * One without a figure comes first, so that it is seen.
 *
 * @param {import("../interleave.mjs").Measurement | undefined} measurement
 * @returns {number}
 */
function medianOf(measurement) {
  if (measurement === undefined || measurement.samples.length === 0) return Number.POSITIVE_INFINITY;
  return summarize(measurement.samples).median;
}
