// @ts-check
import { setTimeout as sleep } from "node:timers/promises";
import { spreadOf } from "../statistics.mjs";
import { closeConnections, send } from "./exchange.mjs";
import { openStage } from "./processes.mjs";
import { runClient } from "./run-client.mjs";

/**
 * What the soak found.
 *
 * @typedef {object} SoakFigures
 * @property {number} streams
 * @property {number} most How many ran at once, at most.
 * @property {Readonly<Record<string, number>>} endings
 * @property {number} problemCount
 * @property {import("./soak-client.mjs").SoakOutcome["problems"]} problems The first of them.
 * @property {import("../statistics.mjs").Spread} hangUp Milliseconds from a stop or a leave to the provider's end of it.
 * @property {number} liveAfterwards Generations that run when nobody asks any more.
 * @property {number} upstreamSockets Connections that the provider still has then.
 * @property {import("./probe.mjs").ProcessState} before
 * @property {import("./probe.mjs").ProcessState} after
 * @property {number} peakResidentBytes
 */

const STREAMS = 2000;
/** Everything begins over some time: clients that all come in the same moment are another matter. */
const RAMP = 10_000;
/**
 * How long it goes on, how long the round before the first look at memory (what is made once and stays belongs to the
 * base), and how long generations are kept: so long that clients that have to wait for the processor still find what
 * they ask for.
 */
const TIMES = {
  long: { milliseconds: 60_000, warmUpMilliseconds: 15_000, keptMilliseconds: 30_000 },
  short: { milliseconds: 15_000, warmUpMilliseconds: 3000, keptMilliseconds: 6000 },
};
const WARM_UP = { streams: 1000, rampMilliseconds: 3000 };
/** Connections to a provider are kept for the next request for a few seconds. */
const SETTLE_MILLISECONDS = 8000;
const SHOWN_PROBLEMS = 20;

/**
 * Two thousand streams at once, with everything that can happen to them.
 *
 * @param {string} directory
 * @param {import("./plan.mjs").Script} script
 * @param {Pick<import("../parts.mjs").Surroundings, "sampling" | "showProgress">} surroundings
 * @returns {Promise<SoakFigures>}
 */
export async function runSoak(directory, script, { sampling, showProgress }) {
  const { milliseconds, warmUpMilliseconds, keptMilliseconds } = TIMES[sampling];
  const settleMilliseconds = keptMilliseconds + SETTLE_MILLISECONDS;
  const retention = { maxCount: 100_000, maxBytes: 2 ** 30, maxAgeMilliseconds: keptMilliseconds };
  const stage = await openStage(directory, script, retention);
  const order = { url: stage.url, script };
  showProgress("soak: warm-up");
  /** @type {import("./soak-client.mjs").SoakOutcome} */
  const warmUp = await runClient("soak-client.mjs", {
    ...order,
    ...WARM_UP,
    milliseconds: warmUpMilliseconds,
    first: 0,
  });
  await sleep(settleMilliseconds);
  await stage.upstream();
  const before = await stateOf(stage);

  let peakResidentBytes = 0;
  const watch = setInterval(() => (peakResidentBytes = Math.max(peakResidentBytes, stage.residentBytes())), 250);
  showProgress(`soak: ${STREAMS} streams`);
  const size = { streams: STREAMS, milliseconds, rampMilliseconds: RAMP };
  /** @type {import("./soak-client.mjs").SoakOutcome} */
  const outcome = await runClient("soak-client.mjs", { ...order, ...size, first: warmUp.streams });
  clearInterval(watch);
  await sleep(settleMilliseconds);
  const list = await send(`${stage.url}/v1/generations`, "GET");
  const { generations } = /** @type {{generations: readonly object[]}} */ (JSON.parse(list.text));
  closeConnections();
  await sleep(100);
  const { exchanges, sockets } = await stage.upstream();
  const after = await stateOf(stage);
  await stage.close();

  const ends = new Map(exchanges.map(({ model, at }) => [model, at]));
  const waits = outcome.hangUps.map(([number, at]) => Math.max(0, (ends.get(`plan-${number}`) ?? at) - at));
  return {
    streams: outcome.streams,
    most: outcome.most,
    endings: outcome.endings,
    problemCount: outcome.problems.length,
    problems: outcome.problems.slice(0, SHOWN_PROBLEMS),
    hangUp: spreadOf(waits),
    liveAfterwards: generations.length,
    upstreamSockets: sockets,
    before,
    after,
    peakResidentBytes,
  };
}

/**
 * What the gateway holds, without what was noted in its process on the way.
 *
 * @param {import("./processes.mjs").Stage} stage
 */
async function stateOf(stage) {
  await stage.notes();
  return stage.state();
}
