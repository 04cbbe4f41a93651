// @ts-check
import { LABELS } from "../gateway/catalogue.mjs";
import { drawBars } from "./bar-plot.mjs";
import { drawLines } from "./line-plot.mjs";

/**
 * A drawing of the page, with the words under it.
 *
 * @typedef {object} Plot
 * @property {import("../parts.mjs").PartName} part
 * @property {string} name Its file, without the folder and the ending.
 * @property {string} title
 * @property {string} caption
 * @property {string} svg
 */

/**
 * @typedef {import("./read-results.mjs").AllResults} AllResults
 * @typedef {import("./read-results.mjs").Figure} Figure
 * @typedef {import("./read-results.mjs").GatewayResults} GatewayResults
 */

/**
 * Draws whatever the results have figures for.
 *
 * @param {AllResults} results
 * @returns {readonly Plot[]}
 */
export function drawPlots({ parts }) {
  const stop = parts.get("stop");
  const gateway = /** @type {GatewayResults | undefined} */ (parts.get("gateway"));
  return [
    ...(stop === undefined ? [] : [plotStopStrings(stop.figures), plotTokens(stop.figures)]),
    ...plotBars("wire", parts, CLIENT_BARS),
    ...plotBars("gateway", parts, CHUNK_BARS),
    ...plotBars("gateway", parts, DELAY_BARS),
    ...(gateway === undefined ? [] : [plotStreams(gateway, STREAM_COSTS), plotStreams(gateway, STREAM_MEMORY)]),
    ...plotBars("llama", parts, ENGINE_BARS),
  ];
}

/**
 * The medians of those figures whose id is the stem, a number, and the end.
 *
 * @param {readonly Figure[]} figures
 * @param {string} stem
 * @param {string} [end]
 * @returns {readonly (readonly [x: number, y: number])[]}
 */
function pointsOf(figures, stem, end = "") {
  return figures.flatMap(({ id, nanoseconds }) => {
    const count = id.startsWith(stem) && id.endsWith(end) ? id.slice(stem.length, id.length - end.length) : "";
    return /^\d+$/u.test(count) && nanoseconds !== undefined ? [[Number(count), nanoseconds.median]] : [];
  });
}

/**
 * @param {readonly Figure[]} figures
 * @returns {Plot}
 */
function plotStopStrings(figures) {
  const title = "Time of a token, by the number of stop strings";
  return {
    part: "stop",
    name: "stop-strings",
    title,
    caption: "Random words are the worst kind: from a few hundred on, nearly every token ends in the beginning of one.",
    svg: drawLines({
      title,
      x: "stop strings",
      y: "nanoseconds a token",
      lines: [
        { label: "fullstop, random words", points: pointsOf(figures, "growth/words/"), isOwn: true },
        { label: "rolling buffer, the same", points: pointsOf(figures, "growth/words/", "/rolling-buffer") },
        { label: "fullstop, closing tags", points: pointsOf(figures, "growth/tags/"), isOwn: true },
      ],
    }),
  };
}

/**
 * @param {readonly Figure[]} figures
 * @returns {Plot}
 */
function plotTokens(figures) {
  const title = "Time of a token, by the length of the answer";
  return {
    part: "stop",
    name: "tokens",
    title,
    caption:
      "fullstop with every rule on, a new guard for each answer; beside it, four stop strings looked for in the whole answer after every token.",
    svg: drawLines({
      title,
      x: "tokens of an answer",
      y: "nanoseconds a token",
      lines: [
        { label: "fullstop, every rule", points: pointsOf(figures, "growth/tokens/"), isOwn: true },
        { label: "whole answer searched", points: pointsOf(figures, "growth/tokens/", "/whole-text") },
      ],
    }),
  };
}

/**
 * What is drawn of the gateway by the number of streams.
 *
 * @typedef {object} StreamPlot
 * @property {string} name
 * @property {string} title
 * @property {string} y
 * @property {(level: import("../gateway/growth.mjs").Level) => number} of
 */

/** @type {StreamPlot} */
const STREAM_COSTS = {
  name: "streams-processor",
  title: "Processor time of a chunk, by the streams open at once",
  y: "microseconds a chunk",
  of: ({ processorMicroseconds }) => processorMicroseconds,
};

/** @type {StreamPlot} */
const STREAM_MEMORY = {
  name: "streams-memory",
  title: "Most memory of the process, by the streams open at once",
  y: "mebibytes",
  of: ({ peakMebibytes }) => peakMebibytes,
};

/**
 * @param {GatewayResults} results
 * @param {StreamPlot} plot
 * @returns {Plot}
 */
function plotStreams({ growth, runsOn }, { name, title, y, of }) {
  const own = new Set(["fullstop", "fullstop-here"]);
  const lines = Object.entries(growth)
    .toSorted(([first], [second]) => Number(own.has(second)) - Number(own.has(first)))
    .map(([subject, levels]) => ({
      label: subject === "fullstop-here" ? `fullstop on ${majorOf(runsOn[subject])}` : labelOf(subject),
      points: levels.map((level) => /** @type {const} */ ([level.streams, of(level)])),
      isOwn: own.has(subject),
    }));
  const caption = `Chat Completions in front of Messages. All on ${majorOf(runsOn["fullstop"])} where nothing else is said.`;
  return {
    part: "gateway",
    name,
    title,
    caption,
    svg: drawLines({ title, x: "streams at once", y, lines }),
  };
}

/**
 * Figures as bars: those whose id begins with the stem, in a unit.
 *
 * @typedef {object} Bars
 * @property {string} name
 * @property {string} title
 * @property {string} caption
 * @property {string} unit
 * @property {string} stem
 * @property {(figure: Figure) => string} labelOf
 * @property {(nanoseconds: number) => number} toUnit
 */

/** @type {Bars} */
const CHUNK_BARS = {
  name: "gateway-chunk",
  title: "Processor time of a chunk, Chat Completions in front of Messages",
  caption: "Medians; the small line is where four rounds in five lie. nginx and the bare proxy translate nothing.",
  unit: "microseconds a chunk",
  stem: "stream/openai-chat/anthropic-messages/",
  labelOf: ({ label }) => label,
  toUnit: (nanoseconds) => nanoseconds / 1e3,
};

/** @type {Bars} */
const DELAY_BARS = {
  name: "gateway-delay",
  title: "From the provider's write of a chunk to the client's read",
  caption: "One stream, Chat Completions on both sides.",
  unit: "microseconds",
  stem: "delay/openai-chat/openai-chat/",
  labelOf: ({ label }) => label,
  toUnit: (nanoseconds) => nanoseconds / 1e3,
};

/** @type {Bars} */
const CLIENT_BARS = {
  name: "clients",
  title: "Reading a stream of Chat Completions, from the body to events",
  caption: "In chunks of 16 kB, where most of the time is the client's own.",
  unit: "nanoseconds an event",
  stem: "client/generated/openai-chat/16384",
  labelOf: ({ label }) => (label.startsWith("fullstop") ? "fullstop" : label.trim()),
  toUnit: (nanoseconds) => nanoseconds,
};

/** @type {Bars} */
const ENGINE_BARS = {
  name: "local-engine",
  title: "Pip on one thread, by the engine and by bare node-llama-cpp",
  caption: "The time of 1,000 tokens, so that less is better.",
  unit: "milliseconds for 1,000 tokens",
  stem: "",
  labelOf: ({ id, label }) => (id.startsWith("eight/") ? `8 together, ${label.split(",")[0]}` : label),
  toUnit: (nanoseconds) => nanoseconds / 1e6,
};

/**
 * @param {import("../parts.mjs").PartName} part
 * @param {AllResults["parts"]} parts
 * @param {Bars} settings
 * @returns {readonly Plot[]}
 */
function plotBars(part, parts, { name, title, caption, unit, stem, labelOf: nameOf, toUnit }) {
  const bars = (parts.get(part)?.figures ?? []).flatMap((figure) => {
    const { id, nanoseconds } = figure;
    if (!id.startsWith(stem) || nanoseconds === undefined) return [];
    const label = nameOf(figure);
    const [value, low, high] = [nanoseconds.median, nanoseconds.low, nanoseconds.high].map(toUnit);
    const isOwn = label.includes("fullstop") || label.includes("engine");
    return [{ label, value: value ?? 0, low: low ?? 0, high: high ?? 0, isOwn }];
  });
  return bars.length === 0 ? [] : [{ part, name, title, caption, svg: drawBars({ title, unit, bars }) }];
}

/**
 * @param {string} subject
 * @returns {string}
 */
function labelOf(subject) {
  return LABELS[/** @type {import("../gateway/subjects.mjs").SubjectName} */ (subject)];
}

/**
 * @param {string | undefined} program Such as "Node v24.21.0".
 * @returns {string}
 */
function majorOf(program = "Node") {
  return program.replace(/v(\d+).*/u, "$1");
}
