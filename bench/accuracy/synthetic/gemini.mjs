// @ts-check
import { LOOP, TOOL, WORDS, cut, dataEvents as plainEvents, toCases } from "./case.mjs";

/** @typedef {Readonly<Record<string, unknown>>} Fields */

/**
 * Gemini ends its lines with both characters, and some clients look for both.
 *
 * @param {readonly unknown[]} payloads
 */
const dataEvents = (...payloads) => plainEvents(...payloads).replaceAll("\n", "\r\n");

const TAIL = {
  usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 7, totalTokenCount: 19 },
  modelVersion: "gemini-2.5-flash",
  responseId: "r1",
};

/** @param {readonly Fields[]} parts @param {string} [finishReason] */
const chunk = (parts, finishReason) => ({
  candidates: [{ index: 0, content: { role: "model", parts }, ...(finishReason !== undefined && { finishReason }) }],
  ...TAIL,
});

/** @param {string} finishReason */
const bare = (finishReason) => ({ candidates: [{ index: 0, finishReason }], ...TAIL });

const words = WORDS.map((text) => chunk([{ text }]));
const call = { functionCall: { name: TOOL, args: { city: "Paris" } } };
const blocked = { promptFeedback: { blockReason: "SAFETY" }, ...TAIL };

/** @param {string} finishReason */
const ended = (finishReason) => dataEvents(...words.slice(0, 2), chunk([{ text: WORDS[2] }], finishReason));

/** @param {readonly Fields[]} parts @param {string} finishReason */
const whole = (parts, finishReason) => JSON.stringify(chunk(parts, finishReason));
const text = [{ text: WORDS.join("") }];

/** @param {number} code @param {string} status @param {string} message */
const error = (code, status, message) => ({ error: { code, message, status } });

/** Every ending of Gemini's generateContent. */
export const GEMINI = toCases("gemini", "Gemini", [
  { name: "natural end", expected: "natural_completion", stream: ended("STOP"), whole: whole(text, "STOP") },
  { name: "length", expected: "token_limit_reached", stream: ended("MAX_TOKENS"), whole: whole(text, "MAX_TOKENS") },
  {
    name: "tool calls",
    expected: "tool_calls",
    stream: dataEvents(chunk([call], "STOP")),
    whole: whole([call], "STOP"),
  },
  {
    name: "malformed call",
    expected: "error_termination",
    stream: dataEvents(bare("MALFORMED_FUNCTION_CALL")),
    whole: JSON.stringify(bare("MALFORMED_FUNCTION_CALL")),
  },
  { name: "safety", expected: "content_filtered", stream: ended("SAFETY"), whole: whole(text, "SAFETY") },
  {
    name: "safety without text",
    expected: "content_filtered",
    stream: dataEvents(bare("SAFETY")),
    whole: JSON.stringify(bare("SAFETY")),
  },
  { name: "recitation", expected: "content_filtered", stream: ended("RECITATION"), whole: whole(text, "RECITATION") },
  {
    name: "prohibited content",
    expected: "content_filtered",
    stream: ended("PROHIBITED_CONTENT"),
    whole: whole(text, "PROHIBITED_CONTENT"),
  },
  {
    name: "prompt blocked",
    expected: "content_filtered",
    stream: dataEvents(blocked),
    whole: JSON.stringify(blocked),
  },
  {
    name: "empty answer",
    expected: "natural_completion",
    stream: dataEvents(chunk([{ text: "" }], "STOP")),
    whole: whole([{ text: "" }], "STOP"),
  },
  {
    name: "STOP in every chunk",
    expected: "natural_completion",
    stream: dataEvents(...WORDS.map((word) => chunk([{ text: word }], "STOP"))),
  },
  {
    name: "a word nobody knows",
    expected: "unknown",
    stream: ended("GALAXY_BRAINED"),
    whole: whole(text, "GALAXY_BRAINED"),
  },
  { name: "empty body", expected: "error_termination", stream: "", whole: "" },
  {
    name: "error in mid-stream",
    expected: "error_termination",
    stream: dataEvents(...words.slice(0, 2), error(503, "UNAVAILABLE", "The model is overloaded.")),
  },
  {
    name: "connection breaks in mid-stream",
    expected: "error_termination",
    stream: cut(dataEvents(...words), 0.9),
    whole: cut(whole(text, "STOP")),
    connection: "break",
  },
  {
    name: "body ends in mid-stream",
    expected: "error_termination",
    stream: cut(dataEvents(...words), 0.9),
    whole: cut(whole(text, "STOP")),
  },
  {
    name: "connection breaks before the finish",
    expected: "error_termination",
    stream: dataEvents(...words),
    connection: "break",
  },
  { name: "body ends before the finish", expected: "error_termination", stream: dataEvents(...words) },
  {
    name: "a chunk that is no JSON",
    expected: "error_termination",
    stream: dataEvents(
      ...words.slice(0, 1),
      '{"candidates": [{"content": {"parts": [{"te',
      chunk([{ text: "." }], "STOP"),
    ),
  },
  {
    name: "quota used up",
    expected: "error_termination",
    stream: JSON.stringify(error(429, "RESOURCE_EXHAUSTED", "Quota exceeded.")),
    whole: JSON.stringify(error(429, "RESOURCE_EXHAUSTED", "Quota exceeded.")),
    status: 429,
  },
  {
    name: "a loop until the limit",
    expected: "repetition_detected",
    said: "token_limit_reached",
    stream: dataEvents(...LOOP.map((sentence) => chunk([{ text: sentence }])), bare("MAX_TOKENS")),
    whole: whole([{ text: LOOP.join("") }], "MAX_TOKENS"),
  },
]);
