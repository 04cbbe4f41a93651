// @ts-check
import { createDetector } from "fullstop/detect";
import { readRecordedBodies } from "./streams.mjs";

/**
 * A whole answer, parsed, and who sent it.
 *
 * @typedef {object} Body
 * @property {string} name
 * @property {string} provider
 * @property {Readonly<Record<string, unknown>>} value
 */

const TEXT = "The answer is forty-two. ".repeat(40);
const ARGUMENTS = { location: "San Francisco, CA", unit: "celsius", days: [1, 2, 3] };

/** Answers as the providers send them, one a dialect and one with a tool call where that is read differently. */
const GENERATED = {
  "openai-chat": {
    provider: "openai",
    value: chatCompletion({ role: "assistant", content: TEXT, refusal: null, annotations: [] }, "stop"),
  },
  "openai-chat, tool call": {
    provider: "openai",
    value: chatCompletion(
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "call_abc", type: "function", function: { name: "weather", arguments: JSON.stringify(ARGUMENTS) } },
        ],
        refusal: null,
        annotations: [],
      },
      "tool_calls",
    ),
  },
  "openai-responses": {
    provider: "openai",
    value: {
      id: "resp_0c72b1033351981300690ccf79c6d88193b7d054f4f83ad50a",
      object: "response",
      created_at: 1_762_447_225,
      status: "completed",
      error: null,
      incomplete_details: null,
      model: "gpt-5-mini-2025-08-07",
      output: [
        { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "Think." }] },
        {
          id: "msg_1",
          type: "message",
          status: "completed",
          content: [{ type: "output_text", annotations: [], logprobs: [], text: TEXT }],
          role: "assistant",
        },
      ],
      usage: {
        input_tokens: 1200,
        input_tokens_details: { cached_tokens: 1024 },
        output_tokens: 300,
        output_tokens_details: { reasoning_tokens: 64 },
        total_tokens: 1500,
      },
      metadata: {},
    },
  },
  "anthropic-messages, tool call": {
    provider: "anthropic",
    value: {
      model: "claude-sonnet-4-5-20250929",
      id: "msg_01SC6GnkBDsmEDqyXQpQ2ipm",
      type: "message",
      role: "assistant",
      content: [
        { type: "text", text: TEXT },
        { type: "tool_use", id: "toolu_01", name: "weather", input: ARGUMENTS },
      ],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: {
        input_tokens: 1200,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 1024,
        output_tokens: 300,
        service_tier: "standard",
      },
    },
  },
  gemini: {
    provider: "gemini",
    value: {
      candidates: [{ content: { parts: [{ text: TEXT }], role: "model" }, finishReason: "STOP", index: 0 }],
      usageMetadata: {
        promptTokenCount: 1200,
        candidatesTokenCount: 300,
        totalTokenCount: 1500,
        promptTokensDetails: [{ modality: "TEXT", tokenCount: 1200 }],
      },
      modelVersion: "gemini-2.5-flash",
      responseId: "id_1",
    },
  },
  "ollama-chat": {
    provider: "ollama",
    value: {
      model: "qwen3:4b",
      created_at: "2026-07-28T06:38:07.91851Z",
      message: { role: "assistant", content: TEXT },
      done: true,
      done_reason: "stop",
      total_duration: 4_852_334_875,
      prompt_eval_count: 39,
      eval_count: 289,
    },
  },
};

/**
 * The bodies to detect the ending of: our own, and the recorded ones where there are any.
 *
 * @returns {{generated: readonly Body[], recorded: readonly Body[]}}
 */
export function listBodies() {
  return {
    generated: Object.entries(GENERATED).map(([name, body]) => Object.assign(body, { name })),
    recorded: readRecordedBodies().map(({ name, provider, json }) => ({
      name,
      provider,
      value: /** @type {Readonly<Record<string, unknown>>} */ (JSON.parse(json)),
    })),
  };
}

/** How often each body is tried before it counts as slow or not: enough for the compiler to have done its work. */
const TRIALS = 3000;

/**
 * The names of the three bodies that take longest, by a first look: a process for each of a hundred would be too much.
 *
 * @param {readonly Body[]} bodies
 * @returns {readonly string[]}
 */
export function slowestOf(bodies) {
  const detector = createDetector();
  const times = bodies.map(({ name, value }) => {
    for (let trial = 0; trial < TRIALS; trial++) detector.detectTermination(value, false);
    const start = performance.now();
    for (let trial = 0; trial < TRIALS; trial++) detector.detectTermination(value, false);
    return { name, time: performance.now() - start };
  });
  const sorted = times.sort((first, second) => second.time - first.time);
  return sorted.slice(0, 3).map(({ name }) => name);
}

/**
 * @param {object} message
 * @param {string} reason
 * @returns {Readonly<Record<string, unknown>>}
 */
function chatCompletion(message, reason) {
  return {
    id: "chatcmpl-CYz2w4ZPqXmV1",
    object: "chat.completion",
    created: 1_762_447_225,
    model: "gpt-4.1-mini-2025-04-14",
    choices: [{ index: 0, message, logprobs: null, finish_reason: reason }],
    usage: {
      prompt_tokens: 1200,
      completion_tokens: 300,
      total_tokens: 1500,
      prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
    },
    service_tier: "default",
    system_fingerprint: "fp_4c2851f862",
  };
}
