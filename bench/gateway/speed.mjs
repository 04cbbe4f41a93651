// @ts-check
import { writeAnswers } from "./answer.mjs";
import { SECTIONS } from "./catalogue.mjs";
import { openClient, readText } from "./client.mjs";
import { writeQuestion } from "./questions.mjs";

/**
 * Events come at the pace of a busy model, and not as fast as anybody can take them: a gateway that cannot keep up
 * finds several of them in one read, and would look the faster for it. With 40 streams of an event every 8 ms the
 * slowest subject is busy half of the time, and the client needs a read for every event.
 */
export const STREAMS = 40;
export const STREAM_TOKENS = 200;
export const PAUSE = 8;

/**
 * Short answers, as many at a time as keep everybody busy. fullstop asks its providers for streams even then, because
 * its rules end an answer while it is written; it gets all of the stream at once.
 */
const REQUESTS = 1500;
export const REQUEST_TOKENS = 10;
const CONNECTIONS = 32;

/** The first ones warm up: the compiler has then seen everything often enough. */
const DROPPED_ROUNDS = 3;
const COUNTED_ROUNDS = 8;

/**
 * @typedef {import("./subjects.mjs").Subject} Subject
 * @typedef {import("./subjects.mjs").SubjectName} SubjectName
 * @typedef {import("./catalogue.mjs").Task} Task
 */

/**
 * What came of one task in one round.
 *
 * @typedef {object} Sample
 * @property {number} nanoseconds Of a chunk, the processor's; of a request, those on the clock.
 * @property {number} processorMicroseconds Of a chunk or a request.
 * @property {number} perSecond
 * @property {number} busy The share of the time in which the subject's process was at work; threads add up.
 * @property {number} readsPerEvent How many reads the client needed for an event of the provider.
 */

/** @typedef {ReadonlyMap<string, readonly Sample[]>} Samples By id. */

/**
 * Measures all tasks, interleaved.
 *
 * @param {ReadonlyMap<SubjectName, Subject>} subjects
 * @param {number} upstreamPort
 * @param {(progress: string) => void} showProgress
 * @returns {Promise<Samples>}
 */
export async function measureSpeed(subjects, upstreamPort, showProgress) {
  const entries = SECTIONS.flatMap((section) => section.entries);
  /** @type {Map<string, Sample[]>} */
  const samples = new Map(entries.map(({ id }) => [id, []]));
  for (let round = -DROPPED_ROUNDS; round < COUNTED_ROUNDS; round++) {
    for (let place = 0; place < entries.length; place++) {
      // The start moves on from round to round, so that nobody always follows the same neighbour.
      const entry = entries[(place + round + DROPPED_ROUNDS) % entries.length];
      const subject = subjects.get(entry?.task.subject ?? "bare");
      if (entry === undefined || subject === undefined) continue;
      showProgress(`round ${round + 1} of ${COUNTED_ROUNDS}: ${entry.id}`);
      const sample = await (entry.task.kind === "stream" ? stream : request)(subject, entry.task, upstreamPort);
      if (round >= 0) samples.get(entry.id)?.push(sample);
    }
  }
  return samples;
}

/**
 * Many streams side by side.
 *
 * @param {Subject} subject
 * @param {Task} task
 * @param {number} upstreamPort
 * @returns {Promise<Sample>}
 */
async function stream(subject, task, upstreamPort) {
  const answer = { model: `${STREAM_TOKENS}-tokens-every-${PAUSE}-ms`, stream: true };
  const question = writeQuestion(subject, task.route, answer, upstreamPort);
  const client = openClient();
  const meter = await startMeter(subject);
  const replies = await Promise.all(Array.from({ length: STREAMS }, () => client.ask(question)));
  const costs = await meter();
  client.close();
  for (const { body } of replies) check(subject, task, body, STREAM_TOKENS);
  const events = STREAMS * framesOf(task, STREAM_TOKENS);
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
 * @param {Subject} subject
 * @param {Task} task
 * @param {number} upstreamPort
 * @returns {Promise<Sample>}
 */
async function request(subject, task, upstreamPort) {
  const answer = { model: `${REQUEST_TOKENS}-tokens-every-0-ms`, stream: false };
  const question = writeQuestion(subject, task.route, answer, upstreamPort);
  const client = openClient();
  const meter = await startMeter(subject);
  /** @type {string[]} */
  const bodies = [];
  let asked = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (; asked < REQUESTS; bodies.push((await client.ask(question)).body)) asked += 1;
    }),
  );
  const costs = await meter();
  client.close();
  for (const body of bodies) check(subject, task, body, REQUEST_TOKENS);
  return {
    nanoseconds: (costs.milliseconds * 1e6) / REQUESTS,
    processorMicroseconds: costs.processorMicroseconds / REQUESTS,
    perSecond: (1000 * REQUESTS) / costs.milliseconds,
    busy: costs.busy,
    readsPerEvent: 1,
  };
}

/**
 * Takes the time and the processor's from here on.
 *
 * @param {Subject} subject
 */
async function startMeter({ costs }) {
  const before = await costs();
  const began = performance.now();
  return async () => {
    const milliseconds = performance.now() - began;
    const after = await costs();
    const processorMicroseconds = after.processorMicroseconds - before.processorMicroseconds;
    return { milliseconds, processorMicroseconds, busy: processorMicroseconds / 1000 / milliseconds };
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
  const text = readText(name === "bare" ? route.provider : route.client, body);
  if (text !== answersOf(tokens).text) throw new Error(`${name} has changed the answer: ${body.slice(-500)}`);
}
