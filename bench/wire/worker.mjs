// @ts-check
import { serveRounds } from "../rounds.mjs";
import { listBodies } from "./bodies.mjs";
import { readChunks } from "./chunks.mjs";
import { checkResult } from "./subject.mjs";

/** The process of one subject. Modules are loaded on demand, so that no subject shares its process with another's code. */
const SUBJECTS = {
  floor: async () => (await import("./subjects/floor.mjs")).floor,
  decode: async () => (await import("./subjects/decode.mjs")).decode,
  transcode: async () => (await import("./subjects/decode.mjs")).transcode,
  transcodeToBytes: async () => (await import("./subjects/decode.mjs")).transcodeToBytes,
  encode: async () => (await import("./subjects/encode.mjs")).encode,
  encodeFloor: async () => (await import("./subjects/encode.mjs")).encodeFloor,
  llmBridgeTranscode: async () => (await import("./subjects/llm-bridge.mjs")).llmBridgeTranscode,
  llmBridgeClient: async () => (await import("./subjects/llm-bridge.mjs")).llmBridgeClient,
  fullstopSse: async () => (await import("./subjects/sse.mjs")).fullstopSse,
  eventsourceParser: async () => (await import("./subjects/sse.mjs")).eventsourceParser,
  fullstopClient: async () => (await import("./subjects/fullstop-client.mjs")).fullstopClient,
  bodyOnly: async () => (await import("./subjects/fullstop-client.mjs")).bodyOnly,
  openaiSdkChat: async () => (await import("./subjects/openai-sdk.mjs")).openaiSdkChat,
  openaiSdkResponses: async () => (await import("./subjects/openai-sdk.mjs")).openaiSdkResponses,
  anthropicSdk: async () => (await import("./subjects/anthropic-sdk.mjs")).anthropicSdk,
  anthropicSdkHelper: async () => (await import("./subjects/anthropic-sdk.mjs")).anthropicSdkHelper,
  aiSdkOpenaiChat: async () => (await import("./subjects/ai-sdk.mjs")).aiSdkOpenaiChat,
  aiSdkOpenaiResponses: async () => (await import("./subjects/ai-sdk.mjs")).aiSdkOpenaiResponses,
  aiSdkAnthropic: async () => (await import("./subjects/ai-sdk.mjs")).aiSdkAnthropic,
  detector: async () => (await import("./subjects/detect.mjs")).detector,
  registry: async () => (await import("./subjects/detect.mjs")).registry,
};

/**
 * What a process is to read: a stream cut in one way, or bodies by name.
 *
 * @typedef {keyof typeof SUBJECTS} SubjectName
 *
 * @typedef {object} StreamTask
 * @property {SubjectName} subject
 * @property {import("./streams.mjs").Stream} stream
 * @property {import("./chunks.mjs").Cut} cut
 *
 * @typedef {object} BodyTask
 * @property {SubjectName} subject
 * @property {readonly string[]} bodies
 *
 * @typedef {StreamTask | BodyTask} Task
 */

serveRounds(prepare);

/**
 * @param {Task} task
 * @returns {Promise<import("../rounds.mjs").Work<import("./subject.mjs").PassResult>>}
 */
async function prepare(task) {
  const subject = await SUBJECTS[task.subject]();
  if ("bodies" in task) {
    const { generated, recorded } = listBodies();
    const bodies = [...generated, ...recorded].filter(({ name }) => task.bodies.includes(name));
    const pass = await subject({ chunks: [], format: "openai-chat", bodies });
    return { pass, check: (result) => checkResult(result, { bodies: task.bodies.length }), items: bodies.length };
  }
  const { stream, cut } = task;
  const pass = await subject({ chunks: readChunks(stream, cut), format: stream.format, bodies: [] });
  return { pass, check: (result) => checkResult(result, stream), items: stream.events };
}
