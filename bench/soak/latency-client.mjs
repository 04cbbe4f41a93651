// @ts-check

/**
 * The clients of the measurement of stops and leaves, in a process of their own: so many endless streams at once, one
 * of which at a time is stopped or left, and replaced by another.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { askForStream, closeConnections, send } from "./exchange.mjs";
import { now } from "./now.mjs";
import { DIALECTS } from "./plan.mjs";

/**
 * @typedef {object} LatencyOrder
 * @property {string} url
 * @property {"stop" | "leave" | "leave-early"} way
 * @property {number} streams How many run at once.
 * @property {number} pieceMilliseconds How often each of them gets a piece.
 * @property {number} times How many are stopped or left.
 * @property {number} every Milliseconds between two of them.
 */

/** @typedef {readonly {readonly model: string, readonly id: string, readonly at: number}[]} Ends */

process.once("message", (/** @type {LatencyOrder} */ order) => void run(order));

/** @param {LatencyOrder} order */
async function run(order) {
  const ends = await measure(order);
  closeConnections();
  process.send?.(ends, () => process.exit());
}

/**
 * @param {LatencyOrder} order
 * @returns {Promise<Ends>}
 */
async function measure({ url, way, streams, pieceMilliseconds, times, every }) {
  let next = 0;
  const open = (/** @type {string} */ kind) => {
    const number = next++;
    const model = `${kind}-${number}-${pieceMilliseconds}`;
    const door = DIALECTS[number % 4] ?? "openai-chat";
    const provider = DIALECTS[Math.floor(number / 4) % 4];
    return { model, stream: askForStream(url, door, `${provider}/${model}`, {}) };
  };
  const begin = async () => {
    const opened = open("endless");
    await opened.stream.firstPiece;
    return opened;
  };
  const running = await Promise.all(Array.from({ length: streams }, begin));
  // The machine gets used to the load before anything is measured.
  await sleep(2000);
  /** @type {{model: string, id: string, at: number}[]} */
  const ends = [];
  for (let count = 0; count < times; count += 1) {
    await sleep(every);
    if (way === "leave-early") {
      const { model, stream } = open("mute");
      await sleep(4 * every);
      ends.push({ model, id: "", at: now() });
      stream.leave();
      continue;
    }
    const oldest = running.shift();
    if (oldest === undefined) break;
    const id = String((await oldest.stream.head)?.headers["x-fullstop-generation-id"]);
    ends.push({ model: oldest.model, id, at: now() });
    if (way === "leave") oldest.stream.leave();
    else await send(`${url}/v1/generations/${id}/stop`, "POST", {});
    running.push(await begin());
  }
  for (const { stream } of running) stream.leave();
  await sleep(1000);
  return ends;
}
