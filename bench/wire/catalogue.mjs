// @ts-check
import { slowestOf } from "./bodies.mjs";

/**
 * One row: what is measured and on what.
 *
 * @typedef {import("../report.mjs").Row & {task: import("./worker.mjs").Task}} Entry
 * @typedef {import("../report.mjs").Section<Entry>} Section
 * @typedef {import("./streams.mjs").Stream} Stream
 * @typedef {import("./chunks.mjs").Cut} Cut
 * @typedef {import("../parts.mjs").Sampling} Sampling
 */

/**
 * How streams are cut. The short run leaves out what lies between.
 *
 * @type {Readonly<Record<Sampling, readonly Cut[]>>}
 */
const CUTS = { long: ["event", 1024, 16_384], short: ["event", 16_384] };

/**
 * What of it clients are measured on: a recorded stream in the one cut that costs most, which is enough to tell that
 * the generated ones are no special case.
 *
 * @type {Readonly<Record<Stream["origin"], (sampling: Sampling) => readonly Cut[]>>}
 */
const CLIENT_CUTS = { generated: (sampling) => CUTS[sampling], recorded: () => ["event"] };

/** @type {Readonly<Record<Sampling, readonly string[]>>} */
const SSE_STREAMS = {
  long: ["generated/openai-chat", "generated/anthropic-messages"],
  short: ["generated/openai-chat"],
};

/**
 * The clients that read a dialect, beside our own.
 *
 * @type {Readonly<Partial<Record<import("./streams.mjs").FormatName, readonly Client[]>>>}
 *
 * @typedef {object} Client
 * @property {import("./worker.mjs").SubjectName} subject
 * @property {string} label
 * @property {boolean} isPromised Whether a promise is made about it.
 */
export const CLIENTS = {
  "openai-chat": [
    { subject: "openaiSdkChat", label: "openai", isPromised: true },
    { subject: "aiSdkOpenaiChat", label: "@ai-sdk/openai, chat", isPromised: true },
    { subject: "llmBridgeClient", label: "llm-bridge", isPromised: false },
  ],
  "openai-responses": [
    { subject: "openaiSdkResponses", label: "openai", isPromised: true },
    { subject: "aiSdkOpenaiResponses", label: "@ai-sdk/openai, responses", isPromised: true },
    { subject: "llmBridgeClient", label: "llm-bridge", isPromised: false },
  ],
  "anthropic-messages": [
    { subject: "anthropicSdk", label: "@anthropic-ai/sdk, events", isPromised: false },
    { subject: "anthropicSdkHelper", label: "@anthropic-ai/sdk, messages.stream()", isPromised: false },
    { subject: "aiSdkAnthropic", label: "@ai-sdk/anthropic", isPromised: true },
    { subject: "llmBridgeClient", label: "llm-bridge", isPromised: false },
  ],
};

/**
 * Lists what is measured, for the streams and bodies that there are. The short run leaves recorded streams out.
 *
 * @param {readonly Stream[]} all
 * @param {Readonly<Record<"generated" | "recorded", readonly import("./bodies.mjs").Body[]>>} bodies
 * @param {Sampling} sampling
 * @returns {readonly Section[]}
 */
export function listSections(all, bodies, sampling) {
  const streams = sampling === "short" ? all.filter(({ origin }) => origin === "generated") : all;
  const written = streams.filter(({ format, origin }) => origin === "generated" && format !== "ollama-chat");
  return [
    ...streams.map((stream) => decodeSection(stream, sampling)),
    encodeSection(written),
    ...streams.filter(({ format }) => format in CLIENTS).map((stream) => clientSection(stream, sampling)),
    ...streams
      .filter(({ format }) => format === "anthropic-messages")
      .map((stream) => transcodeSection(stream, sampling)),
    detectSection(bodies, sampling),
    ...streams.filter(({ id }) => SSE_STREAMS[sampling].includes(id)).map((stream) => sseSection(stream, sampling)),
  ];
}

/**
 * @param {Stream} stream
 * @param {Sampling} sampling
 * @returns {Section}
 */
function decodeSection(stream, sampling) {
  return {
    title: `Decoding ${stream.format}, ${stream.origin}`,
    note: `${describeStream(stream)}; the floor is TextDecoder, split into lines, JSON.parse`,
    entries: CUTS[sampling].flatMap((cut) => {
      const id = `decode/${stream.id}/${cut}`;
      return [
        streamEntry({ id: `${id}/floor`, label: `floor, ${describeCut(cut)}` }, "floor", stream, cut),
        streamEntry({ id, label: "  fullstop", beside: `${id}/floor` }, "decode", stream, cut),
      ];
    }),
  };
}

/**
 * @param {Stream} stream
 * @param {Sampling} sampling
 * @returns {Section}
 */
function clientSection(stream, sampling) {
  return {
    title: `Clients for ${stream.format}, ${stream.origin}`,
    note: `${describeStream(stream)}; fetch's body in, for await out; ratio to fullstop`,
    entries: CLIENT_CUTS[stream.origin](sampling).flatMap((cut) => {
      const id = `client/${stream.id}/${cut}`;
      const clients = (CLIENTS[stream.format] ?? []).map(({ subject, label }) =>
        streamEntry({ id: `${id}/${subject}`, label: `  ${label}`, beside: id }, subject, stream, cut),
      );
      const own = streamEntry({ id, label: `fullstop, ${describeCut(cut)}` }, "fullstopClient", stream, cut);
      const body = { id: `${id}/body`, label: "  the body's chunks, unread", beside: id };
      return [own].concat(clients, streamEntry(body, "bodyOnly", stream, cut));
    }),
  };
}

/**
 * @param {Stream} stream
 * @param {Sampling} sampling
 * @returns {Section}
 */
function transcodeSection(stream, sampling) {
  return {
    title: `Anthropic in, Chat Completions out, ${stream.origin}`,
    note: `${describeStream(stream)}; the floor reads Anthropic's bytes and writes nothing`,
    entries: CUTS[sampling].flatMap((cut) => {
      const id = `transcode/${stream.id}/${cut}`;
      const beside = `${id}/floor`;
      return [
        streamEntry({ id: beside, label: `floor, ${describeCut(cut)}` }, "floor", stream, cut),
        streamEntry({ id, label: "  fullstop", beside }, "transcode", stream, cut),
        streamEntry({ id: `${id}/bytes`, label: "  fullstop, as bytes", beside }, "transcodeToBytes", stream, cut),
        streamEntry({ id: `${id}/peer`, label: "  llm-bridge, as bytes", beside }, "llmBridgeTranscode", stream, cut),
      ];
    }),
  };
}

/**
 * @param {readonly Stream[]} streams
 * @returns {Section}
 */
function encodeSection(streams) {
  return {
    title: "Encoding",
    note: "events in, frames out; the floor is JSON.stringify of values that are there already",
    entries: streams.flatMap((stream) => {
      const id = `encode/${stream.format}`;
      const beside = `${id}/floor`;
      return [
        streamEntry({ id: beside, label: `floor, ${stream.format}` }, "encodeFloor", stream, "event"),
        streamEntry({ id, label: "  fullstop", beside }, "encode", stream, "event"),
      ];
    }),
  };
}

/**
 * @param {Readonly<Record<"generated" | "recorded", readonly import("./bodies.mjs").Body[]>>} bodies
 * @param {Sampling} sampling
 * @returns {Section}
 */
function detectSection({ generated, recorded }, sampling) {
  const entries = generated.flatMap(({ name }) => {
    const entry = bodyEntry(`detect/${name}`, name, "detector", [name]);
    const byProvider = bodyEntry(`detect/${name}/registry`, "  by the provider's id", "registry", [name]);
    return sampling === "short" ? [entry] : [entry, byProvider];
  });
  const names = recorded.map(({ name }) => name);
  if (names.length > 0) {
    entries.push(
      bodyEntry("detect/recorded", `${names.length} recorded ones in turn`, "detector", names),
      bodyEntry("detect/recorded/registry", "  by the provider's id", "registry", names),
      ...slowestOf(recorded).map((name, place) =>
        bodyEntry(`detect/recorded/slowest/${place}`, `  slowest of them, no. ${place + 1}`, "detector", [name]),
      ),
    );
  }
  return { title: "Detecting how an answer ended", note: "whole answers, parsed", entries };
}

/**
 * @param {Stream} stream
 * @param {Sampling} sampling
 * @returns {Section}
 */
function sseSection(stream, sampling) {
  return {
    title: `Reading events, ${stream.format}`,
    note: `${describeStream(stream)}; bytes in, the text of each event out`,
    entries: CUTS[sampling].flatMap((cut) => {
      const id = `sse/${stream.id}/${cut}`;
      const label = `decodeSse, ${describeCut(cut)}`;
      return [
        streamEntry({ id, label }, "fullstopSse", stream, cut),
        streamEntry({ id: `${id}/peer`, label: "  eventsource-parser", beside: id }, "eventsourceParser", stream, cut),
      ];
    }),
  };
}

/**
 * @param {Omit<import("../report.mjs").Row, "per">} row
 * @param {import("./worker.mjs").SubjectName} subject
 * @param {Stream} stream
 * @param {Cut} cut
 * @returns {Entry}
 */
function streamEntry(row, subject, stream, cut) {
  return { ...row, per: "event", task: { subject, stream, cut } };
}

/**
 * @param {string} id
 * @param {string} label
 * @param {import("./worker.mjs").SubjectName} subject
 * @param {readonly string[]} bodies
 * @returns {Entry}
 */
function bodyEntry(id, label, subject, bodies) {
  return { id, label, per: "body", task: { subject, bodies } };
}

/**
 * @param {Stream} stream
 * @returns {string}
 */
function describeStream({ events, bytes }) {
  return `${events.toLocaleString("en")} events in ${(bytes / 1000).toFixed(0)} kB`;
}

/**
 * @param {Cut} cut
 * @returns {string}
 */
export function describeCut(cut) {
  return cut === "event" ? "one event a chunk" : `${cut / 1024} kB chunks`;
}
