// @ts-check
import { createServer } from "node:http";

/**
 * What a relay is asked, in Chat Completions; the model's prefix says which dialect the provider speaks.
 *
 * @typedef {object} Asked
 * @property {"openai-chat" | "anthropic-messages"} provider
 * @property {string} model
 * @property {readonly {role: "user", content: string}[]} messages
 * @property {number} maxTokens
 */

/**
 * The least around a library that makes a gateway of it: Chat Completions come in, the library asks the provider, and
 * what it hands out goes back as a stream of Chat Completions.
 *
 * @param {(asked: Asked) => AsyncIterable<string | Uint8Array>} answer The frames of the answer.
 */
export function serveRelay(answer) {
  const server = createServer((request, response) => {
    let json = "";
    request.setEncoding("utf8");
    request.on("data", (/** @type {string} */ piece) => (json += piece));
    request.on("end", () => {
      pass(answer(readAsked(json)), response).catch((/** @type {unknown} */ error) => {
        // Who has left hears nothing of it.
        if (!response.destroyed) response.destroy(new Error(String(error)));
      });
    });
  });
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    console.log(`listening on http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`);
  });
}

/** The address of the provider, for the libraries. */
export const PROVIDER = `http://127.0.0.1:${process.argv[2]}`;

/**
 * @param {string} json
 * @returns {Asked}
 */
function readAsked(json) {
  const { model, messages, max_tokens } =
    /** @type {{model: string, messages: Asked["messages"], max_tokens: number}} */ (JSON.parse(json));
  const [prefix, name = ""] = model.split("/");
  const provider = prefix === "messages" ? "anthropic-messages" : "openai-chat";
  return { provider, model: name, messages, maxTokens: max_tokens };
}

/**
 * @param {AsyncIterable<string | Uint8Array>} frames
 * @param {import("node:http").ServerResponse} response
 */
async function pass(frames, response) {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  for await (const frame of frames) {
    if (response.destroyed) return;
    response.write(frame);
  }
  response.end();
}

/**
 * Text as frames of Chat Completions.
 *
 * @param {AsyncIterable<string>} pieces
 * @param {string} model
 * @returns {AsyncIterable<string>}
 */
export async function* writeChat(pieces, model) {
  const head = { id: "chatcmpl-relay", object: "chat.completion.chunk", created: 1_762_447_225, model };
  const frame = (/** @type {object} */ delta, /** @type {string | null} */ reason) =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  yield frame({ role: "assistant", content: "" }, null);
  for await (const content of pieces) yield frame({ content }, null);
  yield `${frame({}, "stop")}data: [DONE]\n\n`;
}
