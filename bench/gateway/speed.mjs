// @ts-check
import { writeAnswers } from "./answer.mjs";
import { openClient, readText } from "./client.mjs";
import { startMeter } from "./metering.mjs";
import { dialectOf, writeQuestion } from "./questions.mjs";

/**
 * Events come at the pace of a busy model, and not as fast as anybody can take them: a gateway that cannot keep up
 * finds several of them in one read, and would look the faster for it. At this pace the slowest subject is busy for
 * some two thirds of the time.
 */
export const STREAMS = 40;
export const PAUSE = 12;
const STREAM_TOKENS = { long: 200, short: 120 };

/**
 * How many events and requests a subject has had before anything counts: until then V8 still compiles, and more for
 * those who do more. Before each sample it has another burst, because others have run in between.
 */
const WARM_UP = { stream: 24_000, whole: 9_000 };
const WARM_UP_PAUSE = 2;

/**
 * Short answers, as many at a time as keep everybody busy. fullstop asks its providers for streams even then, because
 * its rules end an answer while it is written; it gets all of the stream at once.
 */
const REQUESTS = { long: 1500, short: 500 };
export const REQUEST_TOKENS = 10;
const CONNECTIONS = 32;

/** One stream, and time enough between its chunks that none waits for the one before. */
const STAMPS = { long: 200, short: 50 };
const STAMP_PAUSE = 8;

/**
 * @typedef {import("./subjects.mjs").Subject} Subject
 * @typedef {import("./catalogue.mjs").Task} Task
 * @typedef {import("../parts.mjs").Sampling} Sampling
 */

/**
 * What came of one task in one round.
 *
 * @typedef {object} Sample
 * @property {number} nanoseconds Of a chunk, the processor's or those it is late; of a request, those on the clock.
 * @property {number} processorMicroseconds Of a chunk or a request.
 * @property {number} perSecond
 * @property {number} busy The share of the time in which the subject's process was at work; threads add up.
 * @property {number} readsPerEvent How many reads the client needed for an event of the provider.
 */

/**
 * What is done with a subject.
 *
 * @typedef {object} Order
 * @property {Subject} subject
 * @property {Task} task
 * @property {number} upstreamPort
 * @property {Sampling} sampling
 */

/** @type {Readonly<Record<Task["kind"], (order: Order) => Promise<Sample>>>} */
export const MEASURES = { stream, whole, delay };

/**
 * Keeps a subject busy until the compiler has seen its code often enough: servers run for days, and what the first
 * seconds cost is nobody's. Events come faster than when they count, so that it takes less time.
 *
 * @param {Order} order
 * @param {"first" | "again"} time
 */
export async function warmUp(order, time) {
  const { kind } = order.task;
  if (kind === "delay") return;
  const size = kind === "stream" ? STREAMS * STREAM_TOKENS[order.sampling] : REQUESTS[order.sampling];
  const bursts = time === "first" ? Math.ceil(WARM_UP[kind] / size) : 1;
  for (let burst = 0; burst < bursts; burst++) {
    await (kind === "stream" ? stream(order, WARM_UP_PAUSE) : whole(order));
  }
}

/**
 * Many streams side by side.
 *
 * @param {Order} order
 * @param {number} [pause]
 * @returns {Promise<Sample>}
 */
async function stream({ subject, task, upstreamPort, sampling }, pause = PAUSE) {
  const tokens = STREAM_TOKENS[sampling];
  const answer = { model: `${tokens}-tokens-every-${pause}-ms`, stream: true };
  const question = writeQuestion(subject, task.route, answer, upstreamPort);
  const client = openClient();
  const meter = await startMeter(subject);
  const replies = await Promise.all(Array.from({ length: STREAMS }, () => client.ask(question)));
  const costs = await meter();
  client.close();
  for (const { body } of replies) check(subject, task, body, tokens);
  const events = STREAMS * framesOf(task, tokens);
  const reads = replies.reduce((total, reply) => total + reply.reads, 0);
  return {
    nanoseconds: (costs.processorMicroseconds * 1000) / events,
    processorMicroseconds: costs.processorMicroseconds / events,
    perSecond: (1000 * events) / costs.milliseconds,
    busy: costs.busy,
    readsPerEvent: reads / events,
  };
}

/**
 * One request after the other on each of some connections.
 *
 * @param {Order} order
 * @returns {Promise<Sample>}
 */
async function whole({ subject, task, upstreamPort, sampling }) {
  const requests = REQUESTS[sampling];
  const answer = { model: `${REQUEST_TOKENS}-tokens-every-0-ms`, stream: false };
  const question = writeQuestion(subject, task.route, answer, upstreamPort);
  const client = openClient();
  const meter = await startMeter(subject);
  /** @type {string[]} */
  const bodies = [];
  let asked = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (; asked < requests; bodies.push((await client.ask(question)).body)) asked += 1;
    }),
  );
  const costs = await meter();
  client.close();
  for (const body of bodies) check(subject, task, body, REQUEST_TOKENS);
  return {
    nanoseconds: (costs.milliseconds * 1e6) / requests,
    processorMicroseconds: costs.processorMicroseconds / requests,
    perSecond: (1000 * requests) / costs.milliseconds,
    busy: costs.busy,
    readsPerEvent: 1,
  };
}

/**
 * One stream whose chunks say when they were written.
 *
 * @param {Order} order
 * @returns {Promise<Sample>}
 */
async function delay({ subject, task, upstreamPort, sampling }) {
  const stamps = STAMPS[sampling];
  const answer = { model: `${stamps}-stamps-every-${STAMP_PAUSE}-ms`, stream: true };
  const question = writeQuestion(subject, task.route, answer, upstreamPort);
  const client = openClient();
  const meter = await startMeter(subject);
  /** @type {number[]} */
  const delays = [];
  await client.ask(question, (piece) => {
    const now = process.hrtime.bigint();
    for (const [, stamp = "0"] of piece.toString("latin1").matchAll(/t(\d{10,})/gu)) {
      delays.push(Number(now - BigInt(stamp)));
    }
  });
  const costs = await meter();
  client.close();
  if (delays.length !== stamps) throw new Error(`${subject.name} has passed ${delays.length} of ${stamps} chunks on`);
  const total = delays.reduce((sum, each) => sum + each, 0);
  return {
    nanoseconds: total / stamps,
    processorMicroseconds: costs.processorMicroseconds / stamps,
    perSecond: (1000 * stamps) / costs.milliseconds,
    busy: costs.busy,
    readsPerEvent: 1,
  };
}

/** @type {Map<number, import("./answer.mjs").Answers>} */
const answers = new Map();

/** @param {number} tokens */
function answersOf(tokens) {
  const known = answers.get(tokens) ?? writeAnswers(tokens);
  answers.set(tokens, known);
  return known;
}

/**
 * @param {Task} task
 * @param {number} tokens
 * @returns {number}
 */
function framesOf({ route }, tokens) {
  return answersOf(tokens).dialects[route.provider].frames.length;
}

/**
 * Refuses an answer that is not whole: nobody may be fast by saying less.
 *
 * @param {Subject} subject
 * @param {Task} task
 * @param {string} body
 * @param {number} tokens
 */
function check({ name }, { route }, body, tokens) {
  const text = readText(dialectOf(name, route), body);
  if (text !== answersOf(tokens).text) throw new Error(`${name} has changed the answer: ${body.slice(-500)}`);
}
