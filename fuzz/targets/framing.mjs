// @ts-check
import { decodeNdjson, decodeSse } from "fullstop/wire";
import { createUtf8Decoder } from "fullstop";
import { TextDecoding } from "../../packages/fullstop/dist/wire/framing/text-decoding.js";
import { JsonScanner, isJsonObject } from "../../packages/fullstop/dist/llama/json-scanner.js";
import { canonicalJson } from "../../packages/fullstop/dist/agent/canonical-json.js";
import { AwsFrameReader } from "../../packages/fullstop/dist/wire/bedrock-converse/aws-frames.js";
import { httpAnswer } from "./http-answer.mjs";
import { collect, cutsOfBytes, cutsOfText, hold, holdSame, jsonOf, toText } from "../oracle.mjs";
import { awsFrame } from "../../packages/fullstop/test/support/aws-frame.mjs";

/** @typedef {import("../oracle.mjs").Target} Target */

/**
 * Server-sent events, read off the text with no cleverness at all.
 *
 * @param {string} text
 */
function plainSse(text) {
  const events = [];
  /** @type {string[]} */
  let data = [];
  let event = "";
  /** @type {string | undefined} */
  let id;
  const lines = text.replace(/^\uFEFF/u, "").split(/\r\n|\r|\n/u);
  for (const [index, line] of lines.entries()) {
    const isEnd = line === "" || index === lines.length - 1;
    const { name, value = "" } = /^(?<name>[^:]*)(?:: ?(?<value>.*))?$/su.exec(line)?.groups ?? {};
    if (line !== "" && name === "data") data.push(value);
    if (line !== "" && name === "event") event = value;
    if (line !== "" && name === "id" && !value.includes("\0")) id = value;
    if (!isEnd) continue;
    if (data.length > 0) events.push({ event, data: data.join("\n"), ...(id !== undefined && { id }) });
    data = [];
    event = "";
    id = undefined;
  }
  return events;
}

/** @type {Target} */
const sse = {
  name: "sse",
  files: /fullstop\/dist\/wire\/framing\/(?:sse|pieces|read-text|text-decoding)\.js$/u,
  seeds: [
    "event: message\ndata: {}\nid: 3\n\n",
    "data:a\r\ndata: b\r\n\r\ndata: c\r\r: comment\n\nretry: 10\nid: x\0y\ndata\n\n",
    "\uFEFFdata: é😀\n\ndata: half",
    "stray\nevent:\ndatas: no\ndata: yes\n\n",
  ],
  words: ["data", "data:", "data: ", "event: ", "id: ", "retry: ", ": ", "[DONE]"],
  run(input) {
    const events = collect(decodeSse(), [input]);
    holdSame(events, plainSse(toText(input)), "events are those of the standard");
    for (const pieces of cutsOfBytes(input)) holdSame(collect(decodeSse(), pieces), events, "cuts do not matter");
    const bounded = collect(decodeSse({ maxEventSize: 16 }), [input]);
    hold(
      bounded.every(({ data }) => data.length <= 16),
      "no event is larger than the limit",
      bounded,
    );
    for (const pieces of cutsOfBytes(input)) {
      holdSame(collect(decodeSse({ maxEventSize: 16 }), pieces), bounded, "cuts do not matter to the limit");
    }
    return events.length > 3 ? "many" : String(events.length);
  },
};

/** @type {Target} */
const ndjson = {
  name: "ndjson",
  files: /fullstop\/dist\/wire\/framing\/(?:json-values|pieces)\.js$/u,
  seeds: [
    '{"a":1}\n{"b":"\\"}"}\r\n',
    '[{"a":[1,{}]},\n{"b":2}]',
    '{\n "a": {"b": [1, 2]}\n}{"c":null} noise {"d":"é😀"}',
    '{"a":"}\\\\"}\n{"open": [',
    '{]}\n{"a":1,}\n{"b":2}',
  ],
  words: ['{"', '"}', "},{", "]}", "[{", '\\"', '{"a":1}\n'],
  run(input) {
    const values = collect(decodeNdjson(), [input]);
    hold(
      values.every((value) => typeof value === "object" && value !== null && !Array.isArray(value)),
      "every value is an object",
      values,
    );
    for (const pieces of cutsOfBytes(input)) holdSame(collect(decodeNdjson(), pieces), values, "cuts do not matter");
    const lines = toText(input)
      .replace(/^\uFEFF/u, "")
      .split(/\r?\n/u)
      .filter((line) => line !== "")
      .map(jsonOf);
    const isPlain = lines.every((value) => typeof value === "object" && value !== null && !Array.isArray(value));
    if (isPlain) holdSame(values, lines, "one object a line is read as it is");
    return values.length > 3 ? "many" : String(values.length);
  },
};

/** @type {Target} */
const utf8 = {
  name: "utf8",
  files: /fullstop\/dist\/(?:text\/utf8-decoder|wire\/framing\/text-decoding)\.js$/u,
  seeds: [
    "plain",
    "é€😀\uFEFF",
    new Uint8Array([0xf0, 0x9f, 0x98, 0xe2, 0x82, 0xc3, 0xa9, 0xed, 0xa0, 0x80, 0xf4, 0x90]),
  ],
  words: ["é", "€", "😀", "\uFFFD", "\uFEFF"],
  run(input) {
    const expected = toText(input);
    for (const pieces of [[input], ...cutsOfBytes(input)]) {
      const decoder = createUtf8Decoder();
      const text = pieces.map((piece) => decoder.push(piece)).join("") + decoder.end();
      holdSame(text, expected, "the text is that of TextDecoder");
      const decoding = new TextDecoding();
      const other = pieces.map((piece) => decoding.push(piece)).join("") + decoding.end();
      holdSame(other, expected.replace(/^\uFEFF/u, ""), "the other decoder says the same without the mark");
    }
    return expected.includes("\uFFFD") ? "broken" : "whole";
  },
};

/** @type {Target} */
const jsonScanner = {
  name: "json-scanner",
  files: /fullstop\/dist\/llama\/json-scanner\.js$/u,
  seeds: [
    '{"a":[1,-0.5e+10,true,false,null,"\\u00e9\\n"],"b":{}}',
    "[]",
    '"text"',
    "-12.5E-3 ",
    '{"a":01}',
    "[1,]",
    "tru",
    '"\\x"',
    "[[[[[[]]]]]]",
  ],
  words: ['"', ":", ",", "{", "}", "[", "]", "\\u", "\\", "e", "E", "+", "-", ".", "0", "true", "false", "null"],
  run(input) {
    const text = toText(input);
    const scanner = new JsonScanner(64);
    const end = scanner.read(text, 0);
    const outcome = scanner.state;
    for (const pieces of cutsOfText(text)) {
      const other = new JsonScanner(64);
      let length = 0;
      for (const piece of pieces) {
        if (other.state === "open") length += other.read(piece, 0);
      }
      holdSame([other.state, length], [outcome, end], "cuts do not matter");
    }
    const value = jsonOf(text);
    if (value !== undefined && typeof value === "object" && value !== null) {
      hold(outcome === "complete" || outcome === "too-deep", "what JSON.parse takes is taken", outcome);
      hold(outcome === "too-deep" || text.slice(end).trim() === "", "a whole value is all of the text", end);
    }
    if (outcome === "complete")
      hold(jsonOf(text.slice(0, end)) !== undefined, "JSON.parse takes what is complete", end);
    if (outcome === "open") {
      const tail = jsonOf(text);
      hold(tail === undefined || typeof tail === "number", "what is whole is not open", tail);
    }
    holdSame(
      isJsonObject(text, 64),
      typeof value === "object" && value !== null && !Array.isArray(value) && outcome === "complete",
      "an object is an object",
    );
    return outcome;
  },
};

/**
 * @param {string} json
 * @returns {unknown}
 */
function unsigned(json) {
  return JSON.parse(json, (_name, /** @type {unknown} */ inner) => (Object.is(inner, -0) ? 0 : inner));
}

/** @type {Target} */
const canonical = {
  name: "canonical-json",
  files: /fullstop\/dist\/agent\/canonical-json\.js$/u,
  seeds: ['{"b":1,"a":[true,null,{"d":"x","c":1.0}]}', '{"id":123456789012345678}', "", "{", '["1e5",1e5,-0]'],
  words: ['"a"', '"b"', ":", ",", "1e21", "0.1", "12345678901234567890", "\\u0041"],
  run(input) {
    const text = toText(input);
    const form = canonicalJson(text);
    holdSame(canonicalJson(form), form, "the form of the form is the form");
    const value = jsonOf(text);
    if (value === undefined) {
      holdSame(form, text.trim() === "" ? "{}" : text, "what is no JSON stays as it is");
      return "text";
    }
    // Zero is written without its sign, as JavaScript writes it.
    holdSame(unsigned(form), unsigned(text), "the value is the same");
    return form === text ? "same" : "changed";
  },
};

/** @type {Target} */
const awsFrames = {
  name: "aws-frames",
  files: /fullstop\/dist\/wire\/bedrock-converse\/(?:aws-frames|crc32)\.js$/u,
  seeds: [
    awsFrame({ ":event-type": "messageStart", ":message-type": "event" }, "{}"),
    new Uint8Array([...awsFrame({ a: "b" }, "x"), ...awsFrame({}, ""), 0, 0, 0]),
    awsFrame({ ":event-type": "e" }, '{"a":1}').subarray(0, 20),
  ],
  words: ["\u0000\u0000\u0000\u0010", ":event-type", "\u0007"],
  run(input) {
    const read = (/** @type {readonly Uint8Array[]} */ pieces) => {
      /** @type {unknown[]} */
      const seen = [];
      const reader = new AwsFrameReader(
        {
          frame: ({ headers, payload }) => seen.push([[...headers], [...payload]]),
          corrupt: () => seen.push("corrupt"),
          oversized: () => seen.push("oversized"),
        },
        4096,
      );
      for (const piece of pieces) reader.push(piece);
      const { isInside } = reader;
      reader.end();
      return { seen, isInside };
    };
    const whole = read([input]);
    for (const pieces of cutsOfBytes(input)) holdSame(read(pieces), whole, "cuts do not matter");
    // The same bytes as the payload of a frame whose checksums are right.
    const framed = read([awsFrame({ ":event-type": "x" }, input)]);
    hold(framed.seen.length === 1, "a frame in order is one frame", framed.seen);
    return whole.seen
      .map((item) => (typeof item === "string" ? item : "frame"))
      .join()
      .slice(0, 40);
  },
};

/** The framing of bodies, and JSON that is read as it comes. */
export const FRAMING_TARGETS = [sse, ndjson, utf8, jsonScanner, canonical, awsFrames, httpAnswer];
