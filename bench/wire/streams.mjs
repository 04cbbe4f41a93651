// @ts-check
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readMarkdown, tokenize } from "../corpus.mjs";
import { createRandom } from "../random.mjs";
import {
  writeAnthropicMessages,
  writeGemini,
  writeOllamaChat,
  writeOpenaiChat,
  writeOpenaiResponses,
} from "./dialects.mjs";

/** @typedef {"openai-chat" | "openai-responses" | "anthropic-messages" | "gemini" | "ollama-chat"} FormatName */

/**
 * The bytes of one answer, in a file that every process reads.
 *
 * @typedef {object} Stream
 * @property {string} id
 * @property {FormatName} format
 * @property {"generated" | "recorded"} origin
 * @property {string} file
 * @property {number} bytes
 * @property {number} events JSON payloads: the `[DONE]` at the end is none.
 * @property {number} characters Of text and thinking, which every reader has to show.
 */

/** Real answers lie beside the checkout on some machines. They are not part of it. */
const RECORDED = fileURLToPath(new URL("../../../shared/recorded", import.meta.url));

/**
 * The recorded streams that are long enough to measure more than the start.
 *
 * @type {Readonly<Partial<Record<FormatName, string>>>}
 */
const LONG_RECORDINGS = {
  "openai-chat": "pydantic.test-huggingface-test-hf-model-thinking-part-iter.sse",
  "openai-responses": "vercel.openai-responses-openai-mcp-tool-1-stream.sse",
  "anthropic-messages": "pydantic.test-anthropic-test-pause-turn-web-search-streaming-vcr.sse",
  "ollama-chat": "rig.ollama-streaming-streaming-smoke.ndjson",
};

const GENERATED_EVENTS = 2000;

/**
 * How each dialect is written, and how many tokens the provider puts into an event.
 *
 * @type {readonly {format: FormatName, write: import("./dialects.mjs").WriteStream, tokens: readonly [number, number]}[]}
 */
const GENERATED = [
  { format: "openai-chat", write: writeOpenaiChat, tokens: [1, 1] },
  { format: "openai-responses", write: writeOpenaiResponses, tokens: [1, 1] },
  { format: "anthropic-messages", write: writeAnthropicMessages, tokens: [1, 8] },
  { format: "gemini", write: writeGemini, tokens: [6, 20] },
  { format: "ollama-chat", write: writeOllamaChat, tokens: [1, 1] },
];

/**
 * Makes the generated streams, finds the recorded ones and writes all of them into a directory.
 *
 * @param {string} markdownDirectory
 * @param {string} directory
 * @returns {readonly Stream[]}
 */
export function writeStreams(markdownDirectory, directory) {
  const { texts } = tokenize(readMarkdown(markdownDirectory).slice(0, 150_000));
  const generated = GENERATED.map(({ format, write, tokens: [fewest, most] }, seed) => {
    const random = createRandom(seed + 1);
    let next = 0;
    const pieces = Array.from({ length: GENERATED_EVENTS }, () => {
      const count = fewest + Math.floor(random() * (most - fewest + 1));
      const start = next % (texts.length - most);
      next = start + count;
      return texts.slice(start, next).join("");
    });
    return { format, origin: /** @type {const} */ ("generated"), text: write(pieces, random), shown: pieces.join("") };
  });
  return [...generated, ...readRecordedStreams()].map(({ format, origin, text, shown }) => {
    const id = `${origin}/${format}`;
    const file = join(directory, `${origin}.${format}`);
    const bytes = Buffer.from(text);
    writeFileSync(file, bytes);
    const events = text.match(/^(?:data: ?)?\{/gmu)?.length ?? 0;
    return { id, format, origin, file, bytes: bytes.length, events, characters: shown.length };
  });
}

/** Whole answers of real providers, parsed. */
export function readRecordedBodies() {
  return readRecordedIndex()
    .filter(({ streaming, file }) => !streaming && file.endsWith(".json"))
    .flatMap(({ name, format, provider, file }) => {
      const text = readFileSync(join(RECORDED, file), "utf8");
      // An error page is no body to detect anything in.
      return text.trimStart().startsWith("{") ? [{ name, format, provider, json: text }] : [];
    });
}

function readRecordedStreams() {
  return readRecordedIndex()
    .filter(({ format, file }) => LONG_RECORDINGS[/** @type {FormatName} */ (format)] === file)
    .map(({ format, file, expected }) => ({
      format: /** @type {FormatName} */ (format),
      origin: /** @type {const} */ ("recorded"),
      text: readFileSync(join(RECORDED, file), "utf8"),
      shown: expected.text + expected.reasoning,
    }));
}

/**
 * @typedef {object} Recording
 * @property {string} name
 * @property {string} file
 * @property {string} provider
 * @property {string} format
 * @property {boolean} streaming
 * @property {{text: string, reasoning: string}} expected
 */

/** @returns {readonly Recording[]} */
function readRecordedIndex() {
  const index = join(RECORDED, "index.json");
  if (!existsSync(index)) return [];
  return /** @type {readonly Recording[]} */ (JSON.parse(readFileSync(index, "utf8")));
}
