// @ts-check
import { at, countOf, failed, textOf } from "../outcome.mjs";
import { loadPeer } from "../peers.mjs";

/** @typedef {import("../outcome.mjs").Question} Question */
/** @typedef {(settings: object) => unknown} Create */

/**
 * What is used of the package `ai`.
 *
 * @typedef {object} Ai
 * @property {(call: object) => { readonly fullStream: AsyncIterable<Readonly<Record<string, unknown>>> }} streamText
 * @property {(call: object) => Promise<Readonly<Record<string, unknown>>>} generateText
 * @property {(schema: object) => object} jsonSchema
 */

/** @typedef {{ chat: (model: string) => object, responses: (model: string) => object }} OpenAI */

/**
 * The AI SDK with its own provider for each dialect.
 *
 * @returns {Promise<import("../outcome.mjs").Subject>}
 */
export async function openAiSdk() {
  const { streamText, generateText, jsonSchema } = /** @type {Ai} */ (await loadPeer("ai"));
  const { createOpenAI } = /** @type {{ createOpenAI: (settings: object) => OpenAI }} */ (
    await loadPeer("@ai-sdk/openai")
  );
  const { createAnthropic } = /** @type {{ createAnthropic: (settings: object) => (model: string) => object }} */ (
    await loadPeer("@ai-sdk/anthropic")
  );
  const { createGoogleGenerativeAI } =
    /** @type {{ createGoogleGenerativeAI: (settings: object) => (model: string) => object }} */ (
      await loadPeer("@ai-sdk/google")
    );

  /** @param {Question} question */
  function modelFor({ dialect, url }) {
    const settings = { apiKey: "none", baseURL: `${url}/v1` };
    if (dialect === "openai-chat") return createOpenAI(settings).chat("gpt-4.1-mini");
    if (dialect === "openai-responses") return createOpenAI(settings).responses("gpt-5-mini");
    if (dialect === "anthropic-messages") return createAnthropic(settings)("claude-sonnet-4-5");
    return createGoogleGenerativeAI({ ...settings, baseURL: `${url}/v1beta` })("gemini-2.5-flash");
  }

  /** @param {object} call */
  async function readStream(call) {
    let calls = 0;
    /** @type {unknown} */
    let error;
    /** @type {string | undefined} */
    let word;
    for await (const part of streamText({ ...call, onError: () => undefined }).fullStream) {
      if (part["type"] === "error") error ??= part["error"] ?? "an error";
      else if (part["type"] === "tool-call" && part["providerExecuted"] !== true) calls += 1;
      else if (part["type"] === "finish") word = textOf(part["finishReason"]);
    }
    if (error !== undefined) return failed(error);
    return { word, error: undefined, calls, isRefused: false };
  }

  return {
    async ask(question) {
      const tools = Object.fromEntries(
        question.tools.map((name) => [name, { inputSchema: jsonSchema({ type: "object" }) }]),
      );
      const call = { model: modelFor(question), prompt: "Hi", maxRetries: 0, tools };
      try {
        if (question.isStream) return await readStream(call);
        const result = await generateText(call);
        const calls = countOf(at(result, "toolCalls"));
        return { word: textOf(result["finishReason"]), error: undefined, calls, isRefused: false };
      } catch (error) {
        return failed(error);
      }
    },
    close: () => Promise.resolve(),
  };
}
