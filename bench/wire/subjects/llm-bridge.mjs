// @ts-check
import { loadPeer } from "../../peers/load.mjs";
import { toBody } from "../chunks.mjs";

/**
 * As much of llm-bridge as is measured.
 *
 * @typedef {object} LlmBridge
 * @property {(stream: ReadableStream, from: string, to: string) => ReadableStream<Uint8Array>} handleUniversalStreamRequest
 * @property {(stream: ReadableStream) => AsyncIterable<BridgeEvent>} parseOpenAIStream
 * @property {(stream: ReadableStream) => AsyncIterable<BridgeEvent>} parseOpenAIResponsesStream
 * @property {(stream: ReadableStream) => AsyncIterable<BridgeEvent>} parseAnthropicStream
 *
 * @typedef {{type: string, delta?: {text?: string, thinking?: string}}} BridgeEvent
 */

/**
 * Anthropic's bytes in, Chat Completions' out, by llm-bridge.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const llmBridgeTranscode = async ({ chunks }) => {
  const { handleUniversalStreamRequest } = await loadBridge();
  const translate = () => handleUniversalStreamRequest(toBody(chunks), "anthropic", "openai");
  const written = await new Response(translate()).text();
  const bytes = Buffer.byteLength(written);
  const characters = [...written.matchAll(/"content":(?<text>"(?:[^"\\]|\\.)*")/gu)]
    .map(({ groups }) => /** @type {string} */ (JSON.parse(groups?.["text"] ?? '""')).length)
    .reduce((total, length) => total + length, 0);
  return async () => {
    let seen = 0;
    for await (const chunk of translate()) seen += chunk.length;
    if (seen !== bytes) throw new Error(`wrote ${seen} of ${bytes} bytes`);
    return { characters };
  };
};

/**
 * A client made of llm-bridge's reader of a dialect.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const llmBridgeClient = async ({ chunks, format }) => {
  const bridge = await loadBridge();
  const parse = {
    "openai-chat": bridge.parseOpenAIStream,
    "openai-responses": bridge.parseOpenAIResponsesStream,
    "anthropic-messages": bridge.parseAnthropicStream,
    gemini: undefined,
    "ollama-chat": undefined,
  }[format];
  if (parse === undefined) throw new Error(`llm-bridge is not measured on ${format}`);
  return async () => {
    let characters = 0;
    for await (const { delta } of parse(toBody(chunks))) {
      characters += delta?.text?.length ?? delta?.thinking?.length ?? 0;
    }
    return { characters };
  };
};

async function loadBridge() {
  return /** @type {LlmBridge} */ (await loadPeer("llm-bridge"));
}
