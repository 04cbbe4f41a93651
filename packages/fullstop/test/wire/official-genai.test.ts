import { ApiError, GoogleGenAI } from "@google/genai";
import type { GenerateContentResponse } from "@google/genai";
import { describe, expect, it } from "vitest";
import type { GenerationEvent, TerminationReason } from "../../src/index.ts";
import { unwrapSignature } from "../../src/wire/signatures.ts";
import {
  call,
  finish,
  opaque,
  reasoning,
  redacted,
  serve,
  signature,
  start,
  text,
  usage,
} from "../support/official.ts";

const asked = { model: "some-model", contents: "Hi" };

const done = finish("natural_completion");
const counts = usage({ inputTokens: 9, outputTokens: 4, cachedInputTokens: 5, reasoningTokens: 1 });
const overloaded = finish("error_termination", { message: "Too busy", originalValue: "overloaded_error" });

function use<T>(events: readonly GenerationEvent[], ask: (client: GoogleGenAI) => Promise<T>): Promise<T> {
  return serve("gemini", events, (address) =>
    ask(new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: address } })),
  );
}

async function readStream(client: GoogleGenAI): Promise<GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of await client.models.generateContentStream(asked)) chunks.push(chunk);
  return chunks;
}

describe("the official client of Gemini", () => {
  it("reads a stream", async () => {
    const chunks = await use([start, text("Hello, "), text("wörld"), counts, done], readStream);
    expect(chunks.map((chunk) => chunk.text ?? "").join("")).toBe("Hello, wörld");
    expect(chunks[0]).toMatchObject({ responseId: "gen-1", modelVersion: "some-model" });
    expect(chunks.at(-1)).toMatchObject({
      candidates: [{ finishReason: "STOP" }],
      usageMetadata: {
        promptTokenCount: 9,
        cachedContentTokenCount: 5,
        candidatesTokenCount: 3,
        thoughtsTokenCount: 1,
        totalTokenCount: 13,
      },
    });
  });

  it("reads a whole answer", async () => {
    const answer = await use([start, text("Hello, "), text("wörld"), counts, done], (client) =>
      client.models.generateContent(asked),
    );
    expect(answer.text).toBe("Hello, wörld");
    expect(answer).toMatchObject({
      responseId: "gen-1",
      modelVersion: "some-model",
      candidates: [{ finishReason: "STOP", index: 0 }],
      usageMetadata: { totalTokenCount: 13 },
    });
  });

  it("keeps a streamed answer in the history of a chat", async () => {
    const history = await use([start, text("Hello, "), text("wörld"), done], async (client) => {
      const chat = client.chats.create({ model: "some-model" });
      for await (const chunk of await chat.sendMessageStream({ message: "Hi" })) expect(chunk).toBeDefined();
      return chat.getHistory(true);
    });
    const spoken = history.slice(1).flatMap(({ parts = [] }) => parts.map((part) => part.text));
    expect(spoken.join("")).toBe("Hello, wörld");
  });

  it("reads tool calls", async () => {
    const events = [start, text("Let me look."), ...call("a", "weather", '{"city":"Oslo"}')];
    const both = [...events, ...call("b", "weather", '{"city":"Rome"}'), finish("tool_calls")];
    const oslo = { id: "a", name: "weather", args: { city: "Oslo" } };
    const rome = { id: "b", name: "weather", args: { city: "Rome" } };
    const whole = await use(both, (client) => client.models.generateContent(asked));
    expect(whole.functionCalls).toEqual([oslo, rome]);
    const chunks = await use(both, readStream);
    expect(chunks.flatMap((chunk) => chunk.functionCalls ?? [])).toEqual([oslo, rome]);
    const one = await use([...events, finish("tool_calls")], (client) => client.models.generateContent(asked));
    expect(one.functionCalls).toEqual([oslo]);
    expect(one.candidates?.[0]?.content?.parts?.[0]).toEqual({ text: "Let me look." });
  });

  it("reads thinking apart from the text", async () => {
    const events = [start, reasoning("Two and two."), signature("proof"), text("Four."), done];
    const whole = await use(events, (client) => client.models.generateContent(asked));
    expect(whole.text).toBe("Four.");
    expect(whole.candidates?.[0]?.content?.parts).toEqual([
      { text: "Two and two.", thought: true, thoughtSignature: "proof" },
      { text: "Four." },
    ]);
    const chunks = await use(events, readStream);
    const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
    const thoughts = parts.filter(({ thought }) => thought === true);
    expect(thoughts.map((part) => part.text).join("")).toBe("Two and two.");
    expect(thoughts.at(-1)?.thoughtSignature).toBe("proof");
    expect(chunks.map((chunk) => chunk.text ?? "").join("")).toBe("Four.");
  });

  it("keeps in the history of a chat what it has to send back", async () => {
    const code = { executableCode: { language: "PYTHON", code: "1+1" } };
    const events = [start, opaque("gemini", code), redacted("sealed", "anthropic-messages"), text("Four."), done];
    const history = await use(events, async (client) => {
      const chat = client.chats.create({ model: "some-model" });
      for await (const chunk of await chat.sendMessageStream({ message: "Hi" })) expect(chunk).toBeDefined();
      return chat.getHistory(true);
    });
    const parts = history.slice(1).flatMap((content) => content.parts ?? []);
    expect(parts[0]).toEqual(code);
    expect(unwrapSignature(parts[1]?.thoughtSignature ?? "", "gemini")).toEqual({
      signature: "sealed",
      signedBy: "anthropic-messages",
      redacted: true,
    });
  });

  const FINISHES: Readonly<Record<Exclude<TerminationReason, "error_termination">, string>> = {
    natural_completion: "STOP",
    stop_sequence: "STOP",
    token_limit_reached: "MAX_TOKENS",
    context_window_exceeded: "MAX_TOKENS",
    tool_calls: "STOP",
    content_filtered: "SAFETY",
    paused: "CONTINUATION",
    repetition_detected: "MAX_TOKENS",
    budget_exceeded: "MAX_TOKENS",
    cancelled: "OTHER",
    unknown: "OTHER",
  };

  it.each(Object.entries(FINISHES))("reads %s as %s", async (reason, word) => {
    const events = [start, text("a"), finish(reason as TerminationReason)];
    const whole = await use(events, (client) => client.models.generateContent(asked));
    const chunks = await use(events, readStream);
    expect(whole.candidates?.[0]?.finishReason).toBe(word);
    expect(chunks.at(-1)?.candidates?.[0]?.finishReason).toBe(word);
  });

  it("reads a malformed tool call as Gemini has it", async () => {
    const events = [start, finish("error_termination", { detail: "malformed_tool_call" })];
    const whole = await use(events, (client) => client.models.generateContent(asked));
    expect(whole.candidates?.[0]?.finishReason).toBe("MALFORMED_FUNCTION_CALL");
  });

  it("throws at an error in the middle of a stream, after the text before it", async () => {
    await use([start, text("Half"), overloaded], async (client) => {
      let seen = "";
      const read = async (): Promise<void> => {
        for await (const chunk of await client.models.generateContentStream(asked)) seen += chunk.text ?? "";
      };
      const thrown: unknown = await read().catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(ApiError);
      expect(thrown).toMatchObject({ status: 503 });
      expect(String(thrown)).toContain("Too busy");
      expect(seen).toBe("Half");
    });
  });

  it.each([
    { parts: { metadata: { status: 429 } }, status: 429, word: "RESOURCE_EXHAUSTED" },
    { parts: { metadata: { status: 401 } }, status: 401, word: "UNAUTHENTICATED" },
    { parts: { detail: "truncated" }, status: 502, word: "INTERNAL" },
  ])("throws its own error for $parts", async ({ parts, status, word }) => {
    await use([start, finish("error_termination", { message: "No luck", ...parts })], async (client) => {
      const thrown: unknown = await client.models.generateContent(asked).catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(ApiError);
      expect(thrown).toMatchObject({ status });
      expect(String(thrown)).toContain(word);
    });
  });
});
