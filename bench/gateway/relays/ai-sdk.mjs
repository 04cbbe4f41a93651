// @ts-check
import { loadPeer } from "../../peers/load.mjs";
import { PROVIDER, serveRelay, writeChat } from "./server.mjs";

/**
 * The AI SDK as a relay: `streamText` with the provider's package.
 *
 * @typedef {{baseURL: string, apiKey: string}} Settings
 *
 * @typedef {object} StreamTextOptions
 * @property {unknown} model
 * @property {import("./server.mjs").Asked["messages"]} messages
 * @property {number} maxOutputTokens
 */

const { streamText } =
  /** @type {{streamText: (options: StreamTextOptions) => {textStream: AsyncIterable<string>}}} */ (
    await loadPeer("ai")
  );
const { createOpenAI } = /** @type {{createOpenAI: (settings: Settings) => {chat: (model: string) => unknown}}} */ (
  await loadPeer("@ai-sdk/openai")
);
const { createAnthropic } = /** @type {{createAnthropic: (settings: Settings) => (model: string) => unknown}} */ (
  await loadPeer("@ai-sdk/anthropic")
);

const settings = { baseURL: `${PROVIDER}/v1`, apiKey: "none" };
const openai = createOpenAI(settings);
const anthropic = createAnthropic(settings);

serveRelay(({ provider, model: name, messages, maxTokens }) => {
  const model = provider === "openai-chat" ? openai.chat(name) : anthropic(name);
  return writeChat(streamText({ model, messages, maxOutputTokens: maxTokens }).textStream, name);
});
