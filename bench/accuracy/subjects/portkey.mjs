// @ts-check
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { at, countOf, failed, textOf } from "../outcome.mjs";
import { PEERS, loadPeer } from "../peers.mjs";

/** @typedef {import("../outcome.mjs").Question} Question */
/** @typedef {import("../outcome.mjs").Outcome} Outcome */

/**
 * What is used of OpenAI's client, which is what people reach the gateway with.
 *
 * @typedef {object} Client
 * @property {{ completions: { create: (body: object) => Promise<unknown> } }} chat
 * @property {{ create: (body: object) => Promise<unknown> }} responses
 */

const PROVIDERS = {
  "openai-chat": { provider: "openai", path: "/v1" },
  "openai-responses": { provider: "openai", path: "/v1" },
  "anthropic-messages": { provider: "anthropic", path: "/v1" },
  gemini: { provider: "google", path: "/v1beta" },
};

/**
 * Portkey's gateway in a process of its own, asked with OpenAI's client. It makes Chat Completions of Anthropic's and
 * Gemini's answers.
 *
 * @returns {Promise<import("../outcome.mjs").Subject>}
 */
export async function openPortkey() {
  const { OpenAI } = /** @type {{ OpenAI: new (settings: object) => Client }} */ (await loadPeer("openai"));
  const port = await findFreePort();
  const program = join(PEERS, "node_modules/@portkey-ai/gateway/build/start-server.js");
  const gateway = spawn(process.execPath, [program, "--headless", `--port=${port}`], { stdio: "ignore" });
  await listening(port);

  return {
    async ask(question) {
      const { provider, path } = PROVIDERS[question.dialect];
      const client = new OpenAI({
        apiKey: "none",
        baseURL: `http://127.0.0.1:${port}/v1`,
        maxRetries: 0,
        defaultHeaders: { "x-portkey-provider": provider, "x-portkey-custom-host": question.url + path },
      });
      try {
        return question.dialect === "openai-responses"
          ? await askResponses(client, question)
          : await askChat(client, question);
      } catch (error) {
        return failed(error);
      }
    },
    close: () =>
      new Promise((resolve) => {
        gateway.once("exit", () => resolve());
        gateway.kill();
      }),
  };
}

/**
 * @param {Client} client
 * @param {Question} question
 * @returns {Promise<Outcome>}
 */
async function askChat({ chat }, { isStream }) {
  const answer = await chat.completions.create({
    model: "m",
    messages: [{ role: "user", content: "Hi" }],
    max_tokens: 100,
    stream: isStream,
  });
  if (!isStream) {
    const message = at(answer, "choices", 0, "message");
    return {
      word: textOf(at(answer, "choices", 0, "finish_reason")),
      error: undefined,
      calls: countOf(at(message, "tool_calls")),
      isRefused: textOf(at(message, "refusal")) !== undefined,
    };
  }
  /** @type {string | undefined} */
  let word;
  let calls = 0;
  let isRefused = false;
  for await (const chunk of /** @type {AsyncIterable<unknown>} */ (answer)) {
    const choice = at(chunk, "choices", 0);
    word = textOf(at(choice, "finish_reason")) ?? word;
    calls += countOf(at(choice, "delta", "tool_calls"));
    isRefused ||= textOf(at(choice, "delta", "refusal")) !== undefined;
  }
  return { word, error: undefined, calls, isRefused };
}

/**
 * @param {Client} client
 * @param {Question} question
 * @returns {Promise<Outcome>}
 */
async function askResponses({ responses }, { isStream }) {
  const answer = await responses.create({ model: "m", input: "Hi", stream: isStream });
  if (!isStream) return readResponse(answer);
  /** @type {unknown} */
  let last;
  let calls = 0;
  for await (const event of /** @type {AsyncIterable<unknown>} */ (answer)) {
    if (at(event, "type") === "error") return failed(textOf(at(event, "message")) ?? "an error event");
    if (at(event, "type") === "response.output_item.done" && at(event, "item", "type") === "function_call") calls += 1;
    last = at(event, "response") ?? last;
  }
  return { ...readResponse(last), calls };
}

/**
 * @param {unknown} response
 * @returns {Outcome}
 */
function readResponse(response) {
  const output = at(response, "output");
  const items = Array.isArray(output) ? output : [];
  const status = textOf(at(response, "status"));
  return {
    word: textOf(at(response, "incomplete_details", "reason")) ?? status,
    error: undefined,
    calls: items.filter((item) => at(item, "type") === "function_call").length,
    isRefused: items.some((item) => at(item, "content", 0, "type") === "refusal"),
  };
}

/** @returns {Promise<number>} */
function findFreePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

/** @param {number} port */
async function listening(port) {
  for (let attempt = 0; attempt < 100; attempt++) {
    try {
      await fetch(`http://127.0.0.1:${port}/`);
      return;
    } catch {
      // Not yet: it says nowhere that it listens.
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error("Portkey's gateway did not start");
}
