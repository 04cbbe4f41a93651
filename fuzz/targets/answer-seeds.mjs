// @ts-check
import { SYNTHETIC_CASES } from "../../bench/accuracy/synthetic/index.mjs";

/** @typedef {import("fullstop/wire").WireFormatName} WireFormatName */

/** @param {string} dialect */
const synthetic = (dialect) =>
  SYNTHETIC_CASES.filter((each) => each.dialect === dialect && each.body.length < 4000).map(({ body }) => body);

/** @param {readonly unknown[]} values */
const events = (...values) => values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("");
/** @param {readonly unknown[]} values */
const lines = (...values) => values.map((value) => `${JSON.stringify(value)}\n`).join("");
/** @param {readonly (Readonly<Record<string, unknown>> & { readonly type: string })[]} values */
const named = (...values) => values.map((value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`).join("");

const page = { url: "https://a.example", title: "A" };
const annotation = { type: "url_citation", ...page, start_index: 0, end_index: 2 };
const call = { id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } };

/**
 * Inputs for the decoder of each dialect: answers in every way they end, and what further fields there are.
 *
 * @type {Readonly<Record<WireFormatName, readonly (string | Uint8Array)[]>>}
 */
export const ANSWER_SEEDS = {
  "openai-chat": [
    ...synthetic("openai-chat"),
    events(
      { choices: [{ index: 0, delta: { reasoning_content: "Hm" } }] },
      {
        choices: [
          {
            index: 0,
            delta: { reasoning: "Hm", reasoning_details: [{ type: "reasoning.text", text: "Hm", signature: "s" }] },
          },
        ],
      },
      { choices: [{ index: 0, delta: { content: [{ type: "text", text: "Hi" }] }, finish_reason: "stop" }] },
      {
        choices: [],
        usage: { prompt_tokens: 3, completion_tokens: 2, completion_tokens_details: { reasoning_tokens: 1 } },
      },
    ),
    events(
      { choices: [{ index: 0, delta: { content: "Hi" } }], citations: [page.url], search_results: [page] },
      {
        choices: [
          {
            index: 0,
            delta: { annotations: [{ type: "url_citation", url_citation: annotation }] },
            finish_reason: "stop",
          },
        ],
      },
    ),
    events({
      choices: [
        {
          index: 0,
          delta: {
            tool_calls: [
              { ...call, index: 0 },
              { ...call, index: 1, id: "c2" },
            ],
          },
        },
      ],
    }),
  ],
  "openai-responses": [
    ...synthetic("openai-responses"),
    named(
      { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "Hm" },
      { type: "response.output_item.done", item: { type: "reasoning", summary: [], encrypted_content: "x" } },
      { type: "response.output_item.done", item: { type: "web_search_call", id: "w", status: "completed" } },
      { type: "response.custom_tool_call_input.delta", output_index: 1, delta: "x" },
    ),
    named(
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Hi" },
      { type: "response.output_text.annotation.added", output_index: 0, content_index: 0, annotation },
      {
        type: "response.completed",
        response: {
          status: "completed",
          output: [{ type: "message", content: [{ type: "output_text", text: "Hi", annotations: [annotation] }] }],
        },
      },
    ),
  ],
  "anthropic-messages": [
    ...synthetic("anthropic-messages"),
    named(
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm" } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "s" } },
      { type: "content_block_start", index: 1, content_block: { type: "redacted_thinking", data: "d" } },
      { type: "content_block_delta", index: 1, delta: { type: "citations_delta", citation: {} } },
      { type: "ping" },
    ),
    named(
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "", citations: [] } },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "citations_delta", citation: { type: "web_search_result_location", ...page, cited_text: "q" } },
      },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" },
    ),
    JSON.stringify({
      type: "message",
      content: [{ type: "text", text: "Hi", citations: [{ type: "search_result_location", source: page.url }] }],
      stop_reason: "end_turn",
    }),
  ],
  gemini: [
    ...synthetic("gemini"),
    events({
      candidates: [
        {
          content: {
            parts: [
              { text: "Hm", thought: true },
              { thoughtSignature: "s", text: "" },
            ],
          },
        },
      ],
    }),
    events({
      candidates: [
        {
          content: {
            parts: [
              { functionCall: { name: "f", willContinue: true } },
              { functionCall: { partialArgs: [{ jsonPath: "$.a[0].b", stringValue: "x" }], willContinue: true } },
              {
                functionCall: {
                  partialArgs: [
                    { jsonPath: '$["c"]', numberValue: 1 },
                    { jsonPath: "$.d", nullValue: null },
                  ],
                },
              },
              { executableCode: { code: "1" } },
            ],
          },
          finishReason: "STOP",
        },
      ],
    }),
    events({
      candidates: [
        {
          content: { parts: [{ text: "Grüße" }] },
          finishReason: "STOP",
          groundingMetadata: {
            groundingChunks: [{ web: { uri: page.url, title: "A" } }],
            groundingSupports: [{ segment: { startIndex: 2, endIndex: 7, text: "üße" }, groundingChunkIndices: [0] }],
          },
          citationMetadata: { citationSources: [{ endIndex: 3, uri: page.url }] },
        },
      ],
    }),
    JSON.stringify([
      { candidates: [{ content: { parts: [{ text: "a" }] } }] },
      { candidates: [{ finishReason: "STOP" }] },
    ]),
  ],
  "openai-completions": [
    `${events({ choices: [{ text: "Hi", index: 0, finish_reason: null }] }, { choices: [{ text: "", finish_reason: "stop" }] })}data: [DONE]\n\n`,
    JSON.stringify({
      choices: [{ text: "Hi", finish_reason: "length" }],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    }),
    events({ content: "Hi", stop: false }, { content: "", stop: true, stop_type: "word", stopping_word: "END" }),
    events(
      { token: { id: 1, text: "Hi" } },
      { token: { text: "" }, generated_text: "Hi", details: { finish_reason: "eos_token" } },
    ),
  ],
  "gemini-interactions": [
    events(
      { event_type: "step.start", index: 0, step: { type: "text" } },
      { event_type: "step.delta", index: 0, delta: { type: "text", text: "Hi" } },
      { event_type: "step.stop", index: 0 },
      { event_type: "interaction.completed", interaction: { status: "completed", steps: [] } },
    ),
    JSON.stringify({
      status: "requires_action",
      steps: [{ type: "function_call", id: "c", name: "f", arguments: { a: 1 } }],
    }),
    JSON.stringify({
      status: "incomplete",
      steps: [{ type: "model_output", content: [{ type: "text", text: "Hi" }] }],
    }),
  ],
  "mistral-chat": [
    events(
      { choices: [{ index: 0, delta: { content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm" }] }] } }] },
      { choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "model_length" }] },
    ),
    JSON.stringify({
      choices: [{ index: 0, message: { content: "", tool_calls: [call] }, finish_reason: "tool_calls" }],
    }),
  ],
  "bedrock-converse": [
    [
      'messageStart {"role":"assistant"}',
      'contentBlockDelta {"contentBlockIndex":0,"delta":{"text":"Hi"}}',
      'contentBlockStop {"contentBlockIndex":0}',
      'contentBlockStart {"contentBlockIndex":1,"start":{"toolUse":{"toolUseId":"t","name":"f"}}}',
      'contentBlockDelta {"contentBlockIndex":1,"delta":{"toolUse":{"input":"{\\"a\\":1}"}}}',
      'contentBlockStop {"contentBlockIndex":1}',
      'messageStop {"stopReason":"tool_use"}',
      'metadata {"usage":{"inputTokens":1,"outputTokens":2}}',
    ].join("\n"),
    'messageStart {}\ncontentBlockDelta {"delta":{"reasoningContent":{"text":"Hm","signature":"s"}}}\nthrottlingException {"message":"slow"}',
    'contentBlockDelta {"contentBlockIndex":0,"delta":{"text":"Hi"}}\ncontentBlockDelta {"contentBlockIndex":0,"delta":{"citation":{"title":"A","sourceContent":[{"text":"q"}],"location":{"web":{"url":"https://a.example"}}}}}\nmessageStop {"stopReason":"end_turn"}',
    JSON.stringify({
      output: {
        message: { content: [{ citationsContent: { content: [{ text: "Hi" }], citations: [{ title: "A" }] } }] },
      },
      stopReason: "end_turn",
    }),
    JSON.stringify({
      output: { message: { content: [{ text: "Hi" }] } },
      stopReason: "end_turn",
      usage: { inputTokens: 1 },
    }),
  ],
  "ollama-chat": [
    lines(
      { model: "m", message: { role: "assistant", thinking: "Hm", content: "" }, done: false },
      { message: { content: "Hi", tool_calls: [{ function: { name: "f", arguments: { a: 1 } } }] }, done: false },
      { message: { content: "" }, done: true, done_reason: "stop", prompt_eval_count: 1, eval_count: 2 },
    ),
    lines({ message: { content: "Hi" }, done: false }, { error: "out of memory" }),
  ],
  "cohere-chat": [
    named(
      { type: "content-delta", index: 0, delta: { message: { content: { text: "Hi" } } } },
      {
        type: "citation-start",
        delta: { message: { citations: { start: 0, end: 2, sources: [{ type: "document", document: page }] } } },
      },
      { type: "message-end", delta: { finish_reason: "COMPLETE" } },
    ),
    named(
      { type: "message-start", id: "m" },
      { type: "content-delta", index: 0, delta: { message: { content: { text: "Hi", thinking: "Hm" } } } },
      { type: "tool-plan-delta", delta: { message: { tool_plan: "I will" } } },
      { type: "tool-call-start", index: 0, delta: { message: { tool_calls: call } } },
      {
        type: "tool-call-delta",
        index: 0,
        delta: { message: { tool_calls: { function: { arguments: "{}" } } } },
      },
      { type: "tool-call-end", index: 0 },
      {
        type: "message-end",
        delta: { finish_reason: "TOOL_CALL", usage: { tokens: { input_tokens: 1, output_tokens: 2 } } },
      },
    ),
    JSON.stringify({
      id: "m",
      finish_reason: "COMPLETE",
      message: { content: [{ type: "text", text: "Hi" }] },
      usage: {},
    }),
  ],
};

/** Names and words of all dialects. */
export const ANSWER_WORDS = [
  ..."data: |[DONE]|event: error|\n\n|fullstop|error|type|text|content|delta|message|choices|index|finish_reason".split(
    "|",
  ),
  ..."tool_calls|function|arguments|name|id|usage|reasoning|thinking|signature|stop|length|end_turn|tool_use".split(
    "|",
  ),
  ..."refusal|content_filter|candidates|parts|functionCall|finishReason|STOP|partialArgs|jsonPath|$.a[0]".split("|"),
  ..."response|output|item|status|completed|incomplete_details|stop_reason|stop_sequence|done|done_reason".split("|"),
  ..."messages|function_call|custom|transcript|audio|willContinue|summary|custom_tool_call|action|added".split("|"),
  ..."promptFeedback|blockReason|input|content_block|partial_json|native_finish_reason|matched_stop|code".split("|"),
];
