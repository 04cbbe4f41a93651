import { describe, expect, it } from "vitest";
import { ANSWER_FORMATS } from "../../src/wire/index.ts";
import { guardBytes, readEvents } from "../support/fetch-bytes.ts";
import { decodeChunks, tell } from "../support/answers.ts";
import type { Told } from "../support/answers.ts";
import { namedEvents, toBytes } from "../support/wire-bodies.ts";

type Event = { readonly type: string } & Readonly<Record<string, unknown>>;
type Fields = Readonly<Record<string, unknown>>;

const call = (json: string, fields: Fields = {}): Fields => ({
  type: "function_call",
  id: "i1",
  call_id: "c1",
  name: "f",
  arguments: json,
  ...fields,
});
const added = (fields: Fields = {}, place: Fields = { output_index: 0 }): Event => ({
  type: "response.output_item.added",
  ...place,
  item: call("", fields),
});
const delta = (json: string, place: Fields): Event => ({
  type: "response.function_call_arguments.delta",
  delta: json,
  ...place,
});
const done = (item: Fields, place: Fields = { output_index: 0 }): Event => ({
  type: "response.output_item.done",
  ...place,
  item,
});
const end = (...output: readonly Fields[]): Event => ({
  type: "response.completed",
  response: { id: "r", model: "m", status: "completed", output },
});

const JSON_TEXT = '{"x":1}';
const whole = { name: "f", arguments: JSON_TEXT, isEnded: true };

function read(...events: readonly Event[]): Told {
  return tell(decodeChunks(ANSWER_FORMATS["openai-responses"], [toBytes(namedEvents(...events))]));
}

describe("a call of Responses whose events name it in several ways", () => {
  it.each<[string, readonly Event[]]>([
    ["by another place than its item's", [added(), delta(JSON_TEXT, { output_index: 1, item_id: "i1" })]],
    ["by its item where that has a place", [added(), delta(JSON_TEXT, { item_id: "i1" })]],
    ["by the call", [added(), delta(JSON_TEXT, { call_id: "c1" })]],
    ["by the call in place of the item", [added({ id: undefined }, {}), delta(JSON_TEXT, { item_id: "c1" })]],
    ["by nothing", [added(), delta('{"x"', {}), delta(":1}", {})]],
    ["only in the end", [added()]],
    ["to its half", [added(), delta('{"x"', { output_index: 0 })]],
  ])("has all of its arguments: %s", (name, events) => {
    const isShort = ["only in the end", "to its half"].includes(name);
    const output = isShort ? [call(JSON_TEXT)] : [];
    const { toolCalls, signal } = read(...events, end(...output));
    expect(toolCalls).toEqual([whole]);
    expect(signal).toMatchObject({ reason: "tool_calls", confidence: "high" });
  });

  it("is not run twice where the whole answer gives it another id", () => {
    const other = call('{"x": 1}', { id: "i9", call_id: "c9" });
    expect(read(added(), delta(JSON_TEXT, { output_index: 0 }), done(call(JSON_TEXT)), end(other)).toolCalls).toEqual([
      whole,
    ]);
    expect(read(done(call(JSON_TEXT)), end(other, call("{}", { call_id: "c10" }))).toolCalls).toEqual([
      whole,
      { ...whole, arguments: "{}" },
    ]);
    expect(read(done(call(JSON_TEXT)), end({ ...other, name: "g" })).toolCalls).toHaveLength(2);
  });

  it("is run once where it stands twice in the whole answer", () => {
    expect(read(end(call(JSON_TEXT), call(JSON_TEXT))).toolCalls).toEqual([whole]);
  });

  it("is another one beside one that keeps its id", () => {
    const other = call("{}", { id: "i9", call_id: "c9" });
    expect(read(done(call(JSON_TEXT)), end(other, call(JSON_TEXT))).toolCalls).toEqual([
      whole,
      { ...whole, arguments: "{}" },
    ]);
  });

  it("is not lost in the place of a thought", () => {
    const thought = { type: "reasoning", id: "t", summary: [{ type: "summary_text", text: "Hm" }] };
    expect(read(done(thought), done(call(JSON_TEXT)), end())).toMatchObject({ reasoning: "Hm", toolCalls: [whole] });
  });
});

describe("a guarded fetch", () => {
  const text = { type: "message", id: "i2", content: [{ type: "output_text", text: "Fine STOP SECRET" }] };
  const custom = { type: "custom_tool_call", id: "i1", call_id: "c1", name: "f" };

  it.each<[string, readonly Event[], Fields | readonly Fields[]]>([
    ["in pieces", [added(), delta('{"x"', { output_index: 0 })], call(JSON_TEXT)],
    ["under another id", [added(), delta(JSON_TEXT, { output_index: 0 })], call(JSON_TEXT, { call_id: "c9" })],
    ["twice", [], [call(JSON_TEXT), call('{"y":2}')]],
    [
      "as text",
      [
        { type: "response.output_item.added", output_index: 0, item: { ...custom, input: "" } },
        { type: "response.custom_tool_call_input.delta", output_index: 0, delta: "one" },
      ],
      { ...custom, input: "one two" },
    ],
  ])("cuts behind a call that ends only in the whole answer, %s", async (_name, events, items) => {
    const body = toBytes(namedEvents(...events, end(...[items].flat(), text)));
    const { bytes } = await guardBytes("openai-responses", [body], { stop: ["STOP"] });
    expect(Buffer.from(bytes).toString()).not.toContain("SECRET");
    const told = tell(readEvents("openai-responses", bytes));
    expect(told.text).toBe("Fine ");
    expect(told.toolCalls.map((one) => one.arguments)).toEqual(
      tell(readEvents("openai-responses", body)).toolCalls.map((one) => one.arguments),
    );
  });

  it("cuts within the rest of such a call", async () => {
    const body = toBytes(
      namedEvents(added(), delta('{"x":"a', { output_index: 0 }), end(call('{"x":"aSTOP SECRET"}'))),
    );
    const { bytes } = await guardBytes("openai-responses", [body], { stop: [{ text: "STOP", scope: "all" }] });
    expect(Buffer.from(bytes).toString()).not.toContain("SECRET");
    expect(tell(readEvents("openai-responses", bytes)).toolCalls).toEqual([
      { name: "f", arguments: '{"x":"a', isEnded: false },
    ]);
  });
});
