import type { Piece } from "../../plan/content.ts";
import type { Plan } from "../../plan/plan.ts";
import { endingWordOf } from "../endings.ts";
import { callsOf, dataFrame, textOf } from "../frames.ts";
import type { AnswerWriter } from "../writer.ts";

/** Writes as Gemini does. A call has no pieces there. */
export function createGeminiWriter(plan: Plan): AnswerWriter {
  const { input, output } = plan.usage;
  const head = { modelVersion: "torture", responseId: `gemini-${plan.number}` };
  const usageMetadata = { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output };
  const word = endingWordOf(plan);
  const chunk = (parts: readonly object[], finishReason?: string): object => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...(finishReason !== undefined && { finishReason }) }],
    usageMetadata: finishReason === undefined ? { promptTokenCount: input, totalTokenCount: input } : usageMetadata,
    ...head,
  });
  return {
    piece: (piece) => dataFrame(chunk([partOf(piece)])),
    pieceWithFinish: (piece) => dataFrame(chunk([partOf(piece)], word)),
    finish: () => dataFrame(chunk([{ text: "" }], word)),
    failure: () => dataFrame({ error: { code: 503, message: "Busy", status: "UNAVAILABLE" } }),
    whole: (pieces) => {
      const thought = textOf(pieces, "reasoning");
      const text = textOf(pieces, "text");
      return chunk(
        [
          ...(thought === "" ? [] : [{ text: thought, thought: true }]),
          ...(text === "" ? [] : [{ text }]),
          ...callsOf(pieces).map(({ id, name, json }) => ({
            functionCall: { id, name, args: JSON.parse(json) as unknown },
          })),
        ],
        word,
      );
    },
  };
}

function partOf(piece: Piece): object {
  if (piece.channel === "text") return { text: piece.text };
  if (piece.channel === "reasoning") return { text: piece.text, thought: true };
  return { functionCall: { id: piece.id, name: piece.name, args: JSON.parse(piece.text) as unknown } };
}
