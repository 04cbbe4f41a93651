// @ts-check

/**
 * @typedef {import("./questions.mjs").Route} Route
 * @typedef {import("./subjects.mjs").SubjectName} SubjectName
 */

/**
 * What is measured of one subject: the processor time of a streamed chunk, the time of a request, or how much later
 * than it was written a chunk is read.
 *
 * @typedef {object} Task
 * @property {SubjectName} subject
 * @property {Route} route
 * @property {"stream" | "whole" | "delay"} kind
 */

/** @typedef {import("../report.mjs").Row & {readonly task: Task}} Entry */

/** The Node that runs the benchmark. */
export const HERE = `Node ${process.versions.node.split(".")[0]}`;

/** @type {Readonly<Record<SubjectName, string>>} */
export const LABELS = {
  direct: "no gateway",
  nginx: "nginx, passes on only",
  bare: "bare proxy, parses only",
  portkey: "@portkey-ai/gateway",
  "ai-sdk": "AI SDK as a relay",
  "llm-bridge": "llm-bridge as a relay",
  langchain: "LangChain.js as a relay",
  fullstop: "fullstop, every rule on",
  "bare-here": `bare proxy, on ${HERE}`,
  "portkey-here": `@portkey-ai/gateway, on ${HERE}`,
  "fullstop-here": `fullstop, on ${HERE}`,
};

/** @type {Route} */
export const CHAT_TO_MESSAGES = { client: "openai-chat", provider: "anthropic-messages" };
/** @type {Route} */
export const MESSAGES_TO_CHAT = { client: "anthropic-messages", provider: "openai-chat" };
/** @type {Route} */
export const CHAT_TO_CHAT = { client: "openai-chat", provider: "openai-chat" };

/** @type {readonly SubjectName[]} */
const RELAYS = ["portkey", "ai-sdk", "llm-bridge", "langchain"];

/**
 * Those who are measured on this Node as well: what a request costs differs from one Node to the next, and not by the
 * same for everybody.
 *
 * @type {readonly SubjectName[]}
 */
const HERE_TOO = ["bare-here", "portkey-here", "fullstop-here"];

/** What each kind of figure is, and beside whom it is set. */
const KINDS = {
  stream: {
    per: "chunk",
    note: "processor time of the gateway's process, over all events of the provider; ratio to the bare proxy",
    base: "bare",
  },
  whole: {
    per: "request",
    note: "time of a request when the gateway has as many as it can take; ratio to the bare proxy",
    base: "bare",
  },
  delay: {
    per: "chunk",
    note: "from the provider's write to the client's read, one stream at a time; ratio to no gateway",
    base: "direct",
  },
};

/** @type {readonly import("../report.mjs").Section<Entry>[]} */
export const SECTIONS = [
  section("stream", "Chat Completions in front of Messages, streamed", CHAT_TO_MESSAGES, [
    "nginx",
    "bare",
    ...RELAYS,
    "fullstop",
    ...HERE_TOO,
  ]),
  // The others have no Messages in front of anybody but Anthropic and those who host it.
  section("stream", "Messages in front of Chat Completions, streamed", MESSAGES_TO_CHAT, ["bare", "fullstop"]),
  section("stream", "Chat Completions on both sides, streamed", CHAT_TO_CHAT, ["nginx", "bare", "portkey", "fullstop"]),
  section("whole", "Chat Completions in front of Messages, in one piece", CHAT_TO_MESSAGES, [
    "direct",
    "nginx",
    "bare",
    "portkey",
    "fullstop",
    ...HERE_TOO,
  ]),
  section("whole", "Chat Completions on both sides, in one piece", CHAT_TO_CHAT, [
    "direct",
    "nginx",
    "bare",
    "portkey",
    "fullstop",
  ]),
  section("delay", "What a chunk waits for", CHAT_TO_CHAT, ["direct", "nginx", "bare", ...RELAYS, "fullstop"]),
];

/**
 * @param {Task["kind"]} kind
 * @param {string} title
 * @param {Route} route
 * @param {readonly SubjectName[]} subjects
 * @returns {import("../report.mjs").Section<Entry>}
 */
function section(kind, title, route, subjects) {
  const { per, note, base } = KINDS[kind];
  return {
    title,
    note,
    entries: subjects.map((subject) => {
      // Nobody is set beside somebody on another Node.
      const beside = subject.endsWith("-here") ? `${base}-here` : base;
      return {
        id: idOf(kind, route, subject),
        label: LABELS[subject],
        per,
        ...(subject !== beside && { beside: idOf(kind, route, beside) }),
        task: { subject, route, kind },
      };
    }),
  };
}

/**
 * @param {Task["kind"]} kind
 * @param {Route} route
 * @param {string} subject
 * @returns {string}
 */
export function idOf(kind, { client, provider }, subject) {
  return `${kind}/${client}/${provider}/${subject}`;
}
