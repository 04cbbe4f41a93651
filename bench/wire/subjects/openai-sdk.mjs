// @ts-check
import OpenAI from "openai";
import { toResponse } from "../chunks.mjs";

/**
 * The stream of Chat Completions of the `openai` package.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const openaiSdkChat = ({ chunks }) => {
  const client = createClient(chunks);
  return async () => {
    let characters = 0;
    let events = 0;
    const stream = await client.chat.completions.create({ model: "any", messages: [], stream: true });
    for await (const { choices } of stream) {
      events += 1;
      characters += choices[0]?.delta.content?.length ?? 0;
    }
    return { characters, events };
  };
};

/**
 * The stream of Responses of the `openai` package.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const openaiSdkResponses = ({ chunks }) => {
  const client = createClient(chunks);
  return async () => {
    let characters = 0;
    let events = 0;
    const stream = await client.responses.create({ model: "any", input: "", stream: true });
    for await (const event of stream) {
      events += 1;
      if (event.type === "response.output_text.delta") characters += event.delta.length;
    }
    return { characters, events };
  };
};

/** @param {readonly Uint8Array[]} chunks */
function createClient(chunks) {
  return new OpenAI({ apiKey: "none", fetch: () => Promise.resolve(toResponse(chunks)) });
}
