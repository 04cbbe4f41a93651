// @ts-check
import { at, countOf, failed, textOf } from "../outcome.mjs";
import { loadPeer } from "../peers.mjs";

/** @typedef {import("../outcome.mjs").Question} Question */

/**
 * A message, or a piece of one, which can be added up.
 *
 * @typedef {object} Message
 * @property {(other: Message) => Message} concat
 */

/**
 * What is used of a chat model.
 *
 * @typedef {object} ChatModel
 * @property {(prompt: string) => Promise<AsyncIterable<Message>>} stream
 * @property {(prompt: string) => Promise<Message>} invoke
 */

/** @typedef {new (settings: object) => ChatModel} ChatModelClass */

/**
 * LangChain with its own chat model for each dialect. It passes the words of providers on.
 *
 * @returns {Promise<import("../outcome.mjs").Subject>}
 */
export async function openLangchain() {
  const { ChatOpenAI } = /** @type {{ ChatOpenAI: ChatModelClass }} */ (await loadPeer("@langchain/openai"));
  const { ChatAnthropic } = /** @type {{ ChatAnthropic: ChatModelClass }} */ (await loadPeer("@langchain/anthropic"));
  const { ChatGoogleGenerativeAI } = /** @type {{ ChatGoogleGenerativeAI: ChatModelClass }} */ (
    await loadPeer("@langchain/google-genai")
  );

  /** @param {Question} question */
  function modelFor({ dialect, url }) {
    const settings = { apiKey: "none", maxRetries: 0 };
    if (dialect === "anthropic-messages") {
      return new ChatAnthropic({ ...settings, model: "claude-sonnet-4-5", anthropicApiUrl: url });
    }
    if (dialect === "gemini")
      return new ChatGoogleGenerativeAI({ ...settings, model: "gemini-2.5-flash", baseUrl: url });
    return new ChatOpenAI({
      ...settings,
      model: dialect === "openai-chat" ? "gpt-4.1-mini" : "gpt-5-mini",
      useResponsesApi: dialect === "openai-responses",
      configuration: { baseURL: `${url}/v1` },
    });
  }

  return {
    async ask(question) {
      try {
        const model = modelFor(question);
        if (!question.isStream) return read(await model.invoke("Hi"));
        /** @type {Message | undefined} */
        let message;
        for await (const piece of await model.stream("Hi")) {
          message = message === undefined ? piece : message.concat(piece);
        }
        if (message === undefined) return { word: undefined, error: undefined, calls: 0, isRefused: false };
        return read(message);
      } catch (error) {
        return failed(error);
      }
    },
    close: () => Promise.resolve(),
  };
}

/** @param {Message} message */
function read(message) {
  const metadata = at(message, "response_metadata");
  const more = at(message, "additional_kwargs");
  const words = [
    at(metadata, "incomplete_details", "reason"),
    at(metadata, "finish_reason"),
    at(metadata, "stop_reason"),
    at(metadata, "finishReason"),
    at(more, "stop_reason"),
    at(more, "finishReason"),
    at(metadata, "status"),
  ];
  const content = at(message, "content");
  const hasRefusal = Array.isArray(content) && content.some((part) => at(part, "type") === "refusal");
  return {
    word: words.map(textOf).find((word) => word !== undefined),
    error: undefined,
    calls: countOf(at(message, "tool_calls")) + countOf(at(message, "invalid_tool_calls")),
    isRefused: hasRefusal || textOf(at(more, "refusal")) !== undefined,
  };
}
