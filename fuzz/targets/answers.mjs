// @ts-check
import { isTerminationSignal } from "fullstop";
import { decodeAnyStream } from "fullstop/detect";
import { ANSWER_FORMATS, WIRE_FORMATS } from "fullstop/wire";
import { hashBytes } from "../random.mjs";
import { collect, cutsOfBytes, hold, holdSame, jsonOf, toText } from "../oracle.mjs";
import { ANSWER_SEEDS, ANSWER_WORDS } from "./answer-seeds.mjs";
import { awsFrame } from "../../packages/fullstop/test/support/aws-frame.mjs";
import { joinEvents, textsOf } from "./events.mjs";

/** @typedef {import("../oracle.mjs").Target} Target */
/** @typedef {import("fullstop").GenerationEvent} GenerationEvent */
/** @typedef {import("fullstop").TerminationSignal} TerminationSignal */
/** @typedef {import("fullstop/wire").WireFormatName} WireFormatName */

/**
 * Holds the events of one answer to what everybody relies on, and returns its finish.
 *
 * @param {readonly GenerationEvent[]} events
 * @returns {TerminationSignal}
 */
export function checkEvents(events) {
  const last = events.at(-1);
  hold(last?.type === "finish", "a finish comes last", events);
  hold(events.filter(({ type }) => type === "finish").length === 1, "there is one finish", events);
  hold(isTerminationSignal(last.signal), "the finish has a signal", last);
  const { message = "" } = last.signal;
  hold(message.length < 2000, "what people read is of bounded length", message.length);
  /** @type {Map<string, "open" | "ended">} */
  const calls = new Map();
  for (const event of events) {
    if (event.type === "tool-call-start") {
      hold(!calls.has(event.callId), "every call has an id of its own", event);
      calls.set(event.callId, "open");
    } else if (event.type === "tool-call-delta" || event.type === "tool-call-end") {
      hold(calls.get(event.callId) === "open", "a call's pieces come within it", event);
      if (event.type === "tool-call-end") calls.set(event.callId, "ended");
    } else if (event.type === "text" || event.type === "reasoning") {
      hold(typeof event.text === "string", "text is text", event);
    } else if (event.type === "citation") {
      const { start = 0, end = 1 } = event;
      hold(Number.isSafeInteger(start) && start >= 0 && end > start, "a citation has a place", event);
    } else if (event.type === "usage") {
      const { inputTokens, outputTokens } = event.usage;
      hold(
        [inputTokens, outputTokens].every((count) => Number.isFinite(count) && count >= 0),
        "counts are counts",
        event,
      );
    }
  }
  return last.signal;
}

/**
 * Writes an answer in every dialect, whole and as a stream, and reads it again: the text and the ending stay.
 *
 * @param {readonly GenerationEvent[]} events
 * @param {TerminationSignal} signal
 */
function checkWriting(events, signal) {
  // A call that has no name is none in Chat, where its arguments are missing in another one then.
  if (events.some((event) => event.type === "tool-call-start" && event.name === "")) return;
  // Half a character, which only an escape in JSON can hold, is written as the sign for one that is missing.
  const text = textsOf(events).text.toWellFormed();
  for (const format of Object.values(WIRE_FORMATS)) {
    const frames = collect(format.encodeStream({ id: "a", model: "m" }), events);
    const again = collect(format.decodeStream(), [Buffer.from(frames.join(""))]);
    holdSame(textsOf(again).text.toWellFormed(), text, `${format.name} keeps the text of a stream`);
    holdSame(checkEvents(again).reason, signal.reason, `${format.name} keeps how a stream ended`);
    const { status, body } = format.encodeResponse(events, { id: "a", model: "m" });
    const whole = format.decodeResponse(JSON.parse(JSON.stringify(body)), { status });
    holdSame(checkEvents(whole).reason, signal.reason, `${format.name} keeps how an answer ended`);
    if (status === 200 && signal.reason !== "error_termination") {
      holdSame(sourcesOf(whole), sourcesOf(again), `${format.name} quotes the same in a stream and as a whole`);
    }
  }
}

/**
 * The addresses that are quoted.
 *
 * @param {readonly GenerationEvent[]} events
 */
function sourcesOf(events) {
  return [...new Set(events.flatMap((event) => (event.type === "citation" ? (event.url ?? []) : [])))].sort();
}

/**
 * @param {WireFormatName} name
 * @returns {Target}
 */
function answerTarget(name) {
  const format = ANSWER_FORMATS[name];
  return {
    name: `answer-${name}`,
    files: new RegExp(
      `fullstop/dist/wire/(?:${name}/decode-(?:answer|calls|citations|item|output|usage|partial)|reading|framing)`,
      "u",
    ),
    seeds: ANSWER_SEEDS[name],
    words: ANSWER_WORDS,
    run(input) {
      const bytes = name === "bedrock-converse" ? toFrames(input) : input;
      const events = collect(format.decodeStream(), [bytes]);
      const signal = checkEvents(events);
      const joined = joinEvents(events);
      for (const pieces of cutsOfBytes(bytes)) {
        holdSame(joinEvents(collect(format.decodeStream(), pieces)), joined, "cuts do not matter");
      }
      checkEvents(collect(format.decodeStream({ status: 500, choice: 1, hadStopStrings: true }), [bytes]));
      const document = jsonOf(toText(bytes).replace(/^\uFEFF/u, ""));
      if (typeof document === "object" && document !== null && !Array.isArray(document)) {
        const whole = format.decodeResponse(document);
        const { reason, detail } = checkEvents(whole);
        holdSame(
          joinEvents(whole).slice(0, -1),
          joined.slice(0, -1),
          "a document says the same when it comes in bytes",
        );
        // Bytes that hold no ending may be half an answer, whereas a value that somebody hands over is all there is.
        const isOpen = signal.detail === "truncated" && reason === "unknown";
        if (!isOpen) holdSame([reason, detail], [signal.reason, signal.detail], "a document ends the same in bytes");
      } else if (document !== undefined) checkEvents(format.decodeResponse(document));
      // The writing takes several times as long as the reading, so only some inputs go through it.
      if (hashBytes(input) % 4 === 0) checkWriting(events, signal);
      return `${signal.reason}/${signal.detail ?? ""}/${[...new Set(events.map(({ type }) => type))].join()}`.slice(
        0,
        120,
      );
    },
  };
}

/**
 * Lines of JSON, each under the name of its event, as frames with checksums: mutations would never get past those.
 *
 * @param {Uint8Array} input
 */
function toFrames(input) {
  const text = toText(input);
  if (/^\s*\{/u.test(text)) return input;
  const frames = text.split("\n").map((line) => {
    const { event = "", json = "" } = /^(?<event>\w*) ?(?<json>.*)$/su.exec(line)?.groups ?? {};
    const kind = event.endsWith("Exception") ? "exception" : "event";
    return awsFrame({ ":message-type": kind, [`:${kind}-type`]: event.slice(0, 100) }, json);
  });
  return new Uint8Array(Buffer.concat(frames));
}

/** @type {Target} */
const anyFormat = {
  name: "answer-any",
  files: /fullstop\/dist\/detect\/(?:any-format|recognise)\.js$/u,
  seeds: Object.values(ANSWER_SEEDS).flatMap((seeds) => seeds.slice(0, 3)),
  words: ANSWER_WORDS,
  run(input) {
    /** @type {string[]} */
    const formats = [];
    const read = (/** @type {readonly Uint8Array[]} */ pieces) =>
      joinEvents(collect(decodeAnyStream({ onFormat: (format) => formats.push(format) }), pieces));
    const events = read([input]);
    checkEvents(events);
    for (const pieces of cutsOfBytes(input)) holdSame(read(pieces), events, "cuts do not matter");
    hold(new Set(formats).size === 1, "the dialect does not depend on cuts", formats);
    return formats[0];
  },
};

/** The decoders of all dialects, and the one that finds out which it is. */
export const ANSWER_TARGETS = [
  .../** @type {WireFormatName[]} */ (Object.keys(ANSWER_FORMATS)).map((name) => answerTarget(name)),
  anyFormat,
];
