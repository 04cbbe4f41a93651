import { describe, expect, it } from "vitest";
import { guardBytes, readEvents, signalIn, textIn } from "../support/fetch-bytes.ts";
import { read } from "../support/official.ts";
import type { Dialect } from "../support/provider-server.ts";
import { chatChunk, chatWhole, geminiChunk, messagesWhole, responsesWhole, toBytes } from "../support/wire-bodies.ts";

/** What comes out of a body that is not framed, under a rule that ends it at "END". */
async function cut(dialect: Dialect, body: string): Promise<string> {
  const { bytes } = await guardBytes(dialect, [toBytes(body)], { stop: ["END"] });
  return Buffer.from(bytes).toString();
}

const words = "Hi END there";
const piece = { type: "text_delta", text: words };
const message = { id: "msg_9", type: "message", role: "assistant", content: [{ type: "output_text", text: words }] };
const place = { item_id: "msg_9", output_index: 0, content_index: 0 };

describe("an event that stands where a whole answer should", () => {
  it.each<readonly [dialect: Dialect, name: string, event: object]>([
    ["openai-chat", "a chunk", chatChunk({ content: words })],
    ["openai-chat", "a piece beside the message", chatChunk({ content: "Hi" }, { message: { content: words } })],
    ["openai-chat", "a list of messages", chatChunk(undefined, { messages: [{ content: words }] })],
    ["gemini", "a chunk", geminiChunk({}, { text: words })],
    ["anthropic-messages", "a piece", { type: "content_block_delta", index: 0, delta: piece }],
    [
      "anthropic-messages",
      "a block",
      { type: "content_block_start", index: 0, content_block: { type: "text", text: words } },
    ],
    ["openai-responses", "a piece", { type: "response.output_text.delta", ...place, delta: words }],
    ["openai-responses", "a text", { type: "response.output_text.done", ...place, text: words }],
    ["openai-responses", "an item", { type: "response.output_item.done", output_index: 0, item: message }],
    ["openai-responses", "a response", { type: "response.completed", response: { output: [message] } }],
  ])("is cut, and ended: %s, %s", async (dialect, _name, event) => {
    const out = await cut(dialect, JSON.stringify(event));
    expect(out).not.toContain("there");
    expect(() => JSON.parse(out) as unknown).not.toThrow();
    const events = readEvents(dialect, toBytes(out));
    expect(textIn(events)).toBe("Hi ");
    expect(signalIn(events)).toMatchObject({ reason: "stop_sequence", stopSequence: "END" });
    // Without a match it is the same to the byte.
    const untouched = JSON.stringify(event, undefined, 1).replaceAll("END", "and");
    expect(await cut(dialect, untouched)).toBe(untouched);
  });

  it("stays one if it ends the answer itself", async () => {
    const out = await cut(
      "openai-responses",
      JSON.stringify({ type: "response.completed", response: { output: [message] } }),
    );
    expect(read(JSON.parse(out), "response", "output", 0, "content", 0, "text")).toBe("Hi ");
  });
});

describe("a whole answer with something behind it that is no JSON", () => {
  const answers: Readonly<Record<Dialect, object>> = {
    "openai-chat": chatWhole({ content: words }, { finish_reason: "stop" }),
    "anthropic-messages": messagesWhole({ content: [{ type: "text", text: words }], stop_reason: "end_turn" }),
    "openai-responses": { ...responsesWhole({ status: "completed" }), output: [message] },
    gemini: geminiChunk({ finishReason: "STOP" }, { text: words }),
  };

  it.each(Object.keys(answers) as readonly Dialect[])("is cut all the same: %s", async (dialect) => {
    const out = await cut(dialect, `${JSON.stringify(answers[dialect])},"co`);
    expect(out).not.toContain("there");
    expect(textIn(readEvents(dialect, toBytes(out)))).toBe("Hi ");
  });

  it("shows nothing where it cannot be told what to cut", async () => {
    const { "openai-chat": answer } = answers;
    expect(await cut("openai-chat", `${JSON.stringify(answer)}\n${JSON.stringify(answer)}`)).toBe("");
    const event = { type: "response.output_text.delta", ...place, delta: words };
    expect(await cut("openai-responses", `${JSON.stringify(event)},"co`)).toBe("");
  });
});

describe("a whole answer of several choices", () => {
  it("is cut in the one that is read, which its number tells: openai-chat", async () => {
    const other = { index: 1, message: { role: "assistant", content: "Another" }, finish_reason: "stop" };
    const own = { index: 0, message: { role: "assistant", content: words }, finish_reason: "length" };
    const out = await cut("openai-chat", JSON.stringify({ ...chatWhole({}, {}), choices: [other, own] }));
    expect(read(JSON.parse(out), "choices")).toEqual([
      other,
      { index: 0, message: { role: "assistant", content: "Hi " }, logprobs: null, finish_reason: "stop" },
    ]);
  });

  it("is cut in the one that is read, which its number tells: gemini", async () => {
    const other = { index: 1, content: { role: "model", parts: [{ text: "Another" }] }, finishReason: "STOP" };
    const own = { index: 0, content: { role: "model", parts: [{ text: words }] }, finishReason: "MAX_TOKENS" };
    const out = await cut("gemini", JSON.stringify({ responseId: "r1", candidates: [other, own] }));
    expect(read(JSON.parse(out), "candidates")).toEqual([
      other,
      { index: 0, content: { role: "model", parts: [{ text: "Hi " }] }, finishReason: "STOP" },
    ]);
  });
});

it("ends in the same way where the blanks before an answer come by themselves", async () => {
  const pieces = [Uint8Array.of(0xbb), toBytes("<")];
  const [apart, together] = await Promise.all([
    guardBytes("gemini", pieces, { stop: ["END"] }),
    guardBytes("gemini", [Buffer.concat(pieces)], { stop: ["END"] }),
  ]);
  expect(apart.signal).toEqual(together.signal);
  expect(apart.bytes).toEqual(together.bytes);
});
