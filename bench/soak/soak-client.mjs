// @ts-check

/**
 * The clients of the soak, in a process of their own: so many streams at once, for so long. Whoever is done asks for
 * the next stream of the plan.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { closeConnections } from "./exchange.mjs";
import { runStream } from "./stream-client.mjs";

/**
 * @typedef {object} SoakOrder
 * @property {string} url
 * @property {import("./plan.mjs").Script} script
 * @property {number} first The number of the first stream.
 * @property {number} streams How many at once.
 * @property {number} rampMilliseconds Over which time they begin.
 * @property {number} milliseconds For how long new ones are begun.
 */

/**
 * @typedef {object} SoakOutcome
 * @property {number} streams
 * @property {number} most How many ran at once, at most.
 * @property {Readonly<Record<string, number>>} endings
 * @property {readonly (readonly [number: number, at: number])[]} hangUps The streams whose provider had to be hung
 *   up on, and since when.
 * @property {readonly {readonly number: number, readonly problem: string, readonly plan: string}[]} problems
 */

process.once("message", (/** @type {SoakOrder} */ order) => void run(order));

/** @param {SoakOrder} order */
async function run(order) {
  const outcome = await soak(order);
  closeConnections();
  process.send?.(outcome, () => process.exit());
}

/**
 * @param {SoakOrder} order
 * @returns {Promise<SoakOutcome>}
 */
async function soak({ url, script, first, streams, rampMilliseconds, milliseconds }) {
  const until = performance.now() + milliseconds;
  let next = first;
  let running = 0;
  let most = 0;
  /** @type {Record<string, number>} */
  const endings = {};
  /** @type {[number, number][]} */
  const hangUps = [];
  /** @type {{number: number, problem: string, plan: string}[]} */
  const problems = [];

  /** @param {number} delay */
  async function keepAsking(delay) {
    await sleep(delay);
    while (performance.now() < until) {
      running += 1;
      most = Math.max(most, running);
      const outcome = await runStream(url, script, next++);
      running -= 1;
      const { number, door, provider, fault, conduct } = outcome.plan;
      endings[outcome.ending] = (endings[outcome.ending] ?? 0) + 1;
      if (outcome.hungUpAt !== undefined) hangUps.push([number, outcome.hungUpAt]);
      const plan = `${door} <- ${provider}, ${fault}, ${conduct}`;
      for (const problem of outcome.problems) problems.push({ number, problem, plan });
    }
  }

  const delays = Array.from({ length: streams }, (_, index) => (index * rampMilliseconds) / streams);
  await Promise.all(delays.map(keepAsking));
  return { streams: next - first, most, endings, hangUps, problems };
}
