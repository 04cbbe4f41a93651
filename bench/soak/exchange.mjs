// @ts-check
import { Agent, request as openRequest } from "node:http";

/** @typedef {import("./plan.mjs").Dialect} Dialect */

/** For everything but streams, which have connections of their own. */
const agent = new Agent({ keepAlive: true });

const TURN = { role: "user", content: "Hi" };

/** @type {Readonly<Record<Dialect, (model: string) => readonly [path: string, body: object]>>} */
const QUESTIONS = {
  "openai-chat": (model) => ["/v1/chat/completions", { model, stream: true, messages: [TURN] }],
  "openai-responses": (model) => ["/v1/responses", { model, stream: true, input: "Hi" }],
  "anthropic-messages": (model) => ["/v1/messages", { model, stream: true, max_tokens: 9999, messages: [TURN] }],
  gemini: (model) => [
    `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
  ],
};

/**
 * A stream that was asked for. `head` is kept when its head has come, `end` when all of it has; both are undefined if
 * whoever asked has left before, and fail if the connection has broken.
 *
 * @typedef {object} Stream
 * @property {Promise<import("node:http").IncomingMessage | undefined>} head
 * @property {Promise<string | undefined>} end
 * @property {() => string} body What has come so far.
 * @property {Promise<void>} firstPiece Kept when something of the body has come, or nothing can come any more.
 * @property {() => void} leave
 */

/**
 * Asks for a stream, on a connection of its own.
 *
 * @param {string} url
 * @param {Dialect} door
 * @param {string} model
 * @param {object} settings
 * @returns {Stream}
 */
export function askForStream(url, door, model, settings) {
  const [path, question] = QUESTIONS[door](model);
  const asked = openRequest(`${url}${path}`, { method: "POST", agent: false });
  /** @type {Buffer[]} */
  const chunks = [];
  let hasLeft = false;
  /** @type {(() => void) | undefined} */
  let told;
  /** @type {Promise<void>} */
  const firstPiece = new Promise((resolve) => (told = resolve));
  /** @type {Promise<import("node:http").IncomingMessage | undefined>} */
  const head = new Promise((resolve, reject) => {
    asked.on("response", resolve);
    asked.on("error", (error) => (hasLeft ? resolve(undefined) : reject(error)));
  });
  const read = async () => {
    const response = await head;
    if (response === undefined) return undefined;
    /** @type {Promise<string | undefined>} */
    const whole = new Promise((resolve, reject) => {
      response.on("data", (/** @type {Buffer} */ chunk) => {
        chunks.push(chunk);
        told?.();
      });
      response.on("end", () => resolve(Buffer.concat(chunks).toString()));
      response.on("error", (error) => (hasLeft ? resolve(undefined) : reject(error)));
    });
    return whole;
  };
  const end = read().finally(() => told?.());
  // Whoever cares waits for it later.
  end.catch(() => undefined);
  asked.end(JSON.stringify({ ...question, fullstop: settings }));
  return {
    head,
    end,
    firstPiece,
    body: () => Buffer.concat(chunks).toString(),
    leave() {
      hasLeft = true;
      asked.destroy();
    },
  };
}

/**
 * Sends a request and gives what comes back, as text.
 *
 * @param {string} url
 * @param {"GET" | "POST"} method
 * @param {object} [body]
 * @returns {Promise<{readonly status: number, readonly text: string}>}
 */
export function send(url, method, body) {
  return new Promise((resolve, reject) => {
    const asked = openRequest(url, { method, agent }, (response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      response.on("data", (/** @type {Buffer} */ chunk) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      response.on("error", reject);
    });
    asked.on("error", reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Closes the connections that are kept for the next request. */
export function closeConnections() {
  agent.destroy();
}
