// @ts-check
import { NOTHING, failed } from "../outcome.mjs";
import { loadPeer } from "../peers.mjs";

/** @typedef {import("../outcome.mjs").Question} Question */
/** @typedef {{ readonly type: string, readonly stop_reason?: string, readonly error?: { readonly message?: string } }} BridgeEvent */
/** @typedef {(stream: unknown) => AsyncIterable<BridgeEvent>} ParseStream */

/**
 * llm-bridge's readers of streams. It has none for whole answers, and leaves the asking to others: here to `fetch`.
 *
 * @returns {Promise<import("../outcome.mjs").Subject>}
 */
export async function openLlmBridge() {
  const bridge = /** @type {Readonly<Record<string, ParseStream>>} */ (await loadPeer("llm-bridge"));
  /** @type {Readonly<Record<import("../outcome.mjs").Dialect, ParseStream | undefined>>} */
  const readers = {
    "openai-chat": bridge["parseOpenAIStream"],
    "openai-responses": bridge["parseOpenAIResponsesStream"],
    "anthropic-messages": bridge["parseAnthropicStream"],
    gemini: bridge["parseGoogleStream"],
  };
  return {
    async ask({ dialect, isStream, url }) {
      const parse = readers[dialect];
      if (!isStream || parse === undefined) return "not offered";
      try {
        const response = await fetch(`${url}/v1`, { method: "POST", body: "{}" });
        if (!response.ok) return failed(`HTTP ${response.status}`);
        let calls = 0;
        /** @type {string | undefined} */
        let word;
        /** @type {string | undefined} */
        let error;
        for await (const event of parse(response.body)) {
          if (event.type === "tool_call_start") calls += 1;
          else if (event.type === "message_end") word = event.stop_reason;
          else if (event.type === "error") error ??= event.error?.message ?? "an error event";
        }
        return error === undefined ? { ...NOTHING, word, calls } : failed(error);
      } catch (error) {
        return failed(error);
      }
    },
    close: () => Promise.resolve(),
  };
}
