const event = (data: unknown, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

const chunk = (delta: unknown, finish: string | null = null): string =>
  event({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    model: "gpt-small",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

const message = (data: { readonly type: string }): string => event(data, data.type);

/** A chat that was streamed to its end in two pieces of text. */
export const chatStream: string = [
  chunk({ role: "assistant", content: "Good " }),
  chunk({ content: "morning" }),
  chunk({}, "stop"),
  event({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    model: "gpt-small",
    choices: [],
    usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
  }),
  event("[DONE]"),
].join("");

/** The same chat, broken off in the middle of its text. */
export const cutChatStream: string = chatStream.slice(0, chatStream.indexOf("morning"));

/** A chat with the given text. */
export function chatOf(content: string): string {
  return [chunk({ role: "assistant", content }), chunk({}, "stop"), event("[DONE]")].join("");
}

/** A chat that quotes two pages, one of them twice, and something that has no address on the web. */
export const citedChat: string = [
  chunk({ role: "assistant", content: "Cranes sleep standing. They dance, too." }),
  chunk({
    annotations: [
      page({ url: "https://birds.example/crane", title: "Cranes\u001B[2J", start_index: 0, end_index: 22 }),
      page({ url: "https://dance.example/", start_index: 23, end_index: 39 }),
      page({ url: "https://birds.example/crane", title: "Cranes", start_index: 23, end_index: 39 }),
      page({ url: "javascript:alert(1)", title: "Trick", start_index: 23, end_index: 39 }),
    ],
  }),
  chunk({}, "stop"),
  event("[DONE]"),
].join("");

function page(citation: object): object {
  return { type: "url_citation", url_citation: citation };
}

/** An answer with thinking, text and a tool call that the token limit cut. */
export const messagesStream: string = [
  message({
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-small",
      content: [],
      stop_reason: null,
      usage: { input_tokens: 11, cache_read_input_tokens: 30, output_tokens: 1 },
    },
  } as { type: string }),
  ...block(0, { type: "thinking", thinking: "", signature: "" }, [{ type: "thinking_delta", thinking: "Which city?" }]),
  ...block(1, { type: "text", text: "" }, [
    { type: "text_delta", text: "Let me " },
    { type: "text_delta", text: "look." },
  ]),
  ...block(2, { type: "tool_use", id: "toolu_1", name: "get_time", input: {} }, [
    { type: "input_json_delta", partial_json: '{"zone":' },
    { type: "input_json_delta", partial_json: '"CET"}' },
  ]),
  ...block(3, { type: "tool_use", id: "toolu_2", name: "get_weather", input: {} }, [
    { type: "input_json_delta", partial_json: '{"city":"Par' },
  ]).slice(0, -1),
  message({
    type: "message_delta",
    delta: { stop_reason: "max_tokens", stop_sequence: null },
    usage: { output_tokens: 64 },
  } as { type: string }),
  message({ type: "message_stop" }),
].join("");

function block(index: number, content: unknown, deltas: readonly unknown[]): string[] {
  return [
    message({ type: "content_block_start", index, content_block: content } as { type: string }),
    ...deltas.map((delta) => message({ type: "content_block_delta", index, delta } as { type: string })),
    message({ type: "content_block_stop", index } as { type: string }),
  ];
}

/** A whole answer that was not streamed and tells no usage. */
export const geminiDocument: string = JSON.stringify({
  candidates: [{ content: { role: "model", parts: [{ text: "Bonjour" }] }, finishReason: "MAX_TOKENS", index: 0 }],
  modelVersion: "gemini-small",
});

/** A chat as lines of JSON. */
export const ollamaLines: string = [
  { model: "tiny", message: { role: "assistant", content: "Hi" }, done: false },
  {
    model: "tiny",
    message: { role: "assistant", content: "" },
    done: true,
    done_reason: "length",
    prompt_eval_count: 3,
    eval_count: 1,
  },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join("");

/** A provider's refusal of a request. */
export const overloaded: string = JSON.stringify({
  type: "error",
  error: { type: "overloaded_error", message: "Overloaded" },
});
