import type { Piece } from "../../plan/content.ts";
import type { Plan } from "../../plan/plan.ts";
import { endingWordOf } from "../endings.ts";
import { callsOf, namedFrame, textOf } from "../frames.ts";
import type { AnswerWriter } from "../writer.ts";

const SIGNATURE = "c2lnbmF0dXJl";

/** Writes as Anthropic's Messages do. */
export function createMessagesWriter(plan: Plan): AnswerWriter {
  const { input, output } = plan.usage;
  const word = endingWordOf(plan);
  const message = { id: `msg_${plan.number}`, type: "message", role: "assistant", model: "torture" };
  const empty = { ...message, content: [], stop_reason: null, stop_sequence: null };
  let isOpen = false;
  let block: { readonly key: string; readonly index: number; readonly thinks: boolean } | undefined;
  const open = (): string => {
    if (isOpen) return "";
    isOpen = true;
    const start = { message: { ...empty, usage: { input_tokens: input, output_tokens: 1 } } };
    return namedFrame("message_start", start) + namedFrame("ping", {});
  };
  const close = (): string => {
    if (block === undefined) return "";
    const { index, thinks } = block;
    const delta = { type: "signature_delta", signature: SIGNATURE };
    return (
      (thinks ? namedFrame("content_block_delta", { index, delta }) : "") + namedFrame("content_block_stop", { index })
    );
  };
  const enter = (piece: Piece): string => {
    const key = piece.channel === "call" ? `call ${piece.index}` : piece.channel;
    if (block?.key === key) return "";
    const index = block === undefined ? 0 : block.index + 1;
    const frames = close() + namedFrame("content_block_start", { index, content_block: blockOf(piece) });
    block = { key, index, thinks: piece.channel === "reasoning" };
    return frames;
  };
  const write = (piece: Piece): string =>
    open() + enter(piece) + namedFrame("content_block_delta", { index: block?.index, delta: deltaOf(piece) });
  const end = (): string =>
    namedFrame("message_delta", {
      delta: { stop_reason: word, stop_sequence: null },
      usage: { output_tokens: output },
    });
  return {
    piece: write,
    // The one dialect in which the word of the end has a frame of its own before the end.
    pieceWithFinish: (piece) => write(piece) + end(),
    finish: () => open() + close() + end() + namedFrame("message_stop", {}),
    failure: () => namedFrame("error", { error: { type: "overloaded_error", message: "Busy" } }),
    whole: (pieces) => ({
      ...message,
      content: [
        ...(textOf(pieces, "reasoning") === ""
          ? []
          : [{ type: "thinking", thinking: textOf(pieces, "reasoning"), signature: SIGNATURE }]),
        ...(textOf(pieces, "text") === "" ? [] : [{ type: "text", text: textOf(pieces, "text") }]),
        ...callsOf(pieces).map(({ id, name, json }) => ({
          type: "tool_use",
          id,
          name,
          input: JSON.parse(json) as unknown,
        })),
      ],
      stop_reason: word,
      stop_sequence: null,
      usage: { input_tokens: input, output_tokens: output },
    }),
  };
}

function blockOf(piece: Piece): object {
  if (piece.channel === "text") return { type: "text", text: "" };
  if (piece.channel === "reasoning") return { type: "thinking", thinking: "", signature: "" };
  return { type: "tool_use", id: piece.id, name: piece.name, input: {} };
}

function deltaOf({ channel, text }: Piece): object {
  if (channel === "text") return { type: "text_delta", text };
  return channel === "reasoning"
    ? { type: "thinking_delta", thinking: text }
    : { type: "input_json_delta", partial_json: text };
}
