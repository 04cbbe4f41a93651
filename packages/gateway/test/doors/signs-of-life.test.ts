import { once } from "node:events";
import { createServer, get } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createGate, finish, start, text } from "fullstop/testing";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { createManualClock } from "../../../fullstop/test/support/manual-clock.ts";
import { sendSignsOfLife } from "../../src/doors/signs-of-life.ts";
import { BODIES } from "../support/raw.ts";
import { openScripted } from "../support/scripted.ts";

/** How often it is looked whether anything was sent. */
const INTERVAL = 10_000;

describe("a stream in which nothing comes", () => {
  const server = createServer();
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  /** A stream that has begun, its reader, and the time that it goes by. */
  async function begin() {
    if (!server.listening) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const request = get({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", agent: false });
    request.on("error", () => undefined);
    const [, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
    response.flushHeaders();
    const clock = createManualClock();
    sendSignsOfLife(response, () => void response.write("(alive)"), clock);
    const [reader] = (await once(request, "response")) as [IncomingMessage];
    reader.setEncoding("utf8");
    return { response, reader, clock };
  }

  const readAll = async (reader: IncomingMessage): Promise<string> => {
    let all = "";
    for await (const piece of reader) all += piece as string;
    return all;
  };

  it("has signs of life, but none where something has come", async () => {
    const { response, reader, clock } = await begin();
    const all = readAll(reader);
    response.write("one ");
    await clock.fire(INTERVAL);
    await clock.fire(INTERVAL);
    response.write(" two ");
    await clock.fire(INTERVAL);
    await clock.fire(INTERVAL);
    response.end();
    expect(await all).toBe("one (alive) two (alive)");
  });

  it("has none for a reader who has yet to read what was sent", async () => {
    const { response, reader, clock } = await begin();
    const much = "x".repeat(2 ** 25);
    response.write(much);
    await clock.fire(INTERVAL);
    await clock.fire(INTERVAL);
    response.end();
    expect((await readAll(reader)).length).toBe(much.length);
  });

  it("leaves no timer behind, whether it has ended or its reader has left", async () => {
    const ended = await begin();
    const end = once(ended.response, "close");
    ended.response.end();
    await readAll(ended.reader);
    await end;
    const left = await begin();
    const leave = once(left.response, "close");
    left.reader.destroy();
    await leave;
    expect([ended.clock.running(), left.clock.running()]).toEqual([[], []]);
    const late = createManualClock();
    sendSignsOfLife(left.response, () => undefined, late);
    expect(late.running()).toEqual([]);
  });
});

describe("an answer whose model is silent", async () => {
  const gateway = await openScripted();
  const model = "openai-chat/some-model";
  const post = (path: string, body: object): Promise<Response> =>
    fetch(gateway.url + path, { method: "POST", body: JSON.stringify({ model, stream: true, ...body }) });

  const gemini = "/v1beta/models/openai-chat/some-model:streamGenerateContent";
  const WAYS: Readonly<Record<string, () => Promise<Response>>> = {
    "openai-chat": () => post("/v1/chat/completions", BODIES["openai-chat"]),
    "openai-responses": () => post("/v1/responses", BODIES["openai-responses"]),
    "anthropic-messages": () => post("/v1/messages", BODIES["anthropic-messages"]),
    events: () => readAgain((id) => `/v1/generations/${id}/events`),
    "a response that is read again": () => readAgain((id) => `/v1/responses/${id}?stream=true`),
    "gemini, in events": () => post(`${gemini}?alt=sse`, BODIES.gemini),
    "gemini, in an array": () => post(gemini, BODIES.gemini),
  };

  async function readAgain(path: (id: string) => string): Promise<Response> {
    const body = JSON.stringify({ model, ...BODIES["openai-responses"], background: true });
    const asked = await fetch(`${gateway.url}/v1/responses`, { method: "POST", body });
    const { id } = (await asked.json()) as { id: string };
    return fetch(gateway.url + path(id));
  }

  /** What comes until a text has come. */
  async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, end: string): Promise<string> {
    const decoder = new TextDecoder();
    let all = "";
    while (!all.includes(end)) {
      const { done, value } = await reader.read();
      if (done) return all;
      all += decoder.decode(value, { stream: true });
    }
    return all;
  }

  async function listen(way: string): Promise<string> {
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("Hello"), gate.pass, text("world"), finish()]);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const response = await WAYS[way]!();
    const reader = response.body!.getReader();
    await readUntil(reader, "Hello");
    await vi.advanceTimersByTimeAsync(2 * INTERVAL);
    gate.open();
    return readUntil(reader, "world");
  }

  it.each(Object.keys(WAYS).filter((way) => !way.startsWith("gemini")))("has signs of life by %s", async (way) => {
    expect((await listen(way)).startsWith(":\n\n")).toBe(true);
  });

  it.each(Object.keys(WAYS).filter((way) => way.startsWith("gemini")))(
    "has none by %s, which some clients of Google would take for a part of it",
    async (way) => {
      expect((await listen(way)).trimStart()).toMatch(/^(?:data: |,\s*)\{/u);
    },
  );
});
