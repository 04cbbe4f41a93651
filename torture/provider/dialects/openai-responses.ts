import type { Piece } from "../../plan/content.ts";
import type { Plan } from "../../plan/plan.ts";
import { endingWordOf } from "../endings.ts";
import { namedFrame } from "../frames.ts";
import type { AnswerWriter } from "../writer.ts";

/** An item of the output as far as it has come. */
interface Item {
  readonly key: string;
  readonly channel: Piece["channel"];
  readonly id: string;
  readonly callId: string;
  readonly name: string;
  text: string;
}

/** Writes as OpenAI's Responses do. */
export function createResponsesWriter(plan: Plan): AnswerWriter {
  const { input, output: counted } = plan.usage;
  const word = endingWordOf(plan);
  const isComplete = word === "completed";
  const usage = { input_tokens: input, output_tokens: counted, total_tokens: input + counted };
  const items: Item[] = [];
  let sequence = 0;
  const event = (type: string, data: object): string => namedFrame(type, { sequence_number: sequence++, ...data });
  const response = (status: string, more: object = {}): object => ({
    id: `resp_${plan.number}`,
    object: "response",
    created_at: 1_700_000_000,
    model: "torture",
    status,
    incomplete_details: status === "incomplete" ? { reason: word } : null,
    error: null,
    output: items.map((item) => itemOf(item, "completed")),
    usage: null,
    ...more,
  });
  const open = (): string => (sequence > 0 ? "" : event("response.created", { response: response("in_progress") }));
  const place = (): object => ({ item_id: items.at(-1)?.id, output_index: items.length - 1 });
  const close = (): string => {
    const item = items.at(-1);
    if (item === undefined) return "";
    const { channel, text } = item;
    const done =
      channel === "text"
        ? event("response.output_text.done", { ...place(), content_index: 0, text }) +
          event("response.content_part.done", {
            ...place(),
            content_index: 0,
            part: { type: "output_text", text, annotations: [] },
          })
        : channel === "reasoning"
          ? event("response.reasoning_summary_text.done", { ...place(), summary_index: 0, text }) +
            event("response.reasoning_summary_part.done", {
              ...place(),
              summary_index: 0,
              part: { type: "summary_text", text },
            })
          : event("response.function_call_arguments.done", { ...place(), arguments: text });
    return (
      done + event("response.output_item.done", { output_index: items.length - 1, item: itemOf(item, "completed") })
    );
  };
  const enter = (piece: Piece): string => {
    const key = piece.channel === "call" ? `call ${piece.index}` : piece.channel;
    if (items.at(-1)?.key === key) return "";
    const frames = close();
    const { id = "", name = "" } = piece.channel === "call" ? piece : {};
    const item = { key, channel: piece.channel, id: `item_${items.length}`, callId: id, name, text: "" };
    items.push(item);
    const added = event("response.output_item.added", {
      output_index: items.length - 1,
      item: itemOf(item, "in_progress"),
    });
    if (piece.channel === "call") return frames + added;
    const part =
      piece.channel === "text"
        ? event("response.content_part.added", {
            ...place(),
            content_index: 0,
            part: { type: "output_text", text: "", annotations: [] },
          })
        : event("response.reasoning_summary_part.added", {
            ...place(),
            summary_index: 0,
            part: { type: "summary_text", text: "" },
          });
    return frames + added + part;
  };
  const write = (piece: Piece): string => {
    const before = open() + enter(piece);
    const item = items.at(-1);
    if (item !== undefined) item.text += piece.text;
    const delta = { ...place(), delta: piece.text };
    if (piece.channel === "text") return before + event("response.output_text.delta", { ...delta, content_index: 0 });
    return piece.channel === "reasoning"
      ? before + event("response.reasoning_summary_text.delta", { ...delta, summary_index: 0 })
      : before + event("response.function_call_arguments.delta", delta);
  };
  return {
    piece: write,
    // This dialect says how it ended only at the end.
    pieceWithFinish: write,
    finish: () =>
      open() +
      close() +
      event(isComplete ? "response.completed" : "response.incomplete", {
        response: response(isComplete ? "completed" : "incomplete", { usage }),
      }),
    failure: () =>
      event("response.failed", {
        response: response("failed", { error: { code: "server_error", message: "Busy" } }),
      }),
    whole: (pieces) => {
      for (const piece of pieces) write(piece);
      return response(isComplete ? "completed" : "incomplete", { usage });
    },
  };
}

function itemOf({ channel, id, callId, name, text }: Item, status: string): object {
  if (channel === "call") return { type: "function_call", id, call_id: callId, name, arguments: text, status };
  if (channel === "reasoning")
    return { type: "reasoning", id, summary: text === "" ? [] : [{ type: "summary_text", text }] };
  const content = text === "" ? [] : [{ type: "output_text", text, annotations: [] }];
  return { type: "message", id, role: "assistant", status, content };
}
