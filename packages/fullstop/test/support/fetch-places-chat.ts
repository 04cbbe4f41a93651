import { objectOf } from "./fetch-places.ts";
import type { Fields, Place } from "./fetch-places.ts";
import { dataEvents } from "./wire-bodies.ts";

/** A field of a message: how pieces stand in it, and whether it is the first of several messages that has it. */
interface Said extends Pick<Place, "channel" | "form"> {
  readonly name: string;
  readonly isOne?: boolean;
  readonly isLast?: boolean;
  readonly fields: (pieces: readonly string[], isFirst: boolean) => Fields;
}

const all = (pieces: readonly string[]): string => pieces.join("");

function call(kind: "function" | "custom", fields: Fields, isFirst: boolean): Fields {
  const named = { ...(isFirst && { name: "run" }), ...fields };
  return { tool_calls: [{ index: 0, ...(isFirst && { id: "c1", type: kind }), [kind]: named }] };
}

const SAID: readonly Said[] = [
  { name: "content", channel: "text", form: "text", fields: (pieces) => ({ content: all(pieces) }) },
  {
    name: "content[].text",
    channel: "text",
    form: "text",
    fields: (pieces) => ({ content: pieces.map((text) => ({ type: "text", text })) }),
  },
  {
    name: "content[].refusal",
    channel: "text",
    form: "text",
    fields: (pieces) => ({ content: pieces.map((refusal) => ({ type: "refusal", text: "", refusal })) }),
  },
  {
    name: "content[].thinking",
    channel: "reasoning",
    form: "text",
    fields: (pieces) => ({ content: pieces.map((thinking) => ({ type: "thinking", thinking })) }),
  },
  {
    name: "content[].thinking[].text",
    channel: "reasoning",
    form: "text",
    fields: (pieces) => ({
      content: [{ type: "thinking", thinking: pieces.map((text) => ({ type: "text", text })) }],
    }),
  },
  { name: "refusal", channel: "text", form: "text", fields: (pieces) => ({ refusal: all(pieces) }) },
  {
    name: "reasoning_content",
    channel: "reasoning",
    form: "text",
    fields: (pieces) => ({ reasoning_content: all(pieces), reasoning: all(pieces) }),
  },
  { name: "reasoning", channel: "reasoning", form: "text", fields: (pieces) => ({ reasoning: all(pieces) }) },
  {
    name: "reasoning_details[].text",
    channel: "reasoning",
    form: "text",
    fields: (pieces) => ({ reasoning_details: pieces.map((text) => ({ type: "reasoning.text", text })) }),
  },
  {
    name: "reasoning_details[].summary",
    channel: "reasoning",
    form: "text",
    fields: (pieces) => ({ reasoning_details: pieces.map((summary) => ({ text: "", summary })) }),
  },
  {
    name: "tool_calls[].function.arguments",
    channel: "tool-arguments",
    form: "json",
    fields: (pieces, isFirst) => call("function", { arguments: all(pieces) }, isFirst),
  },
  {
    name: "tool_calls[].function.arguments, an object",
    channel: "tool-arguments",
    form: "object",
    isOne: true,
    fields: (pieces, isFirst) => call("function", { arguments: objectOf(pieces) }, isFirst),
  },
  {
    name: "tool_calls[].custom.input",
    channel: "tool-arguments",
    form: "text",
    fields: (pieces, isFirst) => call("custom", { input: all(pieces) }, isFirst),
  },
  {
    name: "function_call.arguments",
    channel: "tool-arguments",
    form: "json",
    fields: (pieces, isFirst) => ({ function_call: { ...(isFirst && { name: "run" }), arguments: all(pieces) } }),
  },
  {
    name: "audio.transcript",
    channel: "text",
    form: "text",
    isLast: true,
    fields: (pieces) => ({ audio: { id: "audio_1", data: "U0VDUkVU", transcript: all(pieces) } }),
  },
];

/** Text behind everything else in a message, which is what is spoken. */
const spoken = (after: string): Fields => (after === "" ? {} : { audio: { transcript: after } });

const CHUNK = { id: "chat_1", object: "chat.completion.chunk", created: 1, model: "m" };
const WHOLE = { id: "chat_1", object: "chat.completion", created: 1, model: "m" };

function chunk(choice: Fields, said: string): Fields {
  return {
    ...CHUNK,
    choices: [{ index: 0, ...choice, logprobs: { content: [{ token: said }] }, finish_reason: null }],
  };
}

/** How messages stand in the choices of a stream and of a whole answer. */
const CONTAINERS: readonly (readonly [name: string, choice: (messages: readonly Fields[]) => Fields])[] = [
  ["delta", (messages) => ({ delta: Object.assign({}, ...messages) as Fields })],
  ["message", (messages) => ({ message: Object.assign({}, ...messages) as Fields })],
  ["messages", (messages) => ({ messages })],
];

function streamBody(said: Said, choice: (messages: readonly Fields[]) => Fields) {
  return (pieces: readonly string[], after: string): string => {
    const events = pieces.map((piece, index) => {
      const isLast = index === pieces.length - 1;
      const message = { ...said.fields([piece], index === 0), ...(isLast && spoken(after)) };
      return chunk(choice([message]), `${piece}${isLast ? after : ""}`);
    });
    return dataEvents(
      { ...CHUNK, choices: [{ index: 0, delta: { role: "assistant", content: "Lead. " } }] },
      ...events,
    );
  };
}

function wholeBody(said: Said, [name, choice]: (typeof CONTAINERS)[number]) {
  return (pieces: readonly string[], after: string): string => {
    const isList = name === "messages";
    const ran = [
      { content: "Lead. ", tool_calls: [{ id: "c0", function: { name: "search", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "c0", content: "What was found." },
    ];
    const messages = isList
      ? [...ran, ...pieces.map((piece, index) => said.fields([piece], index === 0)), spoken(after)]
      : [{ role: "assistant", ...said.fields(pieces, true), ...spoken(after) }];
    return JSON.stringify({ ...WHOLE, choices: [{ index: 0, ...choice(messages), finish_reason: "stop" }] });
  };
}

const fields: readonly Place[] = SAID.flatMap((said) =>
  CONTAINERS.flatMap((container) => {
    const { channel, form, isOne = false, isLast = false } = said;
    const common = { dialect: "openai-chat", channel, form, isInPieces: !isOne, hasAfter: !isLast } as const;
    const name = `${container[0]}.${said.name}`;
    return [
      { ...common, name: `stream, ${name}`, body: streamBody(said, container[1]) },
      { ...common, name: `whole, ${name}`, body: wholeBody(said, container) },
    ];
  }),
);

/** A message that grows beside its pieces, and has in it what these have not. */
const beside: readonly Place[] = (["stream", "whole"] as const).map((framing) => ({
  name: `${framing}, message.content beside delta`,
  dialect: "openai-chat",
  channel: "text",
  form: "text",
  isInPieces: true,
  hasAfter: false,
  body: (pieces) => {
    const told = pieces.slice(0, -1);
    const rest = { delta: { content: "" }, message: { role: "assistant", content: all(pieces), tool_calls: "SECRET" } };
    if (framing === "stream")
      return dataEvents(...told.map((content) => chunk({ delta: { content } }, content)), chunk(rest, all(pieces)));
    const whole = { ...rest, delta: { content: all(told) } };
    return JSON.stringify({ ...WHOLE, choices: [{ index: 0, ...whole, finish_reason: "stop" }] });
  },
}));

/** Arguments of a call that has its name only in the last piece. */
const unnamed: Place = {
  name: "stream, delta.tool_calls[].function.arguments before the name",
  dialect: "openai-chat",
  channel: "tool-arguments",
  form: "json",
  isInPieces: true,
  hasAfter: true,
  body: (pieces, after) => {
    const events = pieces.map((json, index) => {
      const isLast = index === pieces.length - 1;
      const made = { index: 0, id: "c1", function: { ...(isLast && { name: "run" }), arguments: json } };
      return chunk({ delta: { tool_calls: [made], ...(isLast && spoken(after)) } }, json);
    });
    return dataEvents(...events);
  },
};

/** Every place of Chat Completions. */
export const CHAT_PLACES: readonly Place[] = [...fields, ...beside, unnamed];
