import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../src/index.ts";
import { ANSWER_FORMATS } from "../../src/wire/index.ts";
import type { WireFormatName } from "../../src/wire/index.ts";
import { decodeChunks, tell } from "../support/answers.ts";
import {
  chatChunk,
  chatStream,
  chatWhole,
  dataEvents,
  geminiChunk,
  messagesWhole,
  namedEvents,
  responsesWhole,
  toBytes,
} from "../support/wire-bodies.ts";

function read(format: WireFormatName, body: string | object): readonly GenerationEvent[] {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return decodeChunks(ANSWER_FORMATS[format], [toBytes(text)]);
}

const finish = (value: string): unknown => chatChunk({}, { finish_reason: value });
const proofsOf = (events: readonly GenerationEvent[]): readonly unknown[] =>
  events.flatMap((event) => ("signature" in event ? [[event.type, event.signature, event.signedBy]] : []));

describe("the beginning of an answer", () => {
  it("is told once, with its id and model", () => {
    const events = read("openai-chat", chatStream(finish("stop")));
    expect(events.filter(({ type }) => type === "start")).toEqual([{ type: "start", id: "chat_1", model: "m" }]);
  });

  it("is told by a first chunk that has nothing but an id, and not by one that has nothing at all", () => {
    expect(read("openai-chat", dataEvents({ id: "x", model: "y", choices: [] }))[0]).toEqual({
      type: "start",
      id: "x",
      model: "y",
    });
    expect(read("openai-chat", dataEvents({ id: "", choices: [] })).map(({ type }) => type)).toEqual(["finish"]);
  });
});

describe("token counts", () => {
  it("that are sent with every chunk are passed on when they change", () => {
    const usage = (count: number): object => ({
      prompt_tokens: 3,
      completion_tokens: count,
      prompt_tokens_details: { cached_tokens: 2 },
    });
    const chunk = (count: number): object => chatChunk({ content: "x" }, {}, { usage: usage(count) });
    const events = read("openai-chat", chatStream(chunk(1), chunk(1), chunk(2), chunk(2), finish("stop")));
    const counts = events.flatMap((event) => (event.type === "usage" ? [event.usage.outputTokens] : []));
    expect(counts).toEqual([1, 2]);
  });
});

describe("thinking", () => {
  it("of Mistral is a part of the content, with its signature", () => {
    const part = {
      type: "thinking",
      thinking: [
        { type: "text", text: "Let me " },
        { type: "text", text: "see." },
      ],
      signature: "proof",
    };
    const body = chatWhole({ content: [part, { type: "text", text: "Four" }] }, { finish_reason: "stop" });
    const events = read("mistral-chat", body);
    expect(tell(events)).toMatchObject({ reasoning: "Let me see.", text: "Four" });
    expect(proofsOf(events)).toEqual([["reasoning", "proof", "mistral-chat"]]);
    const plain = chatWhole({ content: [{ type: "thinking", thinking: "Hm" }] }, { finish_reason: "stop" });
    expect(tell(read("mistral-chat", plain)).reasoning).toBe("Hm");
  });

  it.each(["reasoning_content", "reasoning"])("stands in %s, and counts once where it stands twice", (field) => {
    const both = { reasoning_content: "Hm", reasoning: "Hm", reasoning_details: [{ text: "Hm" }] };
    expect(tell(read("openai-chat", chatStream(chatChunk({ [field]: "Hm" }), finish("stop")))).reasoning).toBe("Hm");
    expect(tell(read("openai-chat", chatStream(chatChunk(both), finish("stop")))).reasoning).toBe("Hm");
  });

  it("of Anthropic has its proof, and is only a proof where it is withheld", () => {
    const content = [
      { type: "thinking", thinking: "Hm", signature: "proof" },
      { type: "redacted_thinking", data: "sealed" },
      { type: "thinking", thinking: "", signature: "" },
    ];
    const events = read("anthropic-messages", messagesWhole({ content, stop_reason: "end_turn" }));
    expect(proofsOf(events)).toEqual([
      ["reasoning", "proof", "anthropic-messages"],
      ["reasoning", "sealed", "anthropic-messages"],
    ]);
    expect(events.filter((event) => event.type === "reasoning" && event.redacted === true)).toHaveLength(1);
  });

  it("of Responses has its proof, whichever event tells it", () => {
    const item = { type: "reasoning", summary: [{ type: "summary_text", text: "Hm" }], encrypted_content: "proof" };
    const whole = read(
      "openai-responses",
      responsesWhole({ status: "completed" }, item, { type: "reasoning", summary: [] }),
    );
    const end = { type: "response.completed", response: { status: "completed", output: [item] } };
    const done = { type: "response.output_item.done", output_index: 0, item };
    for (const events of [
      whole,
      read("openai-responses", namedEvents(end)),
      read("openai-responses", namedEvents(done, end)),
    ]) {
      expect(proofsOf(events)).toEqual([["reasoning", "proof", "openai-responses"]]);
      expect(tell(events).reasoning).toBe("Hm");
    }
  });

  it("of Gemini has its proof with the call that it led to", () => {
    const call = { functionCall: { name: "f", args: {} }, thoughtSignature: "proof" };
    const events = read("gemini", geminiChunk({ finishReason: "STOP" }, { text: "Hm", thought: true }, call));
    expect(proofsOf(events)).toEqual([["tool-call-end", "proof", "gemini"]]);
    expect(tell(events)).toMatchObject({ reasoning: "Hm", text: "" });
  });

  it("of Google's chat route has its proof with the call as well", () => {
    const call = {
      index: 0,
      id: "a",
      function: { name: "f", arguments: "{}" },
      extra_content: { google: { thought_signature: "proof" } },
    };
    const events = read("openai-chat", chatStream(chatChunk({ tool_calls: [call] }), finish("tool_calls")));
    expect(proofsOf(events)).toEqual([["tool-call-end", "proof", "gemini"]]);
  });
});

describe("a refusal", () => {
  it("that the router has found out by itself is one as well", () => {
    const body = chatWhole({ content: null, refusal: "No." }, { finish_reason: "content_filter" });
    expect(tell(read("openai-chat", body)).signal).toMatchObject({ reason: "content_filtered", detail: "refusal" });
  });
});

describe("an error", () => {
  it("may be a bare sentence", () => {
    const stream = chatStream(chatChunk({}, {}, { x_groq: { error: "over capacity" } }));
    expect(tell(read("openai-chat", stream)).signal).toMatchObject({
      reason: "error_termination",
      message: "over capacity",
    });
    expect(tell(read("ollama-chat", '{"error":"model not found"}')).signal).toMatchObject({
      message: "model not found",
    });
  });
});

describe("items of Responses that come in another order than the whole answer has them", () => {
  it("are nothing new in it, nor are their citations", () => {
    const message = (text: string, ...annotations: readonly object[]) => ({
      type: "message",
      content: [{ type: "output_text", text, annotations }],
    });
    const cited = { type: "url_citation", url: "https://a.test/", title: "A", start_index: 0, end_index: 6 };
    const items = [message("One"), message("Second", cited), message("Three!")];
    const done = [2, 1, 0].map((index) => ({
      type: "response.output_item.done",
      output_index: index,
      item: items[index],
    }));
    const end = { type: "response.completed", response: { status: "completed", output: [...items, message("Four")] } };
    const events = read("openai-responses", namedEvents(...done, end));
    expect(tell(events)).toMatchObject({ text: "Three!SecondOneFour", signal: { reason: "natural_completion" } });
    expect(events.filter(({ type }) => type === "citation")).toMatchObject([{ start: 6, end: 12 }]);
  });
});

describe("items of Responses of which some come in the whole answer only", () => {
  it.each([
    { streamed: ["World"], whole: ["Hello", "World"], told: "WorldHello" },
    { streamed: ["World"], whole: ["Hello ", "World"], told: "WorldHello " },
    { streamed: ["a", "a"], whole: ["a", "a", "a"], told: "aaa" },
    { streamed: ["One", "Tw"], whole: ["Two", "One"], told: "OneTwo" },
    { streamed: ["One "], whole: ["One"], told: "One " },
    { streamed: ["\nOne"], whole: ["One", "A longer one"], told: "\nOneA longer one" },
    { streamed: ["\nOne"], whole: ["One", "2"], told: "\nOne2" },
    { streamed: ["It\u2019s"], whole: ["It's", "so"], told: "It\u2019sso" },
  ])("are told once each: $streamed, then $whole", ({ streamed, whole, told }) => {
    const deltas = streamed.map((delta, index) => ({
      type: "response.output_text.delta",
      output_index: index,
      content_index: 0,
      delta,
    }));
    const output = whole.map((text) => ({ type: "message", content: [{ type: "output_text", text }] }));
    const end = { type: "response.completed", response: { status: "completed", output } };
    expect(tell(read("openai-responses", namedEvents(...deltas, end)))).toMatchObject({
      text: told,
      signal: { reason: "natural_completion" },
    });
  });
});

describe("items of Responses without a place", () => {
  it("are told apart by their ids", () => {
    const delta = (id: string, text: string): { type: string } =>
      ({ type: "response.output_text.delta", item_id: id, content_index: 0, delta: text }) as { type: string };
    const done = (id: string, text: string): { type: string } =>
      ({ type: "response.output_text.done", item_id: id, content_index: 0, text }) as { type: string };
    const end = { type: "response.completed", response: { status: "completed" } };
    const stream = namedEvents(delta("a", "On"), delta("b", "Tw"), done("a", "One"), done("b", "Two"), end);
    expect(tell(read("openai-responses", stream)).text).toBe("OnTweo");
  });

  it("are told apart by their turn where they have no ids either", () => {
    const delta = (text: string): { type: string } =>
      ({ type: "response.output_text.delta", delta: text }) as { type: string };
    const done = (text: string): { type: string } =>
      ({ type: "response.output_item.done", item: { type: "message", content: [{ text }] } }) as { type: string };
    const stream = namedEvents(delta("Li"), delta("ke "), done("Like "), delta("Like "), done("Like "), done("Like "));
    expect(tell(read("openai-responses", stream)).text).toBe("Like Like Like ");
  });
});
