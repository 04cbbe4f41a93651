// @ts-check
import { setTimeout as sleep } from "node:timers/promises";
import { spreadOf } from "../statistics.mjs";
import { openStage } from "./processes.mjs";
import { runClient } from "./run-client.mjs";

/** @typedef {import("../statistics.mjs").Spread} Spread */

/**
 * Milliseconds until the provider's socket is closed, as the provider sees it.
 *
 * @typedef {object} LatencyFigures
 * @property {Spread} stop From the client's order to stop.
 * @property {Spread} stopInside The same within the gateway: from the request that came in to the socket that is gone.
 * @property {Spread} leave From the client's leaving in mid-stream.
 * @property {Spread} leaveEarly From the client's leaving before the first byte.
 * @property {number} unclosed How many were never closed.
 */

const STREAMS = 200;
/** Twenty pieces a second, which is about how fast people's models write. */
const PIECE_MILLISECONDS = 50;
/** How many are stopped or left, and before that, for what is compiled on the way. */
const SIZES = { long: { warmUp: 100, stops: 600, leaves: 300 }, short: { warmUp: 40, stops: 200, leaves: 100 } };
const EVERY = 10;

/**
 * Stops and leaves, while two hundred streams run.
 *
 * @param {string} directory
 * @param {import("./plan.mjs").Script} script
 * @param {Pick<import("../parts.mjs").Surroundings, "sampling" | "showProgress">} surroundings
 * @returns {Promise<LatencyFigures>}
 */
export async function measureLatency(directory, script, { sampling, showProgress }) {
  const { warmUp, stops: stopCount, leaves } = SIZES[sampling];
  const stage = await openStage(directory, script, {});
  const size = { url: stage.url, streams: STREAMS, pieceMilliseconds: PIECE_MILLISECONDS, every: EVERY };
  let unclosed = 0;

  const measure = async (/** @type {"stop" | "leave" | "leave-early"} */ way, /** @type {number} */ times) => {
    showProgress(`latency: ${way}`);
    await stage.upstream();
    await stage.notes();
    /** @type {import("./latency-client.mjs").Ends} */
    const ends = await runClient("latency-client.mjs", { ...size, way, times });
    await sleep(500);
    const { exchanges } = await stage.upstream();
    const { stops, closes } = await stage.notes();
    const exchangeOf = new Map(exchanges.map((exchange) => [exchange.model, exchange]));
    const stopOf = new Map(stops);
    const outside = [];
    const inside = [];
    for (const { model, id, at } of ends) {
      const exchange = exchangeOf.get(model);
      if (exchange === undefined) {
        unclosed += 1;
        continue;
      }
      outside.push(exchange.at - at);
      const began = stopOf.get(id);
      // A port may be used again later.
      const [, ended] = closes.find(([port, when]) => port === exchange.port && when >= (began ?? Infinity)) ?? [];
      if (began !== undefined && ended !== undefined) inside.push(ended - began);
    }
    return { outside: spreadOf(outside), inside: spreadOf(inside) };
  };

  await measure("stop", warmUp);
  const stop = await measure("stop", stopCount);
  const leave = await measure("leave", leaves);
  const leaveEarly = await measure("leave-early", leaves);
  await stage.close();
  return {
    stop: stop.outside,
    stopInside: stop.inside,
    leave: leave.outside,
    leaveEarly: leaveEarly.outside,
    unclosed,
  };
}
