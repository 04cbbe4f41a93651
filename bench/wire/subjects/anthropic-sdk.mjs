// @ts-check
import Anthropic from "@anthropic-ai/sdk";
import { toResponse } from "../chunks.mjs";

const REQUEST = { model: "any", max_tokens: 1, messages: [] };

/**
 * The events of the Anthropic package as they come.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const anthropicSdk = ({ chunks }) => {
  const client = createClient(chunks);
  return async () => {
    let characters = 0;
    for await (const event of await client.messages.create({ ...REQUEST, stream: true })) {
      characters += charactersOf(event);
    }
    return { characters };
  };
};

/**
 * The helper of the Anthropic package that puts the message together as it goes.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const anthropicSdkHelper = ({ chunks }) => {
  const client = createClient(chunks);
  return async () => {
    let characters = 0;
    for await (const event of client.messages.stream(REQUEST)) characters += charactersOf(event);
    return { characters };
  };
};

/**
 * @param {Anthropic.MessageStreamEvent} event
 * @returns {number}
 */
function charactersOf(event) {
  if (event.type !== "content_block_delta") return 0;
  if (event.delta.type === "text_delta") return event.delta.text.length;
  return event.delta.type === "thinking_delta" ? event.delta.thinking.length : 0;
}

/** @param {readonly Uint8Array[]} chunks */
function createClient(chunks) {
  return new Anthropic({ apiKey: "none", fetch: () => Promise.resolve(toResponse(chunks)) });
}
