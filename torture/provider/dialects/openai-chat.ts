import type { Piece } from "../../plan/content.ts";
import type { Plan } from "../../plan/plan.ts";
import { endingWordOf } from "../endings.ts";
import { callsOf, dataFrame, textOf } from "../frames.ts";
import type { AnswerWriter } from "../writer.ts";

/** Writes as OpenAI's Chat Completions do, with thinking where most other servers put it. */
export function createChatWriter(plan: Plan): AnswerWriter {
  const { number } = plan;
  const head = { id: `chatcmpl-${number}`, created: 1_700_000_000, model: "torture" };
  const usage = {
    prompt_tokens: plan.usage.input,
    completion_tokens: plan.usage.output,
    total_tokens: plan.usage.input + plan.usage.output,
  };
  const word = endingWordOf(plan);
  const chunk = (delta: object, finish: string | null = null): string =>
    dataFrame({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] });
  let isOpen = false;
  const open = (): string => {
    if (isOpen) return "";
    isOpen = true;
    return chunk({ role: "assistant", content: "" });
  };
  return {
    piece: (piece) => open() + chunk(deltaOf(piece)),
    pieceWithFinish: (piece) => open() + chunk(deltaOf(piece), word),
    finish: () =>
      open() +
      chunk({}, word) +
      dataFrame({ ...head, object: "chat.completion.chunk", choices: [], usage }) +
      "data: [DONE]\n\n",
    failure: () => dataFrame({ error: { message: "Busy", type: "server_error", code: "overloaded" } }),
    whole: (pieces) => ({
      ...head,
      object: "chat.completion",
      choices: [
        {
          index: 0,
          finish_reason: word,
          message: {
            role: "assistant",
            content: textOf(pieces, "text"),
            ...(pieces.some(({ channel }) => channel === "reasoning") && {
              reasoning_content: textOf(pieces, "reasoning"),
            }),
            ...(callsOf(pieces).length > 0 && {
              tool_calls: callsOf(pieces).map(({ id, name, json }) => ({
                id,
                type: "function",
                function: { name, arguments: json },
              })),
            }),
          },
        },
      ],
      usage,
    }),
  };
}

function deltaOf(piece: Piece): object {
  if (piece.channel === "text") return { content: piece.text };
  if (piece.channel === "reasoning") return { reasoning_content: piece.text };
  const { index, id, name, text, isFirst } = piece;
  const named = isFirst
    ? { id, type: "function", function: { name, arguments: text } }
    : { function: { arguments: text } };
  return { tool_calls: [{ index, ...named }] };
}
