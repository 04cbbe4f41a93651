import { objectOf } from "./fetch-places.ts";
import type { Fields, Place } from "./fetch-places.ts";
import { namedFrames } from "./fetch-bytes.ts";

type Pieces = readonly string[];

const all = (pieces: Pieces): string => pieces.join("");

const RESPONSE = { id: "resp_1", object: "response", model: "m" };

function message(id: string, text: string): Fields {
  return { id, type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] };
}

const LEAD = message("msg_0", "Lead. ");

function itemDone(output_index: number, item: Fields): Fields {
  return { type: "response.output_item.done", output_index, item };
}

function itemAdded(item: Fields): Fields {
  return { type: "response.output_item.added", output_index: 1, item };
}

/** A stream with an item at its second place, and text behind it. */
function stream(events: readonly Fields[], after: string, output: readonly Fields[] = []): string {
  const behind = after === "" ? [] : [message("msg_2", after)];
  const isWhole = output.length > 0;
  return namedFrames(
    { type: "response.created", response: { ...RESPONSE, status: "in_progress", output: [] } },
    itemDone(0, LEAD),
    ...events,
    ...(isWhole ? [] : behind.map((item) => itemDone(2, item))),
    {
      type: "response.completed",
      response: { ...RESPONSE, status: "completed", output: isWhole ? [LEAD, ...output, ...behind] : [] },
    },
  );
}

function whole(items: readonly Fields[], after: string): string {
  const output = [LEAD, ...items, ...(after === "" ? [] : [message("msg_2", after)])];
  return JSON.stringify({ ...RESPONSE, status: "completed", output, output_text: "SECRET", error: null });
}

/** Texts: the item and the list that they stand in, and the events about them. */
const TEXTS = [
  { part: "output_text", field: "text", item: "message", list: "content", event: "output_text" },
  { part: "refusal", field: "refusal", item: "message", list: "content", event: "refusal" },
  { part: "summary_text", field: "text", item: "reasoning", list: "summary", event: "reasoning_summary_text" },
  { part: "reasoning_text", field: "text", item: "reasoning", list: "content", event: "reasoning_text" },
  { part: "reasoning_text", field: "text", item: "reasoning", list: "content", event: "reasoning" },
] as const;

function textPlaces({ part, field, item, list, event }: (typeof TEXTS)[number]): readonly Place[] {
  const place = { item_id: "it_1", output_index: 1, [`${list}_index`]: 0 };
  const partOf = (text: string): Fields => ({ type: part, [field]: text });
  const itemOf = (texts: Pieces): Fields => ({ id: "it_1", type: item, [list]: texts.map(partOf) });
  const partEvent = list === "summary" ? "reasoning_summary_part" : "content_part";
  const partAdded = (text: string): Fields => ({ type: `response.${partEvent}.added`, ...place, part: partOf(text) });
  const partDone = (text: string): Fields => ({ type: `response.${partEvent}.done`, ...place, part: partOf(text) });
  const textDone = (text: string): Fields => ({ type: `response.${event}.done`, ...place, [field]: text });
  const deltas = (pieces: Pieces): readonly Fields[] =>
    pieces.map((delta) => ({ type: `response.${event}.delta`, ...place, delta }));
  const announced = [itemAdded(itemOf([])), partAdded("")];
  const channel = item === "message" ? "text" : "reasoning";
  const common = { dialect: "openai-responses", channel, form: "text", isInPieces: true, hasAfter: true } as const;
  /** All pieces but the last as such, and then all of it once more. */
  const endingWith = (end: (text: string) => Fields) => (pieces: Pieces, after: string) =>
    stream([...announced, ...deltas(pieces.slice(0, -1)), end(all(pieces))], after);
  return [
    {
      ...common,
      name: `stream, ${event}.delta`,
      body: (pieces, after) => {
        const text = all(pieces);
        return stream(
          [...announced, ...deltas(pieces), textDone(text), partDone(text), itemDone(1, itemOf([text]))],
          after,
        );
      },
    },
    {
      ...common,
      name: `stream, ${event}.delta, not announced`,
      body: (pieces, after) => stream(deltas(pieces), after),
    },
    { ...common, name: `stream, ${event}.done`, body: endingWith(textDone) },
    { ...common, name: `stream, ${event}, ${partEvent}.done`, body: endingWith(partDone) },
    { ...common, name: `stream, ${event}, output_item.done`, body: endingWith((text) => itemDone(1, itemOf([text]))) },
    {
      ...common,
      name: `stream, ${event}, output_item.done alone`,
      body: (pieces, after) => stream([itemDone(1, itemOf(pieces))], after),
    },
    {
      ...common,
      name: `stream, ${event}, output_item.added`,
      isInPieces: false,
      body: (pieces, after) => stream([itemAdded(itemOf(pieces)), itemDone(1, itemOf(pieces))], after),
    },
    {
      ...common,
      name: `stream, ${event}, ${partEvent}.added`,
      isInPieces: false,
      body: (pieces, after) =>
        stream([itemAdded(itemOf([])), partAdded(all(pieces)), itemDone(1, itemOf(pieces))], after),
    },
    {
      ...common,
      name: `stream, ${event}, completed`,
      body: (pieces, after) => stream([...announced, ...deltas(pieces.slice(0, -1))], after, [itemOf([all(pieces)])]),
    },
    {
      ...common,
      name: `stream, ${event}, completed alone`,
      body: (pieces, after) => stream([], after, [itemOf(pieces)]),
    },
    { ...common, name: `whole, ${event}`, body: (pieces, after) => whole([itemOf(pieces)], after) },
  ];
}

/** Calls that come in pieces. */
const CALLS = [
  { type: "function_call", field: "arguments", form: "json", event: "function_call_arguments" },
  { type: "custom_tool_call", field: "input", form: "text", event: "custom_tool_call_input" },
] as const;

function callPlaces({ type, field, form, event }: (typeof CALLS)[number]): readonly Place[] {
  const place = { item_id: "it_1", output_index: 1 };
  const itemOf = (said: string): Fields => ({
    id: "it_1",
    type,
    call_id: "c1",
    name: "run",
    [field]: said,
    status: "completed",
  });
  const deltas = (pieces: Pieces): readonly Fields[] =>
    pieces.map((delta) => ({ type: `response.${event}.delta`, ...place, delta }));
  const done = (said: string): Fields => ({ type: `response.${event}.done`, ...place, [field]: said });
  const channel = "tool-arguments";
  const common = { dialect: "openai-responses", channel, form, isInPieces: true, hasAfter: true } as const;
  const announced = itemAdded(itemOf(""));
  return [
    {
      ...common,
      name: `stream, ${event}.delta`,
      body: (pieces, after) =>
        stream([announced, ...deltas(pieces), done(all(pieces)), itemDone(1, itemOf(all(pieces)))], after),
    },
    {
      ...common,
      name: `stream, ${event}.done`,
      body: (pieces, after) => stream([announced, ...deltas(pieces.slice(0, -1)), done(all(pieces))], after),
    },
    {
      ...common,
      name: `stream, ${type}, output_item.done`,
      body: (pieces, after) =>
        stream([announced, ...deltas(pieces.slice(0, -1)), itemDone(1, itemOf(all(pieces)))], after),
    },
    {
      ...common,
      name: `stream, ${type}, output_item.done alone`,
      isInPieces: false,
      body: (pieces, after) => stream([itemDone(1, itemOf(all(pieces)))], after),
    },
    {
      ...common,
      name: `stream, ${type}, output_item.added`,
      isInPieces: false,
      body: (pieces, after) => stream([itemAdded(itemOf(all(pieces))), itemDone(1, itemOf(all(pieces)))], after),
    },
    {
      ...common,
      name: `stream, ${type}, completed`,
      isInPieces: false,
      body: (pieces, after) => stream([], after, [itemOf(all(pieces))]),
    },
    {
      ...common,
      name: `whole, ${type}`,
      isInPieces: false,
      body: (pieces, after) => whole([itemOf(all(pieces))], after),
    },
  ];
}

/** Calls of another kind, of which half cannot be said. */
const OTHERS = [
  { type: "computer_call", field: "action", form: "object" },
  { type: "computer_call", field: "actions", form: "object" },
  { type: "local_shell_call", field: "action", form: "object" },
  { type: "shell_call", field: "action", form: "object" },
  { type: "apply_patch_call", field: "operation", form: "object" },
  { type: "mcp_approval_request", field: "arguments", form: "json" },
  { type: "tool_search_call", field: "arguments", form: "object" },
] as const;

function otherPlaces({ type, field, form }: (typeof OTHERS)[number]): readonly Place[] {
  const itemOf = (pieces: Pieces): Fields => {
    const asked = form === "object" ? objectOf(pieces) : all(pieces);
    const execution = type === "tool_search_call" && { execution: "client" };
    return { id: "it_1", type, call_id: "c1", ...execution, [field]: field === "actions" ? [asked] : asked };
  };
  const channel = "tool-arguments";
  const item = `${type} with ${field}`;
  const common = {
    dialect: "openai-responses",
    channel,
    form,
    isInPieces: false,
    isLeftOut: true,
    hasAfter: true,
  } as const;
  return [
    {
      ...common,
      name: `stream, ${item}, output_item.done`,
      body: (pieces, after) => stream([itemDone(1, itemOf(pieces))], after),
    },
    {
      ...common,
      name: `stream, ${item}, output_item.added and pieces`,
      body: (pieces, after) => {
        const delta = { type: `response.${type}_piece.delta`, output_index: 1, delta: all(pieces) };
        return stream([itemAdded(itemOf(pieces)), delta, itemDone(1, itemOf(pieces))], after);
      },
    },
    {
      ...common,
      name: `stream, ${item}, completed`,
      body: (pieces, after) => stream([], after, [itemOf(pieces)]),
    },
    { ...common, name: `whole, ${item}`, body: (pieces, after) => whole([itemOf(pieces)], after) },
  ];
}

/** Every place of OpenAI Responses. */
export const RESPONSES_PLACES: readonly Place[] = [
  ...TEXTS.flatMap(textPlaces),
  ...CALLS.flatMap(callPlaces),
  ...OTHERS.flatMap(otherPlaces),
];
