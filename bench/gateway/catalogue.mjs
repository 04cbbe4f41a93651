// @ts-check
import { SUBJECT_NAMES } from "./subjects.mjs";

/**
 * @typedef {import("./questions.mjs").Route} Route
 * @typedef {import("./subjects.mjs").SubjectName} SubjectName
 */

/**
 * What is measured of one subject: the processor time of a streamed chunk, or the time of a request.
 *
 * @typedef {object} Task
 * @property {SubjectName} subject
 * @property {Route} route
 * @property {"stream" | "whole"} kind
 */

/** @typedef {import("../report.mjs").Row & {readonly task: Task}} Entry */

/** @type {Readonly<Record<SubjectName, string>>} */
const LABELS = { bare: "bare proxy, parses only", portkey: "@portkey-ai/gateway", fullstop: "fullstop, every rule on" };

/** @type {Route} */
export const CHAT_TO_MESSAGES = { client: "openai-chat", provider: "anthropic-messages" };
/** @type {Route} */
export const MESSAGES_TO_CHAT = { client: "anthropic-messages", provider: "openai-chat" };
/** @type {Route} */
export const CHAT_TO_CHAT = { client: "openai-chat", provider: "openai-chat" };

/** @type {readonly import("../report.mjs").Section<Entry>[]} */
export const SECTIONS = [
  section("stream", "Chat Completions in front of Messages, streamed", CHAT_TO_MESSAGES, SUBJECT_NAMES),
  // Portkey has no Messages in front of anybody but Anthropic and those who host it.
  section("stream", "Messages in front of Chat Completions, streamed", MESSAGES_TO_CHAT, ["bare", "fullstop"]),
  section("stream", "Chat Completions on both sides, streamed", CHAT_TO_CHAT, SUBJECT_NAMES),
  section("whole", "Chat Completions in front of Messages, in one piece", CHAT_TO_MESSAGES, SUBJECT_NAMES),
  section("whole", "Chat Completions on both sides, in one piece", CHAT_TO_CHAT, SUBJECT_NAMES),
];

/**
 * @param {Task["kind"]} kind
 * @param {string} title
 * @param {Route} route
 * @param {readonly SubjectName[]} subjects
 * @returns {import("../report.mjs").Section<Entry>}
 */
function section(kind, title, route, subjects) {
  const isStream = kind === "stream";
  const [first] = subjects;
  return {
    title,
    note: isStream
      ? "processor time of the gateway's process, over all events of the provider; ratio to the bare proxy"
      : "time of a request when the gateway has as many as it can take; ratio to the bare proxy",
    entries: subjects.map((subject) => ({
      id: idOf(kind, route, subject),
      label: LABELS[subject],
      per: isStream ? "chunk" : "request",
      ...(subject !== first && { beside: idOf(kind, route, "bare") }),
      task: { subject, route, kind },
    })),
  };
}

/**
 * @param {Task["kind"]} kind
 * @param {Route} route
 * @param {SubjectName} subject
 * @returns {string}
 */
export function idOf(kind, { client, provider }, subject) {
  return `${kind}/${client}/${provider}/${subject}`;
}
