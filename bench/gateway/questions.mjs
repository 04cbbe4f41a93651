// @ts-check

/**
 * @typedef {import("./answer.mjs").Dialect} Dialect
 * @typedef {import("./client.mjs").Question} Question
 */

/**
 * A way through a gateway: what the client speaks, and what the provider speaks.
 *
 * @typedef {object} Route
 * @property {Dialect} client
 * @property {Dialect} provider
 */

/** Rules that are looked at for every piece of text, set so that none of them fires. */
const EVERY_RULE = {
  stop: ["</answer>", "\n\nUser:", "Observation:", "<|endoftext|>"],
  repetition: true,
  maxCharacters: 1e12,
  maxMilliseconds: 1e12,
  maxCost: { amount: 1e9, perToken: 1e-6 },
  maxReasoningTokens: 1e9,
};

/** @type {Readonly<Record<Dialect, {path: string, provider: string, prefix: string}>>} */
const DIALECTS = {
  "openai-chat": { path: "/v1/chat/completions", provider: "openai", prefix: "chat" },
  "anthropic-messages": { path: "/v1/messages", provider: "anthropic", prefix: "messages" },
};

const MESSAGES = [{ role: "user", content: "How do I contribute?" }];

/** Those who pass on what comes as it is. */
const NOT_TRANSLATING = new Set(["direct", "nginx", "bare", "bare-here"]);

/**
 * The dialect in which a subject answers on a route.
 *
 * @param {import("./subjects.mjs").SubjectName} name
 * @param {Route} route
 * @returns {Dialect}
 */
export function dialectOf(name, { client, provider }) {
  return NOT_TRANSLATING.has(name) ? provider : client;
}

/**
 * The same question for everybody, in the words in which each of them wants it.
 *
 * @param {import("./subjects.mjs").Subject} subject
 * @param {Route} route
 * @param {object} answer
 * @param {string} answer.model What the provider's model is called: see upstream.mjs.
 * @param {boolean} answer.stream
 * @param {number} upstreamPort
 * @returns {Question}
 */
export function writeQuestion({ name, url }, { client, provider }, { model, stream }, upstreamPort) {
  const body = { model, messages: MESSAGES, max_tokens: 4000, stream };
  const prefixed = { ...body, model: `${DIALECTS[provider].prefix}/${model}` };
  switch (name) {
    case "fullstop":
    case "fullstop-here":
      return write(url + DIALECTS[client].path, { ...prefixed, fullstop: EVERY_RULE });
    case "ai-sdk":
    case "llm-bridge":
    case "langchain":
      return write(url + DIALECTS[client].path, prefixed);
    case "portkey":
    case "portkey-here":
      return write(url + DIALECTS[client].path, body, {
        authorization: "Bearer none",
        "x-portkey-provider": DIALECTS[provider].provider,
        "x-portkey-custom-host": `http://127.0.0.1:${upstreamPort}/v1`,
      });
    default:
      // They do not translate, so they are asked as the provider would be.
      return write(url + DIALECTS[provider].path, body);
  }
}

/**
 * @param {string} url
 * @param {object} body
 * @param {Readonly<Record<string, string>>} headers
 * @returns {Question}
 */
function write(url, body, headers = {}) {
  const json = JSON.stringify(body);
  const length = String(Buffer.byteLength(json));
  return { url, body: json, headers: { "content-type": "application/json", "content-length": length, ...headers } };
}
