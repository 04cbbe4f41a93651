// @ts-check

/**
 * What is measured, and how often.
 *
 * @typedef {import("../report.mjs").Row & {task: import("./worker.mjs").Task, rounds?: number}} Entry
 */

/** A pass of so many turns takes so long that a few are enough. */
const RUN_ROUNDS = 8;

/** How many turns the long runs have. */
export const TURNS = [250, 500, 1000, 2000];

/** @type {readonly import("../report.mjs").Section<Entry>[]} */
export const SECTIONS = [
  {
    title: "What is pure",
    note: "15 endings by 3 confidences, 4 contents, 2 histories of attempts and 3 presets; 50 messages",
    entries: [
      { id: "decide", label: "decide", per: "call", task: { subject: "decide" } },
      { id: "next-step", label: "nextStep", per: "call", task: { subject: "nextStep" } },
      { id: "repair", label: "repairHistory, nothing to repair", per: "call", task: { subject: "repair" } },
      { id: "repair-broken", label: "repairHistory, three things", per: "call", task: { subject: "repairBroken" } },
    ],
  },
  {
    title: "Long runs",
    note: "each turn says a little and calls a tool whose result is new; the engine answers with the next event",
    entries: TURNS.map(runEntry),
  },
];

/**
 * @param {number} turns
 * @returns {Entry}
 */
function runEntry(turns) {
  const label = `${turns.toLocaleString("en")} turns`;
  /** @type {Entry} */
  const entry = { id: `run/${turns}`, label, per: "turn", task: { subject: "run", turns }, rounds: RUN_ROUNDS };
  return turns === TURNS[0] ? entry : Object.assign(entry, { beside: `run/${TURNS[0]}` });
}
