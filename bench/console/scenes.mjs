// @ts-check
import { setTimeout as sleep } from "node:timers/promises";

/** @typedef {import("playwright-core").Page} Page */

/**
 * What kept a page busy, in milliseconds: every task of it that took over 50, which is what browsers tell of.
 *
 * @typedef {object} Busy
 * @property {readonly number[]} tasks
 * @property {number} seconds How long it was watched.
 */

/** How many generations run at once, and how often each of them writes something, in milliseconds. */
const ROWS = 2000;
const ROW_MILLISECONDS = 500;
/** How many are started together. */
const AT_ONCE = 50;
const WATCHED_MILLISECONDS = 10_000;

/** How long an answer is watched, in characters. A piece of eight comes every millisecond. */
const CHARACTERS = 100_000;

const MODEL = "openai-chat/endless";

/** From now on the page remembers its long tasks. */
const WATCH = `globalThis.longTasks = [];
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) globalThis.longTasks.push(duration);
}).observe({ type: "longtask" });`;

/** A task that has to be seen. */
const CONTROL_MILLISECONDS = 80;
const BUSY = `new Promise((resolve) => {
  setTimeout(() => {
    const end = performance.now() + ${CONTROL_MILLISECONDS};
    while (performance.now() < end);
    setTimeout(() => resolve(globalThis.longTasks), 500);
  });
})`;

/** How long the answer is so far. */
const WRITTEN = `document.querySelector(".answer-text")?.textContent.length ?? 0`;

/**
 * The live page, while all its rows change all the time.
 *
 * @param {Page} page
 * @param {string} url
 * @returns {Promise<Busy>}
 */
export async function watchRows(page, url) {
  for (let first = 0; first < ROWS; first += AT_ONCE) {
    const numbers = Array.from({ length: AT_ONCE }, (_, index) => first + index);
    await Promise.all(numbers.map((number) => start(url, `${MODEL}-${number}-${ROW_MILLISECONDS}`)));
  }
  await page.goto(`${url}/#/live`);
  await page.locator(".count").getByText(String(ROWS), { exact: true }).waitFor();
  return watch(page, () => sleep(WATCHED_MILLISECONDS));
}

/**
 * The playground, while a very long answer comes.
 *
 * @param {Page} page
 * @param {string} url
 * @returns {Promise<Busy>}
 */
export async function watchAnswer(page, url) {
  await page.goto(url);
  await page.locator("#model option").first().waitFor({ state: "attached" });
  await page.getByLabel("Model").selectOption("Another one…");
  await page.getByLabel("Its name").fill(`${MODEL}-0-1`);
  await page.getByLabel("Stop when it repeats itself").uncheck();
  await page.getByLabel("Message").fill("Go on");
  return watch(page, async () => {
    await page.getByLabel("Message").press("Enter");
    while ((await page.evaluate(WRITTEN)) < CHARACTERS) await sleep(500);
    await page.keyboard.press("Escape");
    await page.locator(".ending").waitFor();
  });
}

/**
 * @param {Page} page
 * @param {() => Promise<void>} act
 * @returns {Promise<Busy>}
 */
async function watch(page, act) {
  await page.evaluate(WATCH);
  const began = performance.now();
  await act();
  const seconds = (performance.now() - began) / 1000;
  const tasks = /** @type {number[]} */ (await page.evaluate("globalThis.longTasks"));
  // Nothing seen is good news only where something would have been.
  const control = /** @type {number[]} */ (await page.evaluate(BUSY));
  if (!control.slice(tasks.length).some((task) => task >= CONTROL_MILLISECONDS)) {
    throw new Error("the browser does not tell of long tasks");
  }
  return { tasks, seconds };
}

/**
 * Starts a generation that goes on without its reader.
 *
 * @param {string} url
 * @param {string} model
 */
async function start(url, model) {
  const messages = [{ role: "user", content: "Go on" }];
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model, messages, stream: true, fullstop: { onDisconnect: "continue" } }),
  });
  if (!response.ok) throw new Error(`the gateway has answered with ${response.status}: ${await response.text()}`);
  await response.body?.cancel();
}
