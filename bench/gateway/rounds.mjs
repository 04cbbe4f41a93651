// @ts-check
import { SECTIONS } from "./catalogue.mjs";
import { MEASURES, warmUp } from "./speed.mjs";

const ROUNDS = { long: 6, short: 5 };

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
  const rounds = ROUNDS[sampling];
  const entries = SECTIONS.flatMap((section) => section.entries).filter(({ task }) => subjects.has(task.subject));
  /** @type {Map<string, Sample[]>} */
  const samples = new Map(entries.map(({ id }) => [id, []]));
  for (const { id, task } of entries) {
    const subject = subjects.get(task.subject);
    if (subject === undefined) continue;
    showProgress(`warming up: ${id}`);
    await warmUp({ subject, task, upstreamPort, sampling }, "first");
  }
  for (let round = 0; round < rounds; round++) {
    for (let place = 0; place < entries.length; place++) {
      // The start moves on from round to round, so that nobody always follows the same neighbour.
      const entry = entries[(place + round) % entries.length];
      const subject = subjects.get(entry?.task.subject ?? "bare");
      if (entry === undefined || subject === undefined) continue;
      showProgress(`round ${round + 1} of ${rounds}: ${entry.id}`);
      const order = { subject, task: entry.task, upstreamPort, sampling };
      await warmUp(order, "again");
      const sample = await MEASURES[entry.task.kind](order);
      samples.get(entry.id)?.push(sample);
    }
  }
  return samples;
}
