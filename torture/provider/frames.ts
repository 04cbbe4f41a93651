import type { Call, Piece } from "../plan/content.ts";

/** One server-sent event without a name. */
export const dataFrame = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

/** One server-sent event with a name. */
export const namedFrame = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

/** What was said in a channel. */
export function textOf(pieces: readonly Piece[], channel: "reasoning" | "text"): string {
  return pieces.map((piece) => (piece.channel === channel ? piece.text : "")).join("");
}

/** The calls in some pieces, as far as they have come. */
export function callsOf(pieces: readonly Piece[]): readonly Call[] {
  const calls: { id: string; name: string; json: string }[] = [];
  for (const piece of pieces) {
    if (piece.channel !== "call") continue;
    const { index, id, name, text } = piece;
    const call = (calls[index] ??= { id, name, json: "" });
    call.json += text;
  }
  return calls;
}
