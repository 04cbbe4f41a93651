import { objectOf } from "./fetch-places.ts";
import type { Fields, Place } from "./fetch-places.ts";
import { namedFrames } from "./fetch-bytes.ts";
import { dataEvents } from "./wire-bodies.ts";

const all = (pieces: readonly string[]): string => pieces.join("");

/** A block of Messages: the type of its pieces, and the field in it and in them. */
const BLOCKS = [
  { type: "text", channel: "text", form: "text", field: "text" },
  { type: "thinking", channel: "reasoning", form: "text", field: "thinking" },
  { type: "tool_use", channel: "tool-arguments", form: "object", field: "input" },
] as const;

type Block = (typeof BLOCKS)[number];

const LEAD = { type: "text", text: "Lead. " };
const MESSAGE = { id: "msg_1", type: "message", role: "assistant", model: "m", usage: { input_tokens: 1 } };

function blockOf({ type, field }: Block, pieces: readonly string[]): Fields {
  if (type === "tool_use") return { type, id: "t1", name: "run", input: objectOf(pieces) };
  return { type, [field]: all(pieces) };
}

/** The blocks that a whole answer has pieces in: one a piece, and a call in one. */
function blocksOf(block: Block, pieces: readonly string[], after: string): readonly Fields[] {
  const said = block.type === "tool_use" ? [blockOf(block, pieces)] : pieces.map((piece) => blockOf(block, [piece]));
  return [LEAD, ...said, ...(after === "" ? [] : [{ type: "text", text: after }])];
}

function openBlock(index: number, content_block: Fields): Fields {
  return { type: "content_block_start", index, content_block };
}

const MESSAGES_START = { type: "message_start", message: { ...MESSAGE, content: [] } };
const MESSAGES_END = [
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
];

function blockPlaces(block: Block): readonly Place[] {
  const { type, channel, form, field } = block;
  const common = { dialect: "anthropic-messages", channel, hasAfter: true } as const;
  const isCall = type === "tool_use";
  const place = `${type}.${field}`;
  const empty = isCall ? { type, id: "t1", name: "run", input: {} } : { type, [field]: "" };
  const delta = (piece: string): Fields => ({
    type: "content_block_delta",
    index: 1,
    delta: isCall ? { type: "input_json_delta", partial_json: piece } : { type: `${type}_delta`, [field]: piece },
  });
  const frames = (first: Fields, pieces: readonly string[], after: string): string =>
    namedFrames(
      MESSAGES_START,
      openBlock(0, LEAD),
      { type: "content_block_stop", index: 0 },
      openBlock(1, first),
      ...pieces.map(delta),
      { type: "content_block_stop", index: 1 },
      ...(after === "" ? [] : [openBlock(2, { type: "text", text: after })]),
      ...MESSAGES_END,
    );
  return [
    {
      ...common,
      name: `stream, content_block_delta, ${place}`,
      form: isCall ? "json" : "text",
      isInPieces: true,
      body: (pieces, after) => frames(empty, pieces, after),
    },
    {
      ...common,
      name: `stream, content_block_start, ${place}`,
      form,
      isInPieces: !isCall,
      body: (pieces, after) =>
        frames(blockOf(block, isCall ? pieces : pieces.slice(0, 1)), isCall ? [] : pieces.slice(1), after),
    },
    {
      ...common,
      name: `stream, message_start, ${place}`,
      form,
      isInPieces: !isCall,
      body: (pieces, after) => {
        const message = { ...MESSAGE, content: blocksOf(block, pieces, after) };
        return namedFrames({ type: "message_start", message }, ...MESSAGES_END);
      },
    },
    {
      ...common,
      name: `stream, message, ${place}`,
      form,
      isInPieces: !isCall,
      body: (pieces, after) =>
        namedFrames({ ...MESSAGE, content: blocksOf(block, pieces, after), stop_reason: "end_turn" }),
    },
    {
      ...common,
      name: `whole, ${place}`,
      form,
      isInPieces: !isCall,
      body: (pieces, after) =>
        JSON.stringify({ ...MESSAGE, content: blocksOf(block, pieces, after), stop_reason: "end_turn" }),
    },
  ];
}

/** Every place of Anthropic Messages. */
export const MESSAGES_PLACES: readonly Place[] = BLOCKS.flatMap(blockPlaces);

/** A part of Gemini by the pieces of what it says; one that is a call in pieces is several. */
const PARTS = [
  {
    name: "text",
    channel: "text",
    form: "text",
    parts: (pieces: readonly string[]) => pieces.map((text) => ({ text })),
  },
  {
    name: "text, a thought",
    channel: "reasoning",
    form: "text",
    parts: (pieces: readonly string[]) => pieces.map((text) => ({ text, thought: true })),
  },
  {
    name: "functionCall.args",
    channel: "tool-arguments",
    form: "object",
    parts: (pieces: readonly string[]) => [{ functionCall: { name: "run", args: objectOf(pieces) } }],
  },
  {
    name: "functionCall.partialArgs",
    channel: "tool-arguments",
    form: "text",
    parts: (pieces: readonly string[]) => [
      { functionCall: { name: "run", willContinue: true } },
      ...pieces.map((stringValue) => ({
        functionCall: { partialArgs: [{ jsonPath: "$.q", stringValue }], willContinue: true },
      })),
      { functionCall: {} },
    ],
  },
  {
    name: "functionCall.partialArgs, of which each says that it goes on",
    channel: "tool-arguments",
    form: "text",
    parts: (pieces: readonly string[]) => [
      ...pieces.map((stringValue, index) => ({
        functionCall: {
          ...(index === 0 && { name: "run" }),
          partialArgs: [{ jsonPath: "$.q", stringValue, willContinue: true }],
        },
      })),
      { functionCall: {} },
    ],
  },
  {
    name: "functionCall.partialArgs, at once",
    channel: "tool-arguments",
    form: "text",
    parts: (pieces: readonly string[]) => [
      { functionCall: { name: "run", partialArgs: [{ jsonPath: "$.q", stringValue: all(pieces) }] } },
    ],
  },
] as const;

function chunk(parts: readonly Fields[]): Fields {
  const candidate = { index: 0, content: { role: "model", parts }, finishReason: "STOP" };
  return { responseId: "r1", modelVersion: "m", candidates: [candidate] };
}

/** Every place of Gemini. */
export const GEMINI_PLACES: readonly Place[] = PARTS.flatMap(({ name, channel, form, parts }) => {
  const isCall = channel === "tool-arguments";
  const common = {
    dialect: "gemini",
    channel,
    form,
    isInPieces: form !== "object",
    isLeftOut: isCall,
    hasAfter: true,
  } as const;
  const lead = { text: "Lead. " };
  const ends = (after: string): readonly Fields[] => (after === "" ? [] : [{ text: after }]);
  const chunks = (pieces: readonly string[], after: string): readonly Fields[] => {
    const said: readonly Fields[] = parts(pieces);
    return [
      chunk([lead]),
      ...said.slice(0, -1).map((part) => chunk([part])),
      chunk([...said.slice(-1), ...ends(after)]),
    ];
  };
  return [
    { ...common, name: `stream, ${name}`, body: (pieces, after) => dataEvents(...chunks(pieces, after)) },
    { ...common, name: `list, ${name}`, body: (pieces, after) => JSON.stringify(chunks(pieces, after)) },
    {
      ...common,
      name: `whole, ${name}`,
      body: (pieces, after) => JSON.stringify(chunk([lead, ...parts(pieces), ...ends(after)])),
    },
  ] satisfies readonly Place[];
});
