// @ts-check

/**
 * Streams in the exact shape in which the providers send them, for text of our own: recorded streams are mostly
 * short, and a short stream measures little but the start. The field order, the padding and the fields that say
 * nothing are those of recorded answers, because they are what there is to parse.
 *
 * @typedef {(pieces: readonly string[], random: () => number) => string} WriteStream
 */

/** @type {WriteStream} */
export function writeOpenaiChat(pieces, random) {
  const head = {
    id: `chatcmpl-${hex(random, 29)}`,
    object: "chat.completion.chunk",
    created: 1_762_447_225,
    model: "gpt-4.1-mini-2025-04-14",
    service_tier: "default",
    system_fingerprint: `fp_${hex(random, 10)}`,
  };
  const chunk = (/** @type {object} */ delta, /** @type {string | null} */ reason) =>
    dataFrame({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
      usage: null,
      obfuscation: padding(random),
    });
  return [
    chunk({ role: "assistant", content: "", refusal: null }, null),
    ...pieces.map((content) => chunk({ content }, null)),
    chunk({}, "stop"),
    dataFrame({
      ...head,
      choices: [],
      usage: {
        prompt_tokens: 1200,
        completion_tokens: pieces.length,
        total_tokens: 1200 + pieces.length,
        prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 0 },
        completion_tokens_details: {
          reasoning_tokens: 0,
          audio_tokens: 0,
          accepted_prediction_tokens: 0,
          rejected_prediction_tokens: 0,
        },
      },
      obfuscation: padding(random),
    }),
    "data: [DONE]\n\n",
  ].join("");
}

/** @type {WriteStream} */
export function writeOpenaiResponses(pieces, random) {
  const text = pieces.join("");
  const itemId = `msg_${hex(random, 50)}`;
  const place = { item_id: itemId, output_index: 0, content_index: 0 };
  const part = { type: "output_text", annotations: [], logprobs: [], text };
  const item = { id: itemId, type: "message", status: "completed", content: [part], role: "assistant" };
  const usage = {
    input_tokens: 1200,
    input_tokens_details: { cached_tokens: 1024 },
    output_tokens: pieces.length,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 1200 + pieces.length,
  };
  const response = {
    id: `resp_${hex(random, 50)}`,
    object: "response",
    created_at: 1_762_447_225,
    status: "in_progress",
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    max_tool_calls: null,
    model: "gpt-5-mini-2025-08-07",
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: "medium", summary: null },
    service_tier: "auto",
    store: true,
    temperature: 1,
    text: { format: { type: "text" }, verbosity: "medium" },
    tool_choice: "auto",
    tools: [],
    top_logprobs: 0,
    top_p: 1,
    truncation: "disabled",
    usage: null,
    user: null,
    metadata: {},
  };
  let number = 0;
  const event = (/** @type {string} */ type, /** @type {object} */ fields) =>
    eventFrame(type, JSON.stringify({ type, sequence_number: number++, ...fields }));
  return [
    event("response.created", { response }),
    event("response.in_progress", { response }),
    event("response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress", content: [] } }),
    event("response.content_part.added", { ...place, part: { ...part, text: "" } }),
    ...pieces.map((delta) =>
      event("response.output_text.delta", { ...place, delta, logprobs: [], obfuscation: padding(random) }),
    ),
    event("response.output_text.done", { ...place, text, logprobs: [] }),
    event("response.content_part.done", { ...place, part }),
    event("response.output_item.done", { output_index: 0, item }),
    event("response.completed", { response: { ...response, status: "completed", output: [item], usage } }),
  ].join("");
}

/** @type {WriteStream} */
export function writeAnthropicMessages(pieces, random) {
  // Anthropic pads every payload with blanks before its last brace.
  const event = (/** @type {string} */ type, /** @type {object} */ fields) =>
    eventFrame(type, `${JSON.stringify({ type, ...fields }).slice(0, -1)}${" ".repeat(Math.floor(random() * 16))}}`);
  const counts = {
    input_tokens: 1200,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 1024,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
  };
  const message = {
    model: "claude-sonnet-4-5-20250929",
    id: `msg_01${hex(random, 22)}`,
    type: "message",
    role: "assistant",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...counts, output_tokens: 6, service_tier: "standard" },
  };
  return [
    event("message_start", { message }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    'event: ping\ndata: {"type": "ping"}\n\n',
    ...pieces.map((text) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } })),
    event("content_block_stop", { index: 0 }),
    event("message_delta", {
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { ...counts, output_tokens: pieces.length * 4 },
    }),
    event("message_stop", {}),
  ].join("");
}

/** @type {WriteStream} */
export function writeGemini(pieces, random) {
  const responseId = hex(random, 23);
  return pieces
    .map((text, position) => {
      const isLast = position === pieces.length - 1;
      return dataFrame({
        candidates: [
          {
            content: { parts: [{ text }], role: "model" },
            ...(isLast && { finishReason: "STOP" }),
            index: 0,
          },
        ],
        usageMetadata: {
          promptTokenCount: 1200,
          candidatesTokenCount: (position + 1) * 12,
          totalTokenCount: 1283 + (position + 1) * 12,
          promptTokensDetails: [{ modality: "TEXT", tokenCount: 1200 }],
          thoughtsTokenCount: 83,
        },
        modelVersion: "gemini-2.5-flash",
        responseId,
      }).replaceAll("\n", "\r\n");
    })
    .join("");
}

/** @type {WriteStream} */
export function writeOllamaChat(pieces, random) {
  let microseconds = 1_785_220_683_000_000;
  const line = (/** @type {string} */ content, /** @type {object} */ rest) => {
    microseconds += 12_000 + Math.floor(random() * 1000);
    const time = new Date(microseconds / 1000).toISOString().slice(0, -1);
    const created_at = `${time}${String(microseconds % 1000).padStart(3, "0")}Z`;
    return `${JSON.stringify({ model: "qwen3:4b", created_at, message: { role: "assistant", content }, ...rest })}\n`;
  };
  const end = {
    done: true,
    done_reason: "stop",
    total_duration: 4_852_334_875,
    load_duration: 55_301_250,
    prompt_eval_count: 39,
    prompt_eval_duration: 99_508_167,
    eval_count: pieces.length,
    eval_duration: 4_388_903_630,
  };
  return [...pieces.map((piece) => line(piece, { done: false })), line("", end)].join("");
}

/**
 * @param {object} payload
 * @returns {string}
 */
function dataFrame(payload) {
  return `data: ${JSON.stringify(payload)}\n\n`;
}

/**
 * @param {string} name
 * @param {string} payload
 * @returns {string}
 */
function eventFrame(name, payload) {
  return `event: ${name}\ndata: ${payload}\n\n`;
}

/**
 * @param {() => number} random
 * @param {number} length
 * @returns {string}
 */
function hex(random, length) {
  return Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join("");
}

/**
 * What OpenAI adds so that the length of a chunk does not give its content away.
 *
 * @param {() => number} random
 * @returns {string}
 */
function padding(random) {
  return hex(random, 2 + Math.floor(random() * 14));
}
