/** An event of Anthropic's stream. */
const frame = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

/** A block of content, with the pieces that it comes in. */
export const block = (index: number, content: object, ...deltas: readonly object[]): string =>
  [
    frame("content_block_start", { index, content_block: content }),
    ...deltas.map((delta) => frame("content_block_delta", { index, delta })),
    frame("content_block_stop", { index }),
  ].join("");

/** The beginning of an answer, to a question of 20 tokens. */
export const begin = frame("message_start", {
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "some-model",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 20, output_tokens: 1 },
  },
});

/** The end of an answer of seven tokens. */
export const end = (stopReason: string): string =>
  frame("message_delta", { delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 7 } }) +
  frame("message_stop", {});
