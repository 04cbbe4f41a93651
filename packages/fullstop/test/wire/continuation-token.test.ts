import { GoogleGenAI } from "@google/genai";
import { describe, expect, it } from "vitest";
import { createAgentRun } from "../../src/agent/index.ts";
import type { AssistantMessage, GenerationEvent, GenerationRequest, Message } from "../../src/index.ts";
import { finish, start, text } from "../../src/testing/index.ts";
import { WIRE_FORMATS } from "../../src/wire/index.ts";
import { decodeChunks } from "../support/answers.ts";
import { finishOf, textOf } from "../support/events.ts";
import { writeStream } from "../support/official.ts";
import { openProviderServer } from "../support/provider-server.ts";
import { withRemote } from "../support/remote.ts";
import { dataEvents, geminiChunk, toBytes } from "../support/wire-bodies.ts";

const { gemini } = WIRE_FORMATS;
const user: Message = { role: "user", content: [{ type: "text", text: "Write a book." }] };
const paused = finish("paused");

function token(value: string): { readonly type: "opaque"; readonly format: string; readonly value: unknown } {
  return { type: "opaque", format: "gemini", value: { continuationToken: value } };
}

function answered(...content: AssistantMessage["content"]): AssistantMessage {
  return { role: "assistant", content };
}

const decode = (...chunks: readonly unknown[]): readonly GenerationEvent[] =>
  decodeChunks(gemini, [toBytes(dataEvents(...chunks))]);
const opaqueOf = (events: readonly GenerationEvent[]): readonly GenerationEvent[] =>
  events.filter(({ type }) => type === "opaque");

describe("the token of an answer that Gemini breaks off", () => {
  it("comes at the end of it", () => {
    const events = decode(
      geminiChunk({}, { text: "Once " }),
      geminiChunk({ finishReason: "CONTINUATION", continuationToken: "one" }, { text: "upon" }),
    );
    expect(events.slice(-2)).toMatchObject([token("one"), { type: "finish" }]);
    expect(finishOf(events)).toMatchObject({ reason: "paused", detail: "continuation", confidence: "high" });
    expect(textOf(events)).toBe("Once upon");
  });

  it("comes with a whole answer", () => {
    const body = geminiChunk({ finishReason: "CONTINUATION", continuationToken: "one" }, { text: "Once" });
    expect(gemini.decodeResponse(body).slice(-2)).toMatchObject([token("one"), { signal: { reason: "paused" } }]);
  });

  it("is the last of those that the service has sent on the way", () => {
    const events = decode(
      geminiChunk({ continuationToken: "one" }, { text: "Once " }),
      geminiChunk({ continuationToken: "two" }, { text: "upon" }),
      geminiChunk({ finishReason: "CONTINUATION" }),
    );
    expect(opaqueOf(events)).toEqual([token("two")]);
  });

  it.each([
    ["an answer that has come to its end", { finishReason: "STOP" }],
    ["an answer that has reached the caller's limit", { finishReason: "MAX_TOKENS" }],
    ["a connection that breaks", {}],
  ])("does not come with %s", (_, candidate) => {
    expect(
      opaqueOf(decode(geminiChunk({ continuationToken: "one" }, { text: "Once" }), geminiChunk(candidate))),
    ).toEqual([]);
  });

  it.each([[""], [7], [null]])("is none if it is %j", (continuationToken) => {
    const events = decode(geminiChunk({ finishReason: "CONTINUATION", continuationToken }, { text: "Once" }));
    expect(opaqueOf(events)).toEqual([]);
    expect(finishOf(events).reason).toBe("paused");
  });
});

describe("a request for the rest of such an answer", () => {
  const encode = (...messages: readonly Message[]): Readonly<Record<string, unknown>> => {
    const { body, warnings } = gemini.encodeRequest({ model: "m", messages });
    expect(warnings).toEqual([]);
    return body;
  };
  const asked = { role: "user", parts: [{ text: "Write a book." }] };
  const said = (...texts: readonly string[]): unknown => ({
    role: "model",
    parts: texts.map((line) => ({ text: line })),
  });
  const once = { type: "text", text: "Once " } as const;
  const upon = { type: "text", text: "upon" } as const;

  it("is the same request with the token, which stands for all that came", () => {
    const body = encode(user, answered(once, token("one"), upon, token("two")));
    expect(body).toEqual({ contents: [asked], continuationToken: "two" });
  });

  it("is read from one", () => {
    for (const field of ["continuationToken", "continuation_token"]) {
      const { request, warnings } = gemini.decodeRequest({ contents: [asked], [field]: "one" }, { model: "m" });
      expect(warnings).toEqual([]);
      expect(request.messages).toEqual([user, answered(token("one"))]);
      expect(gemini.encodeRequest(request).body).toEqual({ contents: [asked], continuationToken: "one" });
    }
    expect(gemini.decodeRequest({ contents: [asked], continuationToken: "" }, { model: "m" }).request.messages).toEqual(
      [user],
    );
  });

  it("has no token that the answer has gone beyond", () => {
    expect(encode(user, answered(once, token("one"), upon))).toEqual({ contents: [asked, said("Once ", "upon")] });
  });

  it("has none once something else was said", () => {
    expect(encode(user, answered(once, token("one")), user)).toEqual({ contents: [asked, said("Once "), asked] });
    expect(encode(user, answered(token("one")), user)).toEqual({ contents: [asked, asked] });
  });

  it("has none that is somebody else's", () => {
    const strange = { ...token("one"), format: "gemini-interactions" };
    for (const messages of [
      [user, answered(once, strange)],
      [user, answered(once, strange), user],
    ]) {
      const { body, warnings } = gemini.encodeRequest({ model: "m", messages });
      expect(body).not.toHaveProperty("continuationToken");
      expect(warnings).toMatchObject([{ field: "messages[1].content[1]" }]);
    }
  });

  it.each(Object.values(WIRE_FORMATS).filter(({ name }) => name !== "gemini"))(
    "says to $name what came, and warns that the token is lost",
    (format) => {
      const request: GenerationRequest = {
        model: "m",
        maxOutputTokens: 9,
        messages: [user, answered(once, token("one"))],
      };
      const { body, warnings } = format.encodeRequest(request);
      expect(JSON.stringify(body)).toContain("Once");
      expect(warnings).toContainEqual({
        field: "messages[1].content[1]",
        message: "Only the dialect gemini understands this part; it was left out.",
      });
    },
  );
});

describe("an answer that is written for Gemini's clients", () => {
  const events = [start("gen-1"), text("Once "), token("one"), paused];

  it("has the token beside the reason, and none of it among the parts", () => {
    const { body } = gemini.encodeResponse(events);
    expect(body).toMatchObject({
      candidates: [{ content: { parts: [{ text: "Once " }] }, finishReason: "CONTINUATION", continuationToken: "one" }],
    });
    const { frames } = writeStream("gemini", events);
    expect(frames.filter((frame) => frame.includes("continuationToken"))).toHaveLength(1);
    expect(frames.at(-1)).toContain('"finishReason":"CONTINUATION","continuationToken":"one"');
    expect(opaqueOf(decodeChunks(gemini, frames.map(toBytes)))).toEqual([token("one")]);
    expect(opaqueOf(gemini.decodeResponse(body))).toEqual([token("one")]);
  });

  it("has none if it does not go on", () => {
    const over = [start("gen-1"), text("Once "), token("one"), finish()];
    expect(JSON.stringify(gemini.encodeResponse(over).body)).not.toContain("continuationToken");
    expect(writeStream("gemini", over).frames.join("")).not.toContain("continuationToken");
  });
});

describe("a long answer that comes in three pieces", () => {
  const pieces: Readonly<Record<string, readonly GenerationEvent[]>> = {
    "": [start("gen-1"), text("Once "), token("one"), paused],
    one: [start("gen-2"), text("upon "), token("two"), paused],
    two: [start("gen-3"), text("a time."), finish()],
  };

  /** Goes on where the token says. */
  function reply({ messages }: GenerationRequest): readonly GenerationEvent[] {
    const last = messages.at(-1)?.content.at(-1);
    const value = last?.type === "opaque" ? (last.value as { readonly continuationToken: string }) : undefined;
    return pieces[value?.continuationToken ?? ""]!;
  }

  it.each([true, false])("is one answer of a run, as a stream: %s", async (stream) => {
    await withRemote("gemini", reply, async ({ engine, server, warnings }) => {
      const run = createAgentRun({ engine, request: { model: "m", stream, messages: [user] } });
      expect(await run.result()).toMatchObject({ end: "completed", text: "Once upon a time.", turns: 3 });
      const [first, ...others] = server.requests.map(({ body }) => body);
      expect(others).toEqual(["one", "two"].map((continuationToken) => ({ ...(first as object), continuationToken })));
      expect(warnings).toEqual([]);
    });
  });

  it("is one answer for the official client", async () => {
    const server = await openProviderServer("gemini", reply);
    try {
      const client = new GoogleGenAI({
        apiKey: "none",
        httpOptions: { baseUrl: new URL(server.baseUrl).origin, apiVersion: "v1" },
      });
      const asked = { model: "m", contents: "Write a book." };
      expect((await client.models.generateContent(asked)).text).toBe("Once upon a time.");
      let streamed = "";
      for await (const chunk of await client.models.generateContentStream(asked)) streamed += chunk.text ?? "";
      expect(streamed).toBe("Once upon a time.");
      expect(server.requests.map(({ warnings }) => warnings)).toEqual(Array.from({ length: 6 }, () => []));
    } finally {
      await server.close();
    }
  });
});
