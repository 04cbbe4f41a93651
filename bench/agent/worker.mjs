// @ts-check
import { defineAgentSettings, nextStep, repairHistory } from "fullstop/agent";
import { decide } from "fullstop/decide";
import { serveRounds } from "../rounds.mjs";
import { TURNS } from "./catalogue.mjs";
import { createBrokenHistory, createHistory, listDecisions, listSteps } from "./cases.mjs";
import { checkRun, runLong } from "./long-run.mjs";

/**
 * What a process is to do.
 *
 * @typedef {{subject: "decide" | "nextStep" | "repair" | "repairBroken"} | {subject: "run", turns: number}} Task
 */

/** @typedef {import("../rounds.mjs").Work<number>} Work Its result is a number that says whether it was done. */

/** How often a history is repaired in a pass: once is too short to be timed. */
const REPAIRS = 200;

serveRounds(prepare);

/**
 * @param {Task} task
 * @returns {Promise<Work>}
 */
async function prepare(task) {
  switch (task.subject) {
    case "decide":
      return prepareDecisions();
    case "nextStep":
      return prepareSteps();
    case "repair":
      return prepareRepair(createHistory());
    case "repairBroken":
      return prepareRepair(createBrokenHistory());
    default:
      return prepareRuns(task.turns);
  }
}

/**
 * As many runs as make up the longest one: were the samples of the short ones shorter, more of them would escape
 * whatever else the machine has to do, and the long runs would look slower than they are.
 *
 * @param {number} turns
 * @returns {Work}
 */
function prepareRuns(turns) {
  const items = Math.max(...TURNS);
  const pass = async () => {
    for (let done = 0; done < items; done += turns) checkRun(await runLong(turns), turns);
    return items;
  };
  return { pass, check: isSame(items), items };
}

/** @returns {Work} */
function prepareDecisions() {
  const cases = listDecisions();
  const pass = () => {
    let continued = 0;
    for (const { signal, context, policy } of cases) {
      if (decide(signal, context, policy).shouldContinue) continued += 1;
    }
    return continued;
  };
  return { pass, check: isSame(pass()), items: cases.length };
}

/** @returns {Work} */
function prepareSteps() {
  const cases = listSteps();
  const settings = defineAgentSettings();
  const pass = () => {
    let ended = 0;
    for (const { state, answer, decision } of cases) {
      if (nextStep(state, answer, decision, settings).type === "end") ended += 1;
    }
    return ended;
  };
  return { pass, check: isSame(pass()), items: cases.length };
}

/**
 * @param {readonly import("fullstop").Message[]} messages
 * @returns {Work}
 */
function prepareRepair(messages) {
  const pass = () => {
    let length = 0;
    for (let done = 0; done < REPAIRS; done++) length += repairHistory(messages).length;
    return length;
  };
  return { pass, check: isSame(repairHistory(messages).length * REPAIRS), items: REPAIRS };
}

/**
 * @param {number} expected
 * @returns {Work["check"]}
 */
function isSame(expected) {
  if (expected === 0) throw new Error("there is nothing to do");
  return (found) => {
    if (found !== expected) throw new Error(`found ${found} instead of ${expected}`);
  };
}
