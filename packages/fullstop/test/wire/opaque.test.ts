import { describe, expect, it } from "vitest";
import type { GenerationRequest } from "../../src/index.ts";
import { ANSWER_FORMATS, WIRE_FORMATS } from "../../src/wire/index.ts";
import type { WireFormatName } from "../../src/wire/index.ts";
import { decodeChunks } from "../support/answers.ts";
import {
  geminiChunk,
  messagesStream,
  messagesWhole,
  namedEvents,
  responsesWhole,
  toBytes,
} from "../support/wire-bodies.ts";

const search = { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "news" } };
const found = { type: "web_search_tool_result", tool_use_id: "srv_1", content: [{ url: "https://example.org" }] };
const code = { executableCode: { language: "PYTHON", code: "1+1" } };
const hosted = { type: "web_search_call", id: "ws_1", status: "completed" };

const answers: readonly (readonly [WireFormatName, unknown, readonly unknown[]])[] = [
  [
    "anthropic-messages",
    messagesWhole({ content: [search, found, { type: "text", text: "Hi" }], stop_reason: "pause_turn" }),
    [search, found],
  ],
  ["gemini", geminiChunk({ finishReason: "STOP" }, code, { text: "2" }), [code]],
  ["openai-responses", responsesWhole({ status: "completed" }, hosted), [hosted]],
];

/** The next request after an answer of which these parts are to be sent back. */
function nextRequest(format: string, values: readonly unknown[]): GenerationRequest {
  return {
    model: "m",
    maxOutputTokens: 10,
    messages: [
      { role: "user", content: [{ type: "text", text: "Hello" }] },
      { role: "assistant", content: values.map((value) => ({ type: "opaque" as const, format, value })) },
    ],
  };
}

describe("what only its own provider understands", () => {
  it.each(answers)("is kept from a whole answer in %s", (format, body, values) => {
    const events = ANSWER_FORMATS[format].decodeResponse(body).filter(({ type }) => type === "opaque");
    expect(events).toEqual(values.map((value) => ({ type: "opaque", format, value })));
  });

  it("is put together from the pieces of a stream", () => {
    const stream = namedEvents(
      { type: "content_block_start", index: 0, content_block: { ...search, input: {} } } as { type: string },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"query":' } } as {
        type: string;
      },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '"news"}' } } as {
        type: string;
      },
      { type: "content_block_stop", index: 0 } as { type: string },
      { type: "content_block_start", index: 1, content_block: found } as { type: string },
      { type: "content_block_stop", index: 1 } as { type: string },
    );
    const events = decodeChunks(ANSWER_FORMATS["anthropic-messages"], [toBytes(stream)]);
    expect(events.flatMap((event) => (event.type === "opaque" ? [event.value] : []))).toEqual([search, found]);
  });

  it.each([
    ["a summary", { content: "All so far", encrypted_content: "abc" }, { type: "compaction_delta" }],
    ["a summary alone", { content: "All so far" }, { type: "compaction_delta" }],
    ["no summary", { content: null, encrypted_content: null }, { type: "compaction_delta" }],
    ["a proof", { signature: "xyz" }, { type: "signature_delta" }],
    ["what nobody knows yet", { verdict: ["fine"] }, { type: "verdict_delta" }],
  ])("takes the value that comes later in a stream: %s", (_, fields, delta) => {
    const begun = { type: "compaction", content: null, encrypted_content: null };
    const stream = messagesStream(
      { stop_reason: "compaction" },
      { type: "content_block_start", index: 1, content_block: begun } as { type: string },
      { type: "content_block_delta", index: 1, delta: { ...delta, ...fields } } as { type: string },
      { type: "content_block_stop", index: 1 } as { type: string },
    );
    const events = decodeChunks(ANSWER_FORMATS["anthropic-messages"], [toBytes(stream)]);
    const value = { ...begun, ...fields };
    expect(events).toContainEqual({ type: "opaque", format: "anthropic-messages", value });
    expect(events.filter(({ type }) => type === "reasoning")).toEqual([]);
  });

  it("takes no more for one block in many events than in one, and nothing for what others inherit", () => {
    const block = { type: "content_block_start", index: 0, content_block: { type: "compaction" } };
    const piece = (delta: object) => ({ type: "content_block_delta", index: 0, delta });
    const read = (...payloads: readonly { readonly type: string }[]) =>
      decodeChunks(ANSWER_FORMATS["anthropic-messages"], [toBytes(namedEvents(...payloads))]);
    const large = piece({ type: "compaction_delta", content: "x".repeat(9 * 1024 * 1024) });
    expect(read(block, large, large).at(-1)).toMatchObject({
      signal: { reason: "error_termination", detail: "unreadable_event" },
    });
    const inherited = JSON.parse('{"type":"compaction_delta","__proto__":{"content":"not its own"}}') as object;
    const [opaque] = read(block, piece(inherited), { type: "content_block_stop", index: 0 } as { type: string });
    expect(opaque).toMatchObject({ type: "opaque" });
    expect(opaque?.type === "opaque" && "content" in Object(opaque.value)).toBe(false);
    expect("content" in {}).toBe(false);
  });

  it("goes back to its provider unchanged, and is read from such a request", () => {
    const { body, warnings } = WIRE_FORMATS["anthropic-messages"].encodeRequest(
      nextRequest("anthropic-messages", [search, found]),
    );
    expect(warnings).toEqual([]);
    expect(body["messages"]).toMatchObject([{ role: "user" }, { role: "assistant", content: [search, found] }]);
    const read = WIRE_FORMATS["anthropic-messages"].decodeRequest(body);
    expect(read.warnings).toEqual([]);
    expect(read.request.messages[1]?.content).toEqual(
      [search, found].map((value) => ({ type: "opaque", format: "anthropic-messages", value })),
    );
    const gemini = WIRE_FORMATS.gemini.encodeRequest(nextRequest("gemini", [code])).body;
    expect(gemini["contents"]).toMatchObject([{ role: "user" }, { role: "model", parts: [code] }]);
    const responses = WIRE_FORMATS["openai-responses"].encodeRequest(nextRequest("openai-responses", [hosted])).body;
    expect(responses["input"]).toContainEqual(hosted);
  });

  it.each(Object.values(WIRE_FORMATS))("is left out of $name with a warning when it is another's", (format) => {
    const { warnings } = format.encodeRequest(nextRequest("somebody-else", [search]));
    expect(warnings).toContainEqual({
      field: "messages[1].content[0]",
      message: "Only the dialect somebody-else understands this part; it was left out.",
    });
  });
});
