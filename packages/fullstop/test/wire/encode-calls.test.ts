import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../src/index.ts";
import { unwrapSignature } from "../../src/wire/signatures.ts";
import { foldStream } from "../support/fold.ts";
import {
  call,
  DIALECTS,
  callDelta,
  callEnd,
  callStart,
  finish,
  payloadsOf,
  read,
  readList,
  start,
  text,
  writeStream,
  writeWhole,
} from "../support/official.ts";

describe("tool calls", () => {
  const interleaved = [
    start,
    callStart("a", "first"),
    callStart("b", "second"),
    callDelta("a", '{"x":'),
    callDelta("b", '{"y":'),
    text("meanwhile"),
    callDelta("a", "1}"),
    callDelta("b", "2}"),
    callEnd("a"),
    callEnd("b"),
    finish("tool_calls"),
  ];
  const cut = [start, callStart("a", "first"), callDelta("a", '{"x":'), finish("token_limit_reached")];

  it("that overlap wait for each other in Messages", () => {
    const payloads = payloadsOf(writeStream("anthropic-messages", interleaved).frames).slice(1, -2);
    expect(payloads.map(({ type, index, delta }) => [type, index, read(delta, "partial_json") ?? ""])).toEqual([
      ["content_block_start", 0, ""],
      ["content_block_delta", 0, '{"x":'],
      ["content_block_delta", 0, "1}"],
      ["content_block_stop", 0, ""],
      ["content_block_start", 1, ""],
      ["content_block_delta", 1, '{"y":2}'],
      ["content_block_stop", 1, ""],
      ["content_block_start", 2, ""],
      ["content_block_delta", 2, ""],
      ["content_block_stop", 2, ""],
    ]);
  });

  it("that overlap are open side by side in Responses", () => {
    const payloads = payloadsOf(writeStream("openai-responses", interleaved).frames);
    const deltas = payloads.filter(({ type }) => type === "response.function_call_arguments.delta");
    expect(deltas.map(({ output_index: index, delta }) => [index, delta])).toEqual([
      [0, '{"x":'],
      [1, '{"y":'],
      [0, "1}"],
      [1, "2}"],
    ]);
  });

  it("are whole in Gemini, with the signature that came with their end", () => {
    const events: GenerationEvent[] = [
      start,
      callStart("a", "first"),
      callDelta("a", '{"x":1}'),
      { type: "tool-call-end", callId: "a", signature: "proof" },
      finish("tool_calls"),
    ];
    const part = { functionCall: { id: "a", name: "first", args: { x: 1 } }, thoughtSignature: "proof" };
    expect(read(writeWhole("gemini", events).body, "candidates", 0, "content", "parts")).toEqual([part]);
    const { frames } = writeStream("gemini", events);
    expect(read(payloadsOf(frames)[0], "candidates", 0, "content", "parts")).toEqual([part]);
    for (const dialect of ["openai-chat", "openai-responses", "anthropic-messages"] as const) {
      expect(writeWhole(dialect, events).warnings).toEqual(["signature"]);
      expect(writeStream(dialect, events).warnings.map(({ field }) => field)).toEqual(["signature"]);
    }
  });

  it("that Gemini has signed keep that in Chat where Google has it, and no other signature", () => {
    const signed = (signedBy: string): GenerationEvent[] => [
      start,
      callStart("a", "first"),
      callDelta("a", "{}"),
      callEnd("a", { signature: "proof", signedBy }),
      finish("tool_calls"),
    ];
    const extra = { google: { thought_signature: "proof" } };
    const { body, warnings } = writeWhole("openai-chat", signed("gemini"));
    expect(read(body, "choices", 0, "message", "tool_calls", 0, "extra_content")).toEqual(extra);
    const stream = writeStream("openai-chat", signed("gemini"));
    const deltas = payloadsOf(stream.frames).flatMap((chunk) => readList(chunk, "choices", 0, "delta", "tool_calls"));
    expect(deltas.at(-1)).toEqual({ index: 0, function: { arguments: "" }, extra_content: extra });
    expect([...warnings, ...stream.warnings]).toEqual([]);
    expect(JSON.stringify(writeWhole("openai-chat", signed("somebody-else")).body)).not.toContain("proof");
    expect(writeWhole("openai-chat", signed("somebody-else")).warnings).toEqual(["signature"]);
    const wrapped = read(writeWhole("gemini", signed("somebody-else")).body, "candidates", 0, "content", "parts", 0);
    expect(unwrapSignature(String(read(wrapped, "thoughtSignature")), "gemini")).toEqual({
      signature: "proof",
      signedBy: "somebody-else",
    });
  });

  it.each([[], [callDelta("a", "")], [callDelta("a", " "), callDelta("a", "\n")]])(
    "without arguments have an empty object where there has to be one",
    (...deltas) => {
      const events = [start, callStart("a", "f"), ...deltas, callEnd("a"), finish("tool_calls")];
      expect(read(writeWhole("anthropic-messages", events).body, "content", 0, "input")).toEqual({});
      expect(read(writeWhole("gemini", events).body, "candidates", 0, "content", "parts", 0)).toEqual({
        functionCall: { id: "a", name: "f", args: {} },
      });
      const texts = [
        read(writeWhole("openai-responses", events).body, "output", 0, "arguments"),
        read(writeWhole("openai-chat", events).body, "choices", 0, "message", "tool_calls", 0, "function", "arguments"),
        foldStream("openai-chat", writeStream("openai-chat", events).frames).calls[0]?.input,
        foldStream("anthropic-messages", writeStream("anthropic-messages", events).frames).calls[0]?.input,
      ];
      expect(texts.map((json) => JSON.parse(String(json)) as unknown)).toEqual([{}, {}, {}, {}]);
      for (const dialect of DIALECTS) expect(writeStream(dialect, events).warnings).toEqual([]);
    },
  );

  it("that were cut before their arguments began do not look like calls without any", () => {
    const bare = [start, callStart("a", "delete_all"), finish("token_limit_reached")];
    const { body, warnings } = writeWhole("anthropic-messages", bare);
    expect(body["content"]).toEqual([{ type: "tool_use", id: "a", name: "delete_all", input: "" }]);
    expect(warnings).toEqual(["toolCalls"]);
    expect(writeStream("anthropic-messages", bare).warnings.map(({ field }) => field)).toEqual(["toolCalls"]);
    expect(writeStream("anthropic-messages", cut).warnings).toEqual([]);
    expect(read(writeWhole("openai-responses", bare).body, "output", 0)).toMatchObject({
      status: "incomplete",
      arguments: "",
    });
    const message = read(writeWhole("openai-chat", bare).body, "choices", 0, "message");
    expect(read(message, "tool_calls", 0, "function", "arguments")).toBe("");
  });

  it("that were cut with arguments that look whole are no objects in Messages either", () => {
    const events = [start, callStart("a", "f"), callDelta("a", '{"x":1}'), finish("cancelled")];
    expect(read(writeWhole("anthropic-messages", events).body, "content", 0, "input")).toBe('{"x":1}');
  });

  it("that wait in Messages come in the order in which they began, also after none has waited", () => {
    const together = (...ids: string[]): GenerationEvent[] => [
      ...ids.map((id) => callStart(id, "f")),
      ...ids.toReversed().map((id) => callEnd(id)),
    ];
    const events = [start, ...together("a", "b", "c"), ...together("d"), ...together("e", "f"), finish("tool_calls")];
    const { calls } = foldStream("anthropic-messages", writeStream("anthropic-messages", events).frames);
    expect(calls.map(({ id }) => id)).toEqual(["a", "b", "c", "d", "e", "f"]);
    const failed = [start, callStart("a", "f"), callStart("b", "f"), callEnd("a"), finish("error_termination")];
    const types = payloadsOf(writeStream("anthropic-messages", failed).frames).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(["content_block_start", "error"]);
  });

  it.each([
    { what: "cut", events: cut },
    {
      what: "whose arguments are no object",
      events: [start, ...call("a", "f", "[1]"), finish("tool_calls")],
    },
  ])("$what are left out in Gemini, with a warning", ({ events }) => {
    const { body, warnings } = writeWhole("gemini", events);
    expect(read(body, "candidates", 0, "content", "parts")).toEqual([]);
    expect(warnings).toEqual(["toolCalls"]);
    const stream = writeStream("gemini", events);
    expect(stream.frames).toHaveLength(1);
    expect(stream.warnings.map(({ field }) => field)).toEqual(["toolCalls"]);
  });

  it("that are open at an error stay open in a stream of Messages", () => {
    const { frames } = writeStream("anthropic-messages", [...cut.slice(0, -1), finish("error_termination")]);
    const types = payloadsOf(frames).map(({ type }) => type);
    expect(types).toEqual(["message_start", "content_block_start", "content_block_delta", "error"]);
  });
});
