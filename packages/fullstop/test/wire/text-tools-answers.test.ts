import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../src/index.ts";
import { WIRE_FORMATS } from "../../src/wire/index.ts";
import { decodeChunks, tell } from "../support/answers.ts";
import { cutAt } from "../support/cuts.ts";
import { DIALECTS, callDelta, callEnd, finish, read, readList, start, text } from "../support/official.ts";
import type { Json } from "../support/official.ts";
import { toBytes } from "../support/wire-bodies.ts";

const OPENAI = ["openai-chat", "openai-responses"] as const;

type OpenaiDialect = (typeof OPENAI)[number];

const callStart: GenerationEvent = { type: "tool-call-start", callId: "c", name: "apply_patch", isText: true };

/** An answer with one call, whose arguments come in pieces. */
function answerOf(...pieces: readonly string[]): GenerationEvent[] {
  const deltas = pieces.map((json) => callDelta("c", json));
  return [start, text("Mending. "), callStart, ...deltas, callEnd("c"), finish("tool_calls")];
}

function streamOf(dialect: OpenaiDialect, events: readonly GenerationEvent[]): string[] {
  const frames: string[] = [];
  const sink = WIRE_FORMATS[dialect].encodeStream()({ push: (frame) => void frames.push(frame), end: () => undefined });
  for (const event of events) sink.push(event);
  sink.end();
  return frames;
}

/** Not by `.` and `$`: to a pattern a line also ends where Unicode has one end, which may stand in the JSON as it is. */
const payloadOf = (frame: string): Json =>
  JSON.parse(/(?:^|\n)data: (?<json>\{[^\n]*\})\n/u.exec(frame)?.groups?.["json"] ?? "{}") as Json;

/** The pieces of the text of the call, as a stream has them. */
const PIECES: Readonly<Record<OpenaiDialect, (payload: Json) => unknown>> = {
  "openai-chat": (payload) => read(payload, "choices", 0, "delta", "tool_calls", 0, "custom", "input"),
  "openai-responses": ({ type, delta }) => (type === "response.custom_tool_call_input.delta" ? delta : undefined),
};

function textInStream(dialect: OpenaiDialect, events: readonly GenerationEvent[]): string {
  return streamOf(dialect, events)
    .map((frame) => PIECES[dialect](payloadOf(frame)))
    .filter((piece) => typeof piece === "string")
    .join("");
}

/** The text of the call in a whole answer. */
const WHOLE: Readonly<Record<OpenaiDialect, (body: Json) => unknown>> = {
  "openai-chat": (body) => read(body, "choices", 0, "message", "tool_calls", 0, "custom", "input"),
  "openai-responses": (body) => readList(body, "output").find(({ type }) => type === "custom_tool_call")?.["input"],
};

function textInWhole(dialect: OpenaiDialect, events: readonly GenerationEvent[]): unknown {
  return WHOLE[dialect](WIRE_FORMATS[dialect].encodeResponse(events).body);
}

describe.each(OPENAI)("a call of a tool that takes text, in %s", (dialect) => {
  it("has its text, however its arguments are cut and spelt", () => {
    const asItIs: readonly [string, (json: string) => string, number[]] = ["a\u2028b", (json) => json, []];
    const cuts = fc.array(fc.nat(), { maxLength: 12 });
    const spelling = fc.constantFrom<(json: string) => string>(
      (json) => json,
      // Every character that is not plain as an escape, as some servers write JSON.
      (json) =>
        json.replaceAll(/[^\u0020-\u007e]/gu, (c) =>
          JSON.stringify(c)
            .slice(1, -1)
            .replaceAll(/[^\u0020-\u007e]/g, escapeUnit),
        ),
      (json) => `\n ${json.replace(":", " : ").replace("}", "\n}\n")}`,
    );
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), spelling, cuts, (input, spell, positions) => {
        const events = answerOf(...cutAt(spell(JSON.stringify({ input })), positions));
        expect(textInStream(dialect, events)).toBe(input);
        expect(textInWhole(dialect, events)).toBe(input);
      }),
      { examples: [asItIs] },
    );
  });

  it.each([
    { json: '{"patch":"x"}', text: '{"patch":"x"}', what: "another name" },
    { json: '{"why":"so","input":"x"}', text: "x", what: "another field before it" },
    { json: '{"input":"x","why":"so"}', text: "x", what: "another field behind it" },
    { json: '{"input":["x"]}', text: '{"input":["x"]}', what: "no text" },
    { json: "{}", text: "", what: "no field" },
    { json: "", text: "", what: "nothing" },
    { json: "*** Begin", text: "*** Begin", what: "no JSON" },
    { json: String.raw`{"input":"a\qb\u12"}`, text: "aqbu12", what: "escapes that are none" },
    { json: `${" ".repeat(300)}{"input":"x"}`, text: "x", what: "a screen of blanks" },
  ])("has what the model has written where that is $what", ({ json, text: expected }) => {
    expect(textInWhole(dialect, answerOf(json))).toBe(expected);
    expect(textInStream(dialect, answerOf(...json))).toBe(expected);
  });

  it("is read again as it was told", () => {
    const input = 'Say "hi"\n🌍 \\ and go';
    const events = answerOf(...cutAt(JSON.stringify({ input }), [3, 14, 20, 25]));
    for (const told of [
      decodeChunks(WIRE_FORMATS[dialect], [toBytes(streamOf(dialect, events).join(""))]),
      WIRE_FORMATS[dialect].decodeResponse(WIRE_FORMATS[dialect].encodeResponse(events).body),
    ]) {
      expect(told).toContainEqual(callStart);
      expect(tell(told).toolCalls).toEqual([
        { name: "apply_patch", arguments: JSON.stringify({ input }), isEnded: true },
      ]);
      expect(tell(told).signal.reason).toBe("tool_calls");
    }
  });

  it("that was cut has what came of its text, and is not whole", () => {
    const events = [
      start,
      callStart,
      callDelta("c", String.raw`{"input":"rm -rf /tmp\n\u00`),
      finish("token_limit_reached"),
    ];
    expect(textInStream(dialect, events)).toBe("rm -rf /tmp\n");
    const told = decodeChunks(WIRE_FORMATS[dialect], [toBytes(streamOf(dialect, events).join(""))]);
    expect(tell(told).toolCalls).toMatchObject([{ isEnded: false }]);
  });

  it.each(["{", '{"inp', '{"input" ', ' {\n"input":', '{"input":"'])("that was cut at %o has no text", (json) => {
    const events = [start, callStart, callDelta("c", json), finish("token_limit_reached")];
    expect(textInStream(dialect, events)).toBe("");
    expect(textInWhole(dialect, events)).toBe("");
  });

  it("that was cut has what the model has written in place of arguments", () => {
    const events = [start, callStart, callDelta("c", "*** Beg"), finish("token_limit_reached")];
    expect(textInStream(dialect, events)).toBe("*** Beg");
  });

  it("does not change a call of a function beside it", () => {
    const other = { type: "tool-call-start", callId: "d", name: "read" } as const;
    const both = [
      start,
      callStart,
      other,
      callDelta("d", '{"input":'),
      callDelta("c", '{"input":"x"}'),
      callDelta("d", "1}"),
    ];
    const { body } = WIRE_FORMATS[dialect].encodeResponse([...both, callEnd("c"), callEnd("d"), finish("tool_calls")]);
    expect(textInWhole(dialect, [...both, callEnd("c"), callEnd("d"), finish("tool_calls")])).toBe("x");
    expect(JSON.stringify(body)).toContain(String.raw`{\"input\":1}`);
  });
});

it.each(DIALECTS.filter((dialect) => dialect === "anthropic-messages" || dialect === "gemini"))(
  "a call of a tool that takes text is one of a function in %s",
  (dialect) => {
    const { body } = WIRE_FORMATS[dialect].encodeResponse(answerOf('{"input":"x"}'));
    expect(JSON.stringify(body)).toContain('{"input":"x"}');
  },
);

describe("the items of a stream in Responses", () => {
  it("tell of a call of a tool that takes text as OpenAI does", () => {
    const payloads = streamOf("openai-responses", answerOf('{"input":"a', 'b"}')).map(payloadOf);
    const call = { type: "custom_tool_call", call_id: "c", name: "apply_patch" };
    const place = { output_index: 1, item_id: expect.stringMatching(/^ctc_/u) as string };
    expect(payloads.filter((payload) => read(payload, "output_index") === 1)).toMatchObject([
      { type: "response.output_item.added", item: { ...call, input: "", status: "in_progress" } },
      { type: "response.custom_tool_call_input.delta", ...place, delta: "a" },
      { type: "response.custom_tool_call_input.delta", ...place, delta: "b" },
      { type: "response.custom_tool_call_input.done", ...place, input: "ab" },
      { type: "response.output_item.done", item: { ...call, input: "ab", status: "completed" } },
    ]);
  });
});

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
