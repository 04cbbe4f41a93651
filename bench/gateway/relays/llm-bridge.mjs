// @ts-check
import { loadPeer } from "../../peers/load.mjs";
import { PROVIDER, serveRelay } from "./server.mjs";

/**
 * llm-bridge as a relay: it translates the request and the stream, and `fetch` asks.
 *
 * @typedef {object} LlmBridge
 * @property {(from: string, to: string, body: object) => object} translateBetweenProviders
 * @property {(stream: ReadableStream, from: string, to: string) => ReadableStream<Uint8Array>} handleUniversalStreamRequest
 */

const { translateBetweenProviders, handleUniversalStreamRequest } = /** @type {LlmBridge} */ (
  await loadPeer("llm-bridge")
);

const PROVIDERS = {
  "openai-chat": { name: "openai", path: "/v1/chat/completions" },
  "anthropic-messages": { name: "anthropic", path: "/v1/messages" },
};

serveRelay(async function* answer({ provider, model, messages, maxTokens }) {
  const { name, path } = PROVIDERS[provider];
  const asked = { model, messages, max_tokens: maxTokens, stream: true };
  const { body } = await fetch(PROVIDER + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(translateBetweenProviders("openai", name, asked)),
  });
  if (body === null) throw new Error("the provider has sent no body");
  yield* handleUniversalStreamRequest(body, name, "openai");
});
