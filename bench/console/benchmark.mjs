// @ts-check
import { chromium } from "playwright-core";
import { openStage } from "../soak/processes.mjs";
import { judge } from "../verdicts.mjs";
import { watchAnswer, watchRows } from "./scenes.mjs";

/** What a task of the page may take at the most, in milliseconds: longer ones are felt. */
const TASK = 100;

/** The provider needs it, though nothing here is random. */
const SCRIPT = { seed: 1, pace: 1 };

/**
 * The benchmark of the console: whether the page stays smooth while very much goes on, in a real browser that shares
 * the machine with the gateway and its provider.
 *
 * @param {import("../parts.mjs").Surroundings} surroundings
 * @returns {Promise<import("../parts.mjs").Findings>}
 */
export async function runConsoleBenchmark({ directory, showProgress }) {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    showProgress("a long answer");
    const answer = await onStage(directory, browser, watchAnswer);
    showProgress("many rows");
    const rows = await onStage(directory, browser, watchRows);
    return {
      sections: [],
      measurements: new Map(),
      verdicts: [
        judgeScene("2,000 rows that change twice a second", rows),
        judgeScene("an answer of 100,000 characters, a thousand pieces a second", answer),
      ],
      remarks: `${describe("2,000 rows", rows)}\n${describe("a long answer", answer)}\n`,
      others: { rows, answer },
    };
  } finally {
    await browser.close();
  }
}

/**
 * @param {string} directory
 * @param {import("playwright-core").Browser} browser
 * @param {(page: import("playwright-core").Page, url: string) => Promise<Busy>} scene
 * @returns {Promise<Busy>}
 */
async function onStage(directory, browser, scene) {
  const stage = await openStage(directory, SCRIPT, {});
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const busy = await scene(page, stage.url);
    await page.close();
    return busy;
  } finally {
    await stage.close();
  }
}

/** @typedef {import("./scenes.mjs").Busy} Busy */

/**
 * @param {string} scene
 * @param {Busy} busy
 * @returns {import("../verdicts.mjs").Verdict}
 */
function judgeScene(scene, { tasks }) {
  const longest = Math.max(0, ...tasks);
  const found = longest === 0 ? "none over 50 ms" : `the longest took ${longest.toFixed(0)} ms`;
  return judge(`${scene}: no task of the page over ${TASK} ms`, found, longest <= TASK);
}

/**
 * @param {string} scene
 * @param {Busy} busy
 * @returns {string}
 */
function describe(scene, { tasks, seconds }) {
  const longest = tasks.length === 0 ? "" : `, ${Math.max(...tasks).toFixed(0)} ms the longest`;
  return `${scene}: ${tasks.length} tasks over 50 ms in ${seconds.toFixed(0)} s${longest}`;
}
