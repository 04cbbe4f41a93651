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

/** How the text of one channel is told of. */
interface ChannelWords {
  /** What the events of the text begin with; a `.delta` brings a piece of it, and the `.done` all of it. */
  readonly events: string;
  /** What these events say of the place within the item. */
  readonly place: object;
  /** What all of the text is called. */
  readonly whole: "text" | "arguments";
  /** What the text is a part of, where the item has parts. */
  readonly part?: { readonly events: string; readonly write: (text: string) => object };
}

const CHANNELS: Readonly<Record<Piece["channel"], ChannelWords>> = {
  text: {
    events: "response.output_text",
    place: { content_index: 0 },
    whole: "text",
    part: { events: "response.content_part", write: (text) => ({ type: "output_text", text, annotations: [] }) },
  },
  reasoning: {
    events: "response.reasoning_summary_text",
    place: { summary_index: 0 },
    whole: "text",
    part: { events: "response.reasoning_summary_part", write: (text) => ({ type: "summary_text", text }) },
  },
  call: { events: "response.function_call_arguments", place: {}, whole: "arguments" },
};

/** Writes as OpenAI's Responses do. */
export function createResponsesWriter(plan: Plan): AnswerWriter {
  const { input, output: counted } = plan.usage;
  const usage = { input_tokens: input, output_tokens: counted, total_tokens: input + counted };
  const word = endingWordOf(plan);
  const lastStatus = word === "completed" ? "completed" : "incomplete";
  const items: Item[] = [];
  let sequence = 0;
  const event = (type: string, data: object): string => namedFrame(type, { sequence_number: sequence++, ...data });
  /** An event about the text of the last item, or about the part that it is in. */
  const textEvent = (type: string, data: object): string =>
    event(type, { item_id: items.at(-1)?.id, output_index: items.length - 1, ...data });
  const itemEvent = (type: string, item: object): string => event(type, { output_index: items.length - 1, item });
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
  const close = (): string => {
    const item = items.at(-1);
    if (item === undefined) return "";
    const { events, place, whole, part } = CHANNELS[item.channel];
    return (
      textEvent(`${events}.done`, { ...place, [whole]: item.text }) +
      (part === undefined ? "" : textEvent(`${part.events}.done`, { ...place, part: part.write(item.text) })) +
      itemEvent("response.output_item.done", itemOf(item, "completed"))
    );
  };
  const enter = (piece: Piece): string => {
    const key = piece.channel === "call" ? `call ${piece.index}` : piece.channel;
    if (items.at(-1)?.key === key) return "";
    const before = close();
    const { id = "", name = "" } = piece.channel === "call" ? piece : {};
    const item = { key, channel: piece.channel, id: `item_${items.length}`, callId: id, name, text: "" };
    items.push(item);
    const { place, part } = CHANNELS[item.channel];
    return (
      before +
      itemEvent("response.output_item.added", itemOf(item, "in_progress")) +
      (part === undefined ? "" : textEvent(`${part.events}.added`, { ...place, part: part.write("") }))
    );
  };
  const write = (piece: Piece): string => {
    const before = open() + enter(piece);
    const item = items.at(-1);
    if (item !== undefined) item.text += piece.text;
    const { events, place } = CHANNELS[piece.channel];
    return before + textEvent(`${events}.delta`, { delta: piece.text, ...place });
  };
  return {
    piece: write,
    // This dialect says how it ended only at the end.
    pieceWithFinish: write,
    finish: () => open() + close() + event(`response.${lastStatus}`, { response: response(lastStatus, { usage }) }),
    failure: () =>
      event("response.failed", {
        response: response("failed", { error: { code: "server_error", message: "Busy" } }),
      }),
    whole: (pieces) => {
      for (const piece of pieces) write(piece);
      return response(lastStatus, { usage });
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
