// @ts-check
import { loadPeer } from "../../peers/load.mjs";
import { PROVIDER, serveRelay, writeChat } from "./server.mjs";

/**
 * LangChain.js as a relay: `stream()` of its chat models.
 *
 * @typedef {{stream: (messages: unknown) => Promise<AsyncIterable<{text: string}>>}} ChatModel
 *
 * @typedef {{model: string, apiKey: string, maxTokens: number}} Settings
 * @typedef {Settings & {configuration: {baseURL: string}}} OpenaiSettings
 * @typedef {Settings & {anthropicApiUrl: string}} AnthropicSettings
 */

const { ChatOpenAI } = /** @type {{ChatOpenAI: new (settings: OpenaiSettings) => ChatModel}} */ (
  await loadPeer("@langchain/openai")
);
const { ChatAnthropic } = /** @type {{ChatAnthropic: new (settings: AnthropicSettings) => ChatModel}} */ (
  await loadPeer("@langchain/anthropic")
);

serveRelay(({ provider, model, messages, maxTokens }) => {
  const settings = { model, apiKey: "none", maxTokens };
  const chat =
    provider === "openai-chat"
      ? new ChatOpenAI({ ...settings, configuration: { baseURL: `${PROVIDER}/v1` } })
      : new ChatAnthropic({ ...settings, anthropicApiUrl: PROVIDER });
  return writeChat(readPieces(chat, messages), model);
});

/**
 * @param {ChatModel} chat
 * @param {import("./server.mjs").Asked["messages"]} messages
 * @returns {AsyncIterable<string>}
 */
async function* readPieces(chat, messages) {
  for await (const { text } of await chat.stream(messages)) if (text !== "") yield text;
}
