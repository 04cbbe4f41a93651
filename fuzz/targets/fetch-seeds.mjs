// @ts-check

/** @typedef {Readonly<Record<string, unknown>>} Fields */

/** What is said in every place: it holds the stop string, something before it and something behind. */
const SAID = 'The "capital" of France is Paris.\n';
const [BEGIN, END] = [SAID.slice(0, 20), SAID.slice(20)];
const JSON_SAID = JSON.stringify({ q: SAID });

/** @param {readonly unknown[]} values */
const events = (...values) => values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("");
/** @param {readonly (Fields & { readonly type: string })[]} values */
const named = (...values) => values.map((value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`).join("");

/** @param {readonly Fields[]} choices */
const chat = (...choices) => events(...choices.map((choice) => ({ choices: [{ index: 0, ...choice }] })));
/** @param {Fields} choice */
const chatWhole = (choice) => JSON.stringify({ object: "chat.completion", choices: [{ index: 0, ...choice }] });
/** @param {string} text */
const custom = (text) => ({ index: 0, id: "c1", type: "custom", custom: { name: "run", input: text } });
const spoken = { role: "assistant", audio: { id: "a1", data: "c291bmQ=", transcript: SAID } };
const thinking = [
  { type: "thinking", thinking: [{ type: "text", text: "Hm" }] },
  { type: "text", text: SAID },
];

/** @type {readonly string[]} */
const CHAT = [
  chat({ messages: [{ content: BEGIN }, { content: END }] }),
  chatWhole({ messages: [{ content: BEGIN, tool_calls: [custom("x\n")] }, { content: END }] }),
  chat({ message: { content: BEGIN } }, { message: { content: END, refusal: SAID } }),
  chat({ delta: { content: BEGIN }, message: { content: SAID } }),
  chat(
    { delta: { function_call: { name: "f", arguments: JSON_SAID.slice(0, 9) } } },
    { delta: { function_call: { arguments: JSON_SAID.slice(9) } } },
  ),
  chatWhole({ message: { function_call: { name: "f", arguments: JSON_SAID } }, finish_reason: "function_call" }),
  chat(
    { delta: { tool_calls: [custom(BEGIN)] } },
    { delta: { tool_calls: [{ index: 0, custom: { input: END } }], audio: { transcript: SAID } } },
  ),
  chatWhole({ message: { ...spoken, tool_calls: [custom(SAID)] } }),
  chat({ delta: spoken }),
  chat({ delta: { reasoning_details: [{ text: "", summary: SAID }], content: thinking } }),
  events({
    choices: [
      { index: 1, delta: { content: SAID } },
      { index: 0, delta: { content: SAID } },
    ],
  }),
];

const place = { item_id: "i1", output_index: 1 };
const call = { id: "i1", type: "custom_tool_call", call_id: "c1", name: "run", input: "" };
const message = { id: "m1", type: "message", role: "assistant", content: [{ type: "output_text", text: SAID }] };
const thought = {
  id: "r1",
  type: "reasoning",
  summary: [{ type: "summary_text", text: SAID }],
  content: [{ type: "reasoning_text", text: SAID }],
};
const patch = { id: "p1", type: "apply_patch_call", call_id: "c2", operation: { type: "create_file", diff: SAID } };
const approval = { id: "a1", type: "mcp_approval_request", name: "f", arguments: JSON_SAID };
const done = "response.output_item.done";
const added = "response.output_item.added";

/** @type {readonly string[]} */
const RESPONSES = [
  named(
    { type: added, output_index: 1, item: call },
    { type: "response.custom_tool_call_input.delta", ...place, delta: BEGIN },
    { type: "response.custom_tool_call_input.delta", ...place, delta: END },
    { type: "response.custom_tool_call_input.done", ...place, input: SAID },
    { type: done, output_index: 1, item: { ...call, input: SAID } },
  ),
  named({ type: "response.completed", response: { status: "completed", output: [{ ...call, input: SAID }, message] } }),
  JSON.stringify({ object: "response", status: "completed", output: [{ ...call, input: SAID }, patch, message] }),
  named(
    { type: added, output_index: 1, item: { ...message, content: [] } },
    { type: "response.output_text.delta", ...place, content_index: 0, delta: BEGIN },
    { type: "response.completed", response: { status: "completed", output: [message] } },
  ),
  named({ type: added, output_index: 0, item: message }, { type: done, output_index: 0, item: message }),
  named(
    { type: added, output_index: 0, item: patch },
    { type: "response.apply_patch_call_operation_diff.delta", output_index: 0, delta: SAID },
    { type: done, output_index: 0, item: patch },
    { type: done, output_index: 1, item: thought },
    { type: done, output_index: 2, item: approval },
  ),
  named(
    { type: "response.reasoning_text.delta", ...place, content_index: 0, delta: BEGIN },
    { type: "response.reasoning_text.done", ...place, content_index: 0, text: SAID },
  ),
  JSON.stringify({ object: "response", status: "completed", output: [thought, approval, message] }),
];

const block = { type: "tool_use", id: "t1", name: "f", input: { q: SAID } };
const blocks = [{ type: "thinking", thinking: SAID }, block, { type: "text", text: SAID }];

/** @type {readonly string[]} */
const MESSAGES = [
  named({ type: "message_start", message: { id: "m1", type: "message", content: blocks } }),
  named(
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: { type: "text", text: BEGIN } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: END } },
  ),
  named({ type: "message", content: blocks, stop_reason: "end_turn" }),
  JSON.stringify({ type: "message", content: blocks, stop_reason: "end_turn" }),
];

/** @param {readonly Fields[]} parts */
const gemini = (...parts) => ({ candidates: [{ content: { parts } }] });
/** @param {string} text */
const value = (text) => ({
  functionCall: { partialArgs: [{ jsonPath: "$.q", stringValue: text }], willContinue: true },
});
const pieces = [{ functionCall: { name: "f", willContinue: true } }, value(BEGIN), value(END), { functionCall: {} }];

/** @type {readonly string[]} */
const GEMINI = [
  events(...pieces.map((part) => gemini(part)), gemini({ text: SAID })),
  events(...pieces.slice(0, -1).map((part) => gemini(part)), gemini({ functionCall: {} }, { text: SAID })),
  JSON.stringify(gemini(...pieces, { text: SAID, thought: true }, { text: SAID })),
  events(gemini({ functionCall: { name: "f", args: { q: SAID } } }, { text: SAID })),
];

/**
 * Answers with the stop string in each place that is read, by their dialect.
 *
 * @type {Readonly<Partial<Record<string, readonly string[]>>>}
 */
export const PLACE_SEEDS = {
  "openai-chat": CHAT,
  "openai-responses": RESPONSES,
  "anthropic-messages": MESSAGES,
  gemini: GEMINI,
};
