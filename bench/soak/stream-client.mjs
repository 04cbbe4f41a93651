// @ts-check
import { setTimeout as sleep } from "node:timers/promises";
import { checkAnswer, checkRest } from "./check-stream.mjs";
import { askForStream, send } from "./exchange.mjs";
import { now } from "./now.mjs";
import { planStream } from "./plan.mjs";
import { readAnswer } from "./read-answer.mjs";

/**
 * What came of one stream.
 *
 * @typedef {object} Outcome
 * @property {import("./plan.mjs").Plan} plan
 * @property {string} ending How it ended, in one word for the statistics.
 * @property {number | undefined} hungUpAt When it was stopped or left, so that its provider had to be hung up on.
 * @property {readonly string[]} problems
 */

/**
 * A client's part of the plan of one stream, and what is wrong with what it got.
 *
 * @param {string} url
 * @param {import("./plan.mjs").Script} script
 * @param {number} number
 * @returns {Promise<Outcome>}
 */
export async function runStream(url, script, number) {
  const plan = planStream(script, number);
  try {
    return { plan, ...(await carryOut(url, plan)) };
  } catch (error) {
    return { plan, ending: "broken", hungUpAt: undefined, problems: [`the connection broke: ${String(error)}`] };
  }
}

/**
 * @param {string} url
 * @param {import("./plan.mjs").Plan} plan
 * @returns {Promise<Omit<Outcome, "plan">>}
 */
async function carryOut(url, plan) {
  const { conduct, number, provider, door, after } = plan;
  const goesOn = conduct === "leave-running" || (conduct === "leave-early" && number % 2 === 0);
  const settings = { repetition: true, onDisconnect: goesOn ? "continue" : "stop" };
  const began = performance.now();
  const stream = askForStream(url, door, `${provider}/plan-${number}`, settings);
  const moment = async () => sleep(Math.max(0, began + after - performance.now()));

  if (conduct === "leave-early") {
    const isOver = await Promise.race([moment().then(() => false), stream.head.then(() => true)]);
    if (!isOver) {
      stream.leave();
      return { ending: "left early", hungUpAt: goesOn ? undefined : now(), problems: [] };
    }
  }
  const head = await stream.head;
  const id = String(head?.headers["x-fullstop-generation-id"]);
  const generation = `${url}/v1/generations/${id}`;

  if (conduct === "leave" || conduct === "leave-running") {
    await stream.firstPiece;
    const isOver = await Promise.race([moment().then(() => false), stream.end.then(() => true)]);
    if (!isOver) {
      stream.leave();
      const left = now();
      const got = readAnswer(door, stream.body());
      const { text } = await send(`${generation}/events`, "GET");
      const { reason, problems } = checkRest(plan, got, text, goesOn);
      return { ending: `left: ${reason}`, hungUpAt: reason === "cancelled" ? left : undefined, problems };
    }
  }
  const receipt =
    conduct === "stop" || conduct === "finish-sentence"
      ? await stopAt(Promise.race([moment(), stream.end]), generation, conduct)
      : undefined;
  const body = (await stream.end) ?? "";
  const { text } = await send(generation, "GET");
  const { reason, problems } = checkAnswer(plan, head, body, text, receipt?.text);
  // A stop at the end of the sentence has no moment that the client knows.
  const isStopped = reason === "cancelled" && conduct === "stop";
  return { ending: reason, hungUpAt: isStopped ? receipt?.sent : undefined, problems };
}

/**
 * @param {Promise<unknown>} moment
 * @param {string} generation
 * @param {string} mode
 * @returns {Promise<{readonly sent: number, readonly text: string}>}
 */
async function stopAt(moment, generation, mode) {
  await moment;
  const sent = now();
  const { text } = await send(`${generation}/stop`, "POST", { mode, reason: "soak" });
  return { sent, text };
}
