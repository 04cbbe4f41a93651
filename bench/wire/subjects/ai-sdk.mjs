// @ts-check
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { toResponse } from "../chunks.mjs";

/** @typedef {ReturnType<ReturnType<typeof createOpenAI>["chat"]>} LanguageModel */

/**
 * The AI SDK's provider for Chat Completions.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const aiSdkOpenaiChat = ({ chunks }) => readAll(createOpenAI(settingsFor(chunks)).chat("gpt-4.1-mini"));

/**
 * The AI SDK's provider for Responses.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const aiSdkOpenaiResponses = ({ chunks }) => readAll(createOpenAI(settingsFor(chunks)).responses("gpt-5-mini"));

/**
 * The AI SDK's provider for Anthropic Messages.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const aiSdkAnthropic = ({ chunks }) => readAll(createAnthropic(settingsFor(chunks))("claude-sonnet-4-5"));

/**
 * @param {LanguageModel} model
 * @returns {import("../subject.mjs").Pass}
 */
function readAll(model) {
  return async () => {
    let characters = 0;
    const { stream } = await model.doStream({ prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] });
    for await (const part of stream) {
      if (part.type === "text-delta" || part.type === "reasoning-delta") characters += part.delta.length;
      else if (part.type === "error") throw new Error(String(part.error));
    }
    return { characters };
  };
}

/** @param {readonly Uint8Array[]} chunks */
function settingsFor(chunks) {
  return { apiKey: "none", fetch: () => Promise.resolve(toResponse(chunks)) };
}
