// @ts-check
import { defineGuard, runGeneration } from "fullstop";
import { anthropic, createRemoteEngine, gemini, openai, openaiResponses } from "fullstop/engines";
import { NOTHING } from "../outcome.mjs";

/** @typedef {import("../outcome.mjs").Question} Question */

/** @type {Readonly<Record<import("../outcome.mjs").Dialect, (url: string) => import("fullstop/engines").Provider>>} */
const PROVIDERS = {
  "openai-chat": (url) => openai("none", { baseUrl: `${url}/v1` }),
  "openai-responses": (url) => openaiResponses("none", { baseUrl: `${url}/v1` }),
  "anthropic-messages": (url) => anthropic("none", { baseUrl: `${url}/v1` }),
  gemini: (url) => gemini("none", { baseUrl: `${url}/v1beta` }),
};

/**
 * fullstop's engine for hosted providers, with the rule that looks for loops.
 *
 * @returns {Promise<import("../outcome.mjs").Subject>}
 */
export function openFullstop() {
  const guard = defineGuard({ repetition: true });
  return Promise.resolve({
    async ask({ dialect, isStream, url }) {
      const engine = createRemoteEngine({ provider: PROVIDERS[dialect](url) });
      const request = {
        model: "m",
        messages: [
          { role: /** @type {const} */ ("user"), content: [{ type: /** @type {const} */ ("text"), text: "Hi" }] },
        ],
        stream: isStream,
        maxOutputTokens: 100,
      };
      let word = "no finish";
      for await (const event of runGeneration(engine.generate(request, new AbortController().signal), guard)) {
        if (event.type === "finish") word = event.signal.reason;
      }
      return { ...NOTHING, word };
    },
    close: () => Promise.resolve(),
  });
}
