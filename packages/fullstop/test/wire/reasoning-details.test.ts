import { describe, expect, it } from "vitest";
import { openrouter } from "../../src/engines/index.ts";
import type { GenerationEvent, GenerationRequest } from "../../src/index.ts";
import { openaiChat, WIRE_FORMATS } from "../../src/wire/index.ts";
import { decodeChunks } from "../support/answers.ts";
import { finish } from "../support/official.ts";
import { chatCall, chatChunk, chatWhole, dataEvents, toBytes } from "../support/wire-bodies.ts";

const OPENROUTER = openrouter("key").format;

const thought = { type: "reasoning.text", text: "I think.", signature: "sig", format: "anthropic-claude-v1", index: 0 };
const sealed = { type: "reasoning.encrypted", data: "c2Vh", id: "call_1", format: "google-gemini-v1", index: 0 };

function proofsIn(events: readonly GenerationEvent[]): readonly unknown[] {
  return events.flatMap((event) =>
    event.type === "reasoning" && event.signature !== undefined
      ? [{ signedBy: event.signedBy, details: JSON.parse(event.signature) as unknown }]
      : [],
  );
}

function detailsOf(proof: unknown): unknown {
  return (proof as { details: unknown }).details;
}

function readStream(...chunks: readonly unknown[]): readonly GenerationEvent[] {
  return decodeChunks(openaiChat, [toBytes(dataEvents(...chunks, "[DONE]"))]);
}

const done = chatChunk({}, { finish_reason: "tool_calls" });

describe("the details of a thought", () => {
  it("are its proof, put together from their pieces, before what follows the thought", () => {
    const events = readStream(
      chatChunk({ reasoning: "I ", reasoning_details: [{ ...thought, text: "I ", signature: null }] }),
      chatChunk({ reasoning: "think.", reasoning_details: [{ type: "reasoning.text", text: "think.", index: 0 }] }),
      chatChunk({ reasoning_details: [{ type: "reasoning.text", signature: "sig", index: 0 }] }),
      chatChunk({ content: "Hello" }),
      chatChunk({}, { finish_reason: "stop" }),
    );
    expect(proofsIn(events)).toEqual([{ signedBy: "openai-chat", details: [thought] }]);
    expect(events.map(({ type }) => type)).toEqual(["start", "reasoning", "reasoning", "reasoning", "text", "finish"]);
  });

  it("come with a call, or after it", () => {
    const together = readStream(chatChunk({ tool_calls: [chatCall("{}")], reasoning_details: [sealed] }), done);
    const later = readStream(
      chatChunk({ tool_calls: [chatCall("{}")] }),
      chatChunk({ reasoning_details: [sealed] }),
      done,
    );
    for (const events of [together, later]) {
      expect(proofsIn(events)).toEqual([{ signedBy: "openai-chat", details: [sealed] }]);
      expect(events.at(-1)).toMatchObject({ signal: { reason: "tool_calls" } });
    }
  });

  it("are whole where every piece has an empty list of calls", () => {
    const events = readStream(
      chatChunk({ tool_calls: [], reasoning: "I ", reasoning_details: [{ ...thought, text: "I ", signature: null }] }),
      chatChunk({
        tool_calls: [],
        reasoning: "think.",
        reasoning_details: [{ ...thought, text: "think.", signature: "s" }],
      }),
      chatChunk({ tool_calls: [], reasoning_details: [{ type: "reasoning.text", signature: "ig", index: 0 }] }),
      chatChunk({ content: "Hello" }),
    );
    expect(proofsIn(events)).toEqual([{ signedBy: "openai-chat", details: [thought] }]);
  });

  it("go with a proof that comes after the text", () => {
    const unsigned = { type: "reasoning.text", text: "I think.", format: "google-gemini-v1", index: 0 };
    const events = readStream(
      chatChunk({ reasoning: "I think.", reasoning_details: [unsigned] }),
      chatChunk({ content: "Hello" }),
      chatChunk({ reasoning_details: [{ ...sealed, index: 1 }] }),
      done,
    );
    expect(proofsIn(events)).toEqual([{ signedBy: "openai-chat", details: [unsigned, { ...sealed, index: 1 }] }]);
  });

  it("have a limit, whatever is in them", () => {
    const chunk = chatChunk({ reasoning_details: [{ type: "reasoning.text", other: "x".repeat(1_000_000) }] });
    const events = readStream(...Array.from({ length: 20 }, () => chunk), done);
    expect(events.at(-1)).toMatchObject({ signal: { reason: "error_termination" } });
  });

  it("of another fullstop upstream come back to it as they were", () => {
    const wrapped = openaiChat.encodeResponse([
      { type: "reasoning", text: "I think." },
      { type: "reasoning", text: "", signature: "sig", signedBy: "anthropic-messages" },
      finish("natural_completion"),
    ]);
    const events = openaiChat.decodeResponse(wrapped.body);
    const { message } = (openaiChat.encodeResponse(events).body as { choices: { message: object }[] }).choices[0]!;
    const { request } = openaiChat.decodeRequest({ model: "m", messages: [message] });
    const upstream = OPENROUTER.encodeRequest(request).body as { messages: object[] };
    expect(upstream.messages[0]).toMatchObject({ reasoning_details: proofsIn(events).flatMap(detailsOf) });
  });

  it("are read from a whole answer", () => {
    const summary = { type: "reasoning.summary", summary: "I think.", index: 0 };
    const message = { content: "Hello", reasoning: "I think.", reasoning_details: [summary, { ...sealed, index: 1 }] };
    const events = openaiChat.decodeResponse(chatWhole(message, { finish_reason: "stop" }));
    expect(proofsIn(events)).toEqual([{ signedBy: "openai-chat", details: [summary, { ...sealed, index: 1 }] }]);
  });

  it("are no pieces of each other in a whole answer, however alike they are", () => {
    const { id: _none, ...nameless } = sealed;
    const message = { content: "Hello", reasoning_details: [nameless, { ...nameless, data: "b3RoZXI=" }] };
    const events = openaiChat.decodeResponse(chatWhole(message, { finish_reason: "stop" }));
    expect(proofsIn(events)).toEqual([
      { signedBy: "openai-chat", details: [nameless, { ...nameless, data: "b3RoZXI=" }] },
    ]);
  });

  it("that prove nothing are thinking and no more", () => {
    const events = readStream(chatChunk({ reasoning_details: [{ type: "reasoning.text", text: "Hm." }] }), done);
    expect(events).toContainEqual({ type: "reasoning", text: "Hm." });
    expect(proofsIn(events)).toEqual([]);
  });

  it("of two calls are two, however alike they are", () => {
    const other = { ...sealed, id: "call_2" };
    const events = readStream(chatChunk({ reasoning_details: [sealed, other] }), done);
    expect(proofsIn(events)).toEqual([{ signedBy: "openai-chat", details: [sealed, other] }]);
  });
});

describe("a turn with the details of its thought", () => {
  const answer = readStream(
    chatChunk({ reasoning: "I think.", reasoning_details: [thought] }),
    chatChunk({ tool_calls: [chatCall("{}")], reasoning_details: [sealed] }),
    done,
  );

  /** The request that a client of Chat makes next, with the answer as it got it. */
  function nextRequest(): GenerationRequest {
    const { choices } = openaiChat.encodeResponse(answer).body as { choices: { message: object }[] };
    const { request, warnings } = openaiChat.decodeRequest({
      model: "m",
      messages: [
        { role: "user", content: "Hi" },
        choices[0]!.message,
        { role: "tool", tool_call_id: "call_1", content: "3" },
      ],
    });
    expect(warnings).toEqual([]);
    return request;
  }

  it("goes back to OpenRouter as it came", () => {
    const { body, warnings } = OPENROUTER.encodeRequest(nextRequest());
    expect((body["messages"] as object[])[1]).toEqual({
      role: "assistant",
      content: null,
      reasoning_details: [thought, sealed],
      tool_calls: [chatCall("{}")].map(({ index: _place, ...call }) => call),
    });
    expect(warnings).toEqual([]);
  });

  it("goes to nobody else", () => {
    for (const format of Object.values(WIRE_FORMATS)) {
      const { body, warnings } = format.encodeRequest({ ...nextRequest(), maxOutputTokens: 100 });
      expect(JSON.stringify(body)).not.toContain("c2Vh");
      expect(warnings).not.toEqual([]);
    }
  });

  it("comes back through clients of every other dialect", () => {
    const { body } = WIRE_FORMATS["anthropic-messages"].encodeResponse(answer);
    const { content } = body as { content: object[] };
    const { request } = WIRE_FORMATS["anthropic-messages"].decodeRequest({
      model: "m",
      max_tokens: 10,
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content },
      ],
    });
    const sent = OPENROUTER.encodeRequest(request).body["messages"] as object[];
    expect(sent[1]).toMatchObject({ reasoning_details: [thought, sealed] });
  });

  it.each(["{", "[]", "[1]", '"text"', "c2ln"])("leaves out what only looks like one: %s", (signature) => {
    const { body, warnings } = OPENROUTER.encodeRequest({
      model: "m",
      messages: [
        { role: "user", content: [{ type: "text", text: "Hi" }] },
        { role: "assistant", content: [{ type: "reasoning", text: "Hm.", signature, signedBy: "openai-chat" }] },
      ],
    });
    expect((body["messages"] as object[])[1]).toMatchObject({ reasoning: "Hm." });
    expect(warnings.map(({ field }) => field)).toEqual(["messages[1].content[0].signature"]);
  });
});
