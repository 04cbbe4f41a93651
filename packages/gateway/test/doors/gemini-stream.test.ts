import { createGate, finish, start, text, usage } from "fullstop/testing";
import { gemini } from "fullstop/wire";
import { describe, expect, it } from "vitest";
import { BODIES } from "../support/raw.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted();

const ask = (query: string) =>
  fetch(`${gateway.url}/v1beta/models/openai-chat/any-model:streamGenerateContent${query}`, {
    method: "POST",
    body: JSON.stringify(BODIES.gemini),
  });

interface Chunk {
  readonly candidates: readonly { readonly content: { readonly parts: readonly { readonly text: string }[] } }[];
}

const textOf = (chunks: readonly Chunk[]): string =>
  chunks.flatMap(({ candidates }) => candidates[0]!.content.parts.map((part) => part.text)).join("");

describe("a stream of Gemini's", () => {
  it.each(["", "?alt=json", "?key=x"])("is one JSON array where events were not asked for: %j", async (query) => {
    gateway.script("openai-chat", [start(), text("Good "), text('"morning"\n'), usage(9, 4), finish()]);
    const response = await ask(query);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const chunks = (await response.json()) as readonly Chunk[];
    expect(textOf(chunks)).toBe('Good "morning"\n');
    expect(chunks.length).toBeGreaterThan(2);
    expect(chunks.at(-1)).toMatchObject({
      candidates: [{ finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 4 },
      fullstop: { reason: "natural_completion" },
    });
  });

  it("is a stream of events where they were", async () => {
    gateway.script("openai-chat", [start(), text("Good "), usage(9, 4), finish()]);
    const response = await ask("?alt=sse");
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(await response.text()).toMatch(/^data: \{/u);
  });

  it("comes element by element, not when all is there", async () => {
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("Good "), gate.pass, text("morning"), finish()]);
    const { body } = await ask("");
    const reader = body!.getReader();
    const decoder = new TextDecoder();
    let received = "";
    while (!received.includes("Good ")) received += decoder.decode((await reader.read()).value, { stream: true });
    expect(received).toMatch(/^\[\{.*\}$/su);
    gate.open();
    for (let read = await reader.read(); !read.done; read = await reader.read()) received += decoder.decode(read.value);
    expect(textOf(JSON.parse(received) as readonly Chunk[])).toBe("Good morning");
  });

  it("can be read by whoever reads Gemini's", async () => {
    gateway.script("openai-chat", [start(), text("Good "), text("morning"), usage(9, 4), finish()]);
    const bytes = new Uint8Array(await (await ask("")).arrayBuffer());
    const found: string[] = [];
    const sink = gemini.decodeStream()({
      push: (event) => void found.push(event.type === "text" ? event.text : event.type),
      end: () => undefined,
    });
    for (const byte of bytes) sink.push(Uint8Array.of(byte));
    sink.end();
    expect(found).toEqual(["start", "Good ", "morning", "usage", "finish"]);
  });

  it("is an array also where it fails in the middle", async () => {
    gateway.script("openai-chat", [start(), text("Good ")]);
    const chunks = (await (await ask("")).json()) as readonly object[];
    expect(chunks.at(-1)).toMatchObject({ error: { message: "The source ended without a finish" } });
  });

  it("is an error of its own where it never begins", async () => {
    gateway.script("openai-chat", { status: 429, body: { error: { message: "Too many" } } });
    const response = await ask("");
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ error: { status: "RESOURCE_EXHAUSTED" } });
  });
});

describe("a model with a slash in its name", () => {
  it("is asked at its name alone, too, as the AI SDK does", async () => {
    gateway.script("openai-chat", [start(), text("Good morning"), usage(9, 4), finish()]);
    const askAlone = async (end: string): Promise<Response> =>
      fetch(`${gateway.url}/v1beta/${end}`, { method: "POST", body: JSON.stringify(BODIES.gemini) });
    const whole = await askAlone("openai-chat/any-model:generateContent");
    expect(textOf([(await whole.json()) as Chunk])).toBe("Good morning");
    const stream = await askAlone("openai-chat/any-model:streamGenerateContent?alt=sse");
    expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(await stream.text()).toContain("Good morning");
    expect(await (await askAlone("openai-chat/any-model:countTokens")).json()).toMatchObject({
      totalTokens: expect.any(Number) as number,
    });
    expect((await askAlone("openai-chat/any-model:embedContent")).status).toBe(404);
    expect((await askAlone("nothing?x=:generateContent")).status).toBe(404);
  });
});
