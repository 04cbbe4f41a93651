// @ts-check
import { spreadOf } from "../statistics.mjs";
import { judge } from "../verdicts.mjs";
import { measureStops, watchChats } from "./scenes.mjs";

/** What the longest of all stops may take, in milliseconds. */
const STOP = 50;

/** How far apart the edits of a chat are to be, in milliseconds, by the bot's clock. The server's differs a little. */
const PACE = 1_100;
const TOLERANCE = 20;

/**
 * The benchmark of the Telegram bot: how fast it stops, and what many chats at once are like.
 *
 * @param {import("../parts.mjs").Surroundings} surroundings
 * @returns {Promise<import("../parts.mjs").Findings>}
 */
export async function runTelegramBenchmark({ showProgress }) {
  const stops = spreadOf(await measureStops(showProgress));
  showProgress("many chats");
  const chats = await watchChats();
  const verdicts = judgeBot(stops, chats);
  return {
    sections: [],
    measurements: new Map(),
    verdicts,
    remarks: formatScenes(stops, chats),
    others: { stops, chats },
  };
}

/** @typedef {import("../statistics.mjs").Spread} StopFindings Milliseconds. */

/**
 * @param {StopFindings} stops
 * @param {import("./scenes.mjs").ChatFindings} chats
 * @returns {readonly import("../verdicts.mjs").Verdict[]}
 */
function judgeBot(stops, chats) {
  return [
    judge(
      `from /stop to the end of Pip's answer: at most ${STOP} ms`,
      `${round(stops.max)} ms at the most of ${stops.samples}`,
      stops.max <= STOP,
    ),
    judge(
      `${chats.chats} chats at once hold the pace of ${PACE} ms`,
      `${round(chats.shortestGap)} ms at the least`,
      chats.shortestGap >= PACE - TOLERANCE,
    ),
    judge(
      `${chats.chats} chats at once lose no last message`,
      `${chats.whole} of ${chats.chats} whole`,
      chats.whole === chats.chats,
    ),
  ];
}

/**
 * @param {StopFindings} stops
 * @param {import("./scenes.mjs").ChatFindings} chats
 * @returns {string}
 */
function formatScenes({ samples, p50, p99, max }, { chats, edits, seconds, shortestGap, medianGap, longestFinal }) {
  return [
    `${samples} times /stop while Pip writes: half within ${round(p50)} ms, 99 in 100 within ${round(p99)} ms, all within ${round(max)} ms`,
    `${chats} chats at once: ${edits} edits in ${round(seconds)} s, ${round(shortestGap)} ms apart at the least and ${round(medianGap)} ms at the median; the last state ${round(longestFinal)} ms after the end at the latest`,
    "",
  ].join("\n");
}

/**
 * @param {number} number
 * @returns {string}
 */
function round(number) {
  return number.toFixed(1);
}
