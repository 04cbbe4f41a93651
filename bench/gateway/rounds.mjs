// @ts-check
import { SECTIONS } from "./catalogue.mjs";
import { MEASURES } from "./speed.mjs";

/** The first ones warm up: the compiler has then seen everything often enough. */
const ROUNDS = { long: { dropped: 3, counted: 8 }, short: { dropped: 1, counted: 3 } };

/**
 * @typedef {import("./subjects.mjs").Subject} Subject
 * @typedef {import("./subjects.mjs").SubjectName} SubjectName
 * @typedef {import("./speed.mjs").Sample} Sample
 */

/** @typedef {ReadonlyMap<string, readonly Sample[]>} Samples By id. */

/**
 * Measures all tasks, interleaved.
 *
 * @param {ReadonlyMap<SubjectName, Subject>} subjects
 * @param {number} upstreamPort
 * @param {Pick<import("../parts.mjs").Surroundings, "sampling" | "showProgress">} surroundings
 * @returns {Promise<Samples>}
 */
export async function measureSpeed(subjects, upstreamPort, { sampling, showProgress }) {
  const { dropped, counted } = ROUNDS[sampling];
  const entries = SECTIONS.flatMap((section) => section.entries).filter(({ task }) => subjects.has(task.subject));
  /** @type {Map<string, Sample[]>} */
  const samples = new Map(entries.map(({ id }) => [id, []]));
  for (let round = -dropped; round < counted; round++) {
    for (let place = 0; place < entries.length; place++) {
      // The start moves on from round to round, so that nobody always follows the same neighbour.
      const entry = entries[(place + round + dropped) % entries.length];
      const subject = subjects.get(entry?.task.subject ?? "bare");
      if (entry === undefined || subject === undefined) continue;
      showProgress(`round ${round + 1} of ${counted}: ${entry.id}`);
      const sample = await MEASURES[entry.task.kind]({ subject, task: entry.task, upstreamPort, sampling });
      if (round >= 0) samples.get(entry.id)?.push(sample);
    }
  }
  return samples;
}
