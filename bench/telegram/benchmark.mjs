// @ts-check
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { formatVerdicts } from "../report.mjs";
import { describeMachine, writeResults } from "../results.mjs";
import { measureStops, watchChats } from "./scenes.mjs";

const RESULTS = fileURLToPath(new URL("../results/telegram.json", import.meta.url));

/** What the longest of all stops may take, in milliseconds. */
const STOP = 50;

/** How far apart the edits of a chat are to be, in milliseconds, by the bot's clock. The server's differs a little. */
const PACE = 1_100;
const TOLERANCE = 20;

/**
 * The benchmark of the Telegram bot: how fast it stops, and what many chats at once are like.
 *
 * @param {import("../run.mjs").Surroundings} surroundings
 * @returns {Promise<string>} The file with all figures.
 */
export async function runTelegramBenchmark({ showProgress }) {
  const loadBefore = loadavg();
  const { processor, cores, node } = describeMachine();
  console.log(`${processor}, ${cores} cores, Node ${node}, load averages ${loadBefore.map(round).join(", ")}\n`);
  const stops = summarize(await measureStops(showProgress));
  showProgress("many chats");
  const chats = await watchChats();
  showProgress("");

  const verdicts = judge(stops, chats);
  console.log(formatScenes(stops, chats));
  console.log(formatVerdicts(verdicts));
  const loadAverages = { before: loadBefore, after: loadavg() };
  writeResults(RESULTS, [], new Map(), { loadAverages, stops, chats, verdicts });
  return RESULTS;
}

/**
 * @typedef {{count: number, p50: number, p99: number, longest: number}} StopFindings Milliseconds.
 */

/**
 * @param {readonly number[]} times
 * @returns {StopFindings}
 */
function summarize(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (/** @type {number} */ part) => sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), longest: at(1) };
}

/**
 * @param {StopFindings} stops
 * @param {import("./scenes.mjs").ChatFindings} chats
 * @returns {readonly import("../verdicts.mjs").Verdict[]}
 */
function judge(stops, chats) {
  return [
    {
      promise: `from /stop to the end of Pip's answer: at most ${STOP} ms`,
      found: `${round(stops.longest)} ms at the most of ${stops.count}`,
      outcome: stops.longest <= STOP ? "met" : "missed",
    },
    {
      promise: `${chats.chats} chats at once hold the pace of ${PACE} ms`,
      found: `${round(chats.shortestGap)} ms at the least`,
      outcome: chats.shortestGap >= PACE - TOLERANCE ? "met" : "missed",
    },
    {
      promise: `${chats.chats} chats at once lose no last message`,
      found: `${chats.whole} of ${chats.chats} whole`,
      outcome: chats.whole === chats.chats ? "met" : "missed",
    },
  ];
}

/**
 * @param {StopFindings} stops
 * @param {import("./scenes.mjs").ChatFindings} chats
 * @returns {string}
 */
function formatScenes({ count, p50, p99, longest }, { chats, edits, seconds, shortestGap, medianGap, longestFinal }) {
  return [
    `${count} times /stop while Pip writes: half within ${round(p50)} ms, 99 in 100 within ${round(p99)} ms, all within ${round(longest)} ms`,
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
