// @ts-check

/**
 * What a client has got, as far as it has come.
 *
 * @typedef {object} Answer
 * @property {string} text
 * @property {string} thinking
 * @property {number} endings How often it ended, well or not.
 * @property {boolean} isError
 * @property {boolean} isLast Whether nothing of the answer came after its end.
 */

/** @typedef {{text?: string, thinking?: string, isEnd?: boolean, isError?: boolean}} Part */

/**
 * Reads a stream without any code of ours, so that nothing of ours can hide a mistake of ours.
 *
 * @param {import("./plan.mjs").Dialect} dialect
 * @param {string} body
 * @returns {Answer}
 */
export function readAnswer(dialect, body) {
  const answer = { text: "", thinking: "", endings: 0, isError: false, isLast: true };
  for (const frame of body.split("\n\n")) {
    const data = /^data: (?<data>.*)$/mu.exec(frame)?.groups?.["data"];
    // A frame that was cut because its reader has left is no frame.
    if (data === undefined || data === "[DONE]" || !isWhole(data)) continue;
    const part = READERS[dialect](/** @type {Frame} */ (JSON.parse(data)));
    const hasContent = (part.text ?? "") !== "" || (part.thinking ?? "") !== "";
    if (answer.endings > 0 && hasContent) answer.isLast = false;
    answer.text += part.text ?? "";
    answer.thinking += part.thinking ?? "";
    if (part.isEnd === true) answer.endings += 1;
    if (part.isError === true) answer.isError = true;
  }
  return answer;
}

/**
 * @param {string} json
 * @returns {boolean}
 */
function isWhole(json) {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

/**
 * What stands in the frames of the four dialects, as far as it matters here.
 *
 * @typedef {object} Frame
 * @property {string} [type]
 * @property {unknown} [error]
 * @property {readonly {delta?: {content?: string, reasoning_content?: string}, finish_reason?: string | null}[]} [choices]
 * @property {string | {type?: string, text?: string, thinking?: string}} [delta]
 * @property {readonly {content?: {parts?: readonly {text?: string, thought?: boolean}[]}, finishReason?: string}[]} [candidates]
 */

/** @type {Readonly<Record<import("./plan.mjs").Dialect, (frame: Frame) => Part>>} */
const READERS = {
  "openai-chat"({ error, choices }) {
    if (error !== undefined) return { isEnd: true, isError: true };
    const choice = choices?.[0];
    return {
      text: choice?.delta?.content ?? "",
      thinking: choice?.delta?.reasoning_content ?? "",
      isEnd: typeof choice?.finish_reason === "string",
    };
  },
  "openai-responses"({ type = "", delta }) {
    const piece = typeof delta === "string" ? delta : "";
    return {
      text: type === "response.output_text.delta" ? piece : "",
      thinking: type === "response.reasoning_summary_text.delta" ? piece : "",
      isEnd: /^(?:response\.(?:completed|incomplete|failed)|error)$/u.test(type),
      isError: type === "response.failed" || type === "error",
    };
  },
  "anthropic-messages"({ type, delta }) {
    const piece = typeof delta === "object" ? delta : {};
    return {
      text: piece.type === "text_delta" ? (piece.text ?? "") : "",
      thinking: piece.type === "thinking_delta" ? (piece.thinking ?? "") : "",
      isEnd: type === "message_stop" || type === "error",
      isError: type === "error",
    };
  },
  gemini({ error, candidates }) {
    if (error !== undefined) return { isEnd: true, isError: true };
    const { content, finishReason = "" } = candidates?.[0] ?? {};
    const join = (/** @type {boolean} */ isThought) =>
      (content?.parts ?? []).map(({ text = "", thought = false }) => (thought === isThought ? text : "")).join("");
    return {
      text: join(false),
      thinking: join(true),
      isEnd: finishReason !== "",
      isError: finishReason.startsWith("MALFORMED"),
    };
  },
};
