// @ts-check
import { Agent, request } from "node:http";

/** @typedef {import("./answer.mjs").Dialect} Dialect */

/**
 * A question as a client asks it.
 *
 * @typedef {object} Question
 * @property {string} url
 * @property {Readonly<Record<string, string>>} headers
 * @property {string} body
 */

/**
 * What came back, and in how many reads: where events come one by one, there are as many reads as events.
 *
 * @typedef {object} Reply
 * @property {string} body
 * @property {number} reads
 */

/**
 * A client that has one connection for each question that is open, and keeps it for the next question.
 *
 * @typedef {object} Client
 * @property {(question: Question, onRead?: OnRead) => Promise<Reply>} ask
 * @property {() => void} close Also ends what is still read.
 */

/** @typedef {(piece: Buffer) => void} OnRead Called with what a read has brought, when it has. */

/**
 * Opens a client. It is closed before anybody rests: servers close connections that are idle, and a question that is
 * just on its way is then lost.
 *
 * @returns {Client}
 */
export function openClient() {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  return { ask: (question, onRead) => ask(agent, question, onRead), close: () => agent.destroy() };
}

/**
 * @param {Agent} agent
 * @param {Question} question
 * @param {OnRead | undefined} onRead
 * @returns {Promise<Reply>}
 */
function ask(agent, { url, headers, body }, onRead) {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, method: "POST", headers }, (response) => {
      /** @type {Buffer[]} */
      const pieces = [];
      response.on("data", (/** @type {Buffer} */ piece) => {
        onRead?.(piece);
        pieces.push(piece);
      });
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(pieces).toString();
        if (response.statusCode === 200) resolve({ body: text, reads: pieces.length });
        else reject(new Error(`${url} answered ${response.statusCode}: ${text.slice(0, 300)}`));
      });
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

/**
 * Where the text stands in the bodies and events of both dialects.
 *
 * @typedef {object} Payload
 * @property {readonly {message?: {content: string}, delta?: {content?: string | null}}[]} [choices]
 * @property {readonly {text: string}[]} [content]
 * @property {{text?: string}} [delta]
 * @property {string} [type]
 */

/**
 * The text of an answer, as a client of the dialect shows it. An answer that has no end of its own has no text either.
 *
 * @param {Dialect} dialect
 * @param {string} body
 * @returns {string | undefined}
 */
export function readText(dialect, body) {
  const isChat = dialect === "openai-chat";
  if (body.startsWith("{")) {
    const { choices, content } = parse(body);
    return isChat ? choices?.[0]?.message?.content : content?.[0]?.text;
  }
  const payloads = [...body.matchAll(/^data: ?(?<json>\{.*)$/gmu)].map(({ groups }) => parse(groups?.["json"] ?? ""));
  const isWhole = isChat ? body.trimEnd().endsWith("data: [DONE]") : payloads.at(-1)?.type === "message_stop";
  if (!isWhole) return undefined;
  return payloads.map(({ choices, delta }) => (isChat ? choices?.[0]?.delta?.content : delta?.text) ?? "").join("");
}

/**
 * @param {string} json
 * @returns {Payload}
 */
function parse(json) {
  return /** @type {Payload} */ (JSON.parse(json));
}
