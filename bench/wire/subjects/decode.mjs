// @ts-check
import { compose } from "fullstop";
import { ANSWER_FORMATS, anthropicMessages, openaiChat } from "fullstop/wire";

/**
 * Our decoder: bytes in, events out.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const decode =
  ({ chunks, format }) =>
  () =>
    readCharacters(format, chunks);

/**
 * @param {import("../streams.mjs").FormatName} format
 * @param {readonly Uint8Array[]} chunks
 */
function readCharacters(format, chunks) {
  let characters = 0;
  const sink = ANSWER_FORMATS[format].decodeStream()({
    push(event) {
      if (event.type === "text" || event.type === "reasoning") characters += event.text.length;
    },
    end: () => undefined,
  });
  for (const chunk of chunks) sink.push(chunk);
  sink.end();
  return { characters };
}

/**
 * Anthropic's bytes in, frames of Chat Completions out.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const transcode = ({ chunks }) => {
  const written = transcodeOnce(chunks);
  return () => {
    let frames = 0;
    pushAll(chunks, (frame) => {
      if (frame.length > 0) frames += 1;
    });
    if (frames !== written.frames) throw new Error(`wrote ${frames} of ${written.frames} frames`);
    return { characters: written.characters };
  };
};

/**
 * The same with the frames made into bytes, which is what a server does next.
 *
 * @type {import("../subject.mjs").Subject}
 */
export const transcodeToBytes = ({ chunks }) => {
  const written = transcodeOnce(chunks);
  return () => {
    const encoder = new TextEncoder();
    let bytes = 0;
    pushAll(chunks, (frame) => {
      bytes += encoder.encode(frame).length;
    });
    if (bytes !== written.bytes) throw new Error(`wrote ${bytes} of ${written.bytes} bytes`);
    return { characters: written.characters };
  };
};

const anthropicToChat = compose(anthropicMessages.decodeStream(), openaiChat.encodeStream());

/**
 * @param {readonly Uint8Array[]} chunks
 * @param {(frame: string) => void} push
 */
function pushAll(chunks, push) {
  const sink = anthropicToChat({ push, end: () => undefined });
  for (const chunk of chunks) sink.push(chunk);
  sink.end();
}

/**
 * What comes out, read back: frames alone would not show that a piece of text is missing.
 *
 * @param {readonly Uint8Array[]} chunks
 */
function transcodeOnce(chunks) {
  /** @type {string[]} */
  const frames = [];
  pushAll(chunks, (frame) => void frames.push(frame));
  const bytes = new TextEncoder().encode(frames.join(""));
  const { characters } = readCharacters("openai-chat", [bytes]);
  return { frames: frames.length, bytes: bytes.length, characters };
}
