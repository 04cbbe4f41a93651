// @ts-check
import { setTimeout as sleep } from "node:timers/promises";
import { CHAT_TO_MESSAGES } from "./catalogue.mjs";
import { openClient } from "./client.mjs";
import { startMeter } from "./metering.mjs";
import { writeQuestion } from "./questions.mjs";
import { startSubject } from "./subjects.mjs";

/**
 * What a subject costs while so many streams are open.
 *
 * @typedef {object} Level
 * @property {number} streams
 * @property {number} processorMicroseconds Of a chunk.
 * @property {number} peakMebibytes The most memory that its process has had so far.
 */

/**
 * @typedef {import("./subjects.mjs").SubjectName} SubjectName
 * @typedef {Readonly<Partial<Record<SubjectName, readonly Level[]>>>} GrowthFigures
 */

/** @type {readonly SubjectName[]} */
const SUBJECTS = ["nginx", "bare", "portkey", "ai-sdk", "fullstop", "fullstop-here"];

/** From few to many, because the most memory that a process has had never becomes less. */
const LEVELS = { long: [1, 10, 100, 500, 1000, 2000], short: [1, 10, 100, 500, 2000] };

/** A first level, which does not count, for the compiler to see everything often enough. */
const WARM_UP_STREAMS = 40;

/** However many streams there are, together they have so many events a second: more would only wait for each other. */
const EVENTS_PER_SECOND = 2500;
const SHORTEST_PAUSE = 8;
/** How long is measured when all streams run: as many steps as make up this, two at least. */
const WINDOW_MILLISECONDS = { long: 4000, short: 1200 };
/** Streams begin some at a time: a server that gets two thousand connections in one moment refuses some of them. */
const OPENED_AT_ONCE = 100;
const OPENING_PAUSE = 50;
/** What the end of many streams costs does not belong to the next level. */
const SETTLE_MILLISECONDS = 150;
/** More than anybody needs to open all streams. */
const OPENING_MILLISECONDS = 20_000;

/**
 * Lets each subject, freshly started, serve more and more streams at once.
 *
 * @param {readonly SubjectName[]} present
 * @param {import("./subjects.mjs").Place} place
 * @param {Pick<import("../parts.mjs").Surroundings, "sampling" | "showProgress">} surroundings
 * @returns {Promise<GrowthFigures>}
 */
export async function measureGrowth(present, place, { sampling, showProgress }) {
  /** @type {Partial<Record<SubjectName, readonly Level[]>>} */
  const figures = {};
  for (const name of SUBJECTS.filter((each) => present.includes(each))) {
    const subject = await startSubject(name, place);
    /** @type {Level[]} */
    const levels = [];
    try {
      for (const streams of [WARM_UP_STREAMS, ...LEVELS[sampling]]) {
        showProgress(`${streams} streams through ${name}`);
        levels.push(await measureLevel(subject, streams, place.upstreamPort, WINDOW_MILLISECONDS[sampling]));
      }
    } catch (error) {
      // How far somebody came is a finding too.
      console.log(`${name} came no further than ${levels.at(-1)?.streams ?? 0} streams at once: ${String(error)}\n`);
    } finally {
      await subject.stop();
    }
    figures[name] = levels.slice(1);
  }
  return figures;
}

/**
 * @param {import("./subjects.mjs").Subject} subject
 * @param {number} streams
 * @param {number} upstreamPort
 * @param {number} leastWindow
 * @returns {Promise<Level>}
 */
async function measureLevel(subject, streams, upstreamPort, leastWindow) {
  const pause = Math.max(SHORTEST_PAUSE, Math.round((1000 * streams) / EVENTS_PER_SECOND));
  const window = pause * Math.max(2, Math.ceil(leastWindow / pause));
  const tokens = Math.ceil((OPENING_MILLISECONDS + window) / pause);
  const answer = { model: `${tokens}-tokens-every-${pause}-ms`, stream: true };
  const question = writeQuestion(subject, CHAT_TO_MESSAGES, answer, upstreamPort);
  const client = openClient();
  let opened = 0;
  let events = 0;
  /** @type {Promise<unknown>[]} */
  const ended = [];
  /** @type {() => void} */
  let isOpen = ignore;
  const allOpen = new Promise((resolve) => {
    isOpen = () => resolve(undefined);
  });
  for (let stream = 0; stream < streams; stream++) {
    let isFirst = true;
    const reply = client.ask(question, (piece) => {
      if (isFirst && ++opened === streams) isOpen();
      isFirst = false;
      events += countEvents(piece);
    });
    // Looked at below, when all have been asked.
    reply.catch(ignore);
    ended.push(reply);
    if (stream % OPENED_AT_ONCE === OPENED_AT_ONCE - 1) await sleep(OPENING_PAUSE);
  }
  const failed = Promise.race(ended).then(() => {
    throw new Error(`an answer has ended before all ${streams} were open`);
  });
  failed.catch(ignore);
  await Promise.race([allOpen, failed]);
  const meter = await startMeter(subject);
  const before = events;
  await Promise.race([sleep(window), failed]);
  const seen = events - before;
  const { processorMicroseconds } = await meter();
  const { peakResidentBytes } = await subject.costs();
  client.close();
  // Closed by us, in the middle.
  await Promise.allSettled(ended);
  await sleep(SETTLE_MILLISECONDS);
  return {
    streams,
    processorMicroseconds: processorMicroseconds / seen,
    peakMebibytes: peakResidentBytes / 2 ** 20,
  };
}

/** What is known already. */
function ignore() {}

/**
 * @param {Buffer} piece
 * @returns {number}
 */
function countEvents(piece) {
  let count = 0;
  for (let at = piece.indexOf("\n\n"); at >= 0; at = piece.indexOf("\n\n", at + 2)) count += 1;
  return count;
}
