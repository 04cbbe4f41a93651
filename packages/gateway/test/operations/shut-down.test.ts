import { once } from "node:events";
import { connect } from "node:net";
import { createGate, finish, start, text, usage } from "fullstop/testing";
import type { Gate } from "fullstop/testing";
import { afterEach, describe, expect, it } from "vitest";
import { DIALECTS } from "../support/dialects.ts";
import type { Dialect } from "../support/dialects.ts";
import { endingOf } from "../support/endings.ts";
import { createFolder } from "../support/folder.ts";
import { get, post, readFrames } from "../support/gateway.ts";
import { startServe } from "../support/serve.ts";
import { openUpstream } from "../support/upstream.ts";
import type { Reply } from "../support/upstream.ts";

const folder = createFolder();
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A server in a process of its own, in front of a provider that answers as told. */
async function startInFront(reply: (model: string) => Reply, shutdownMilliseconds: number) {
  const upstream = await openUpstream("openai-chat", ({ model }) => reply(model));
  closers.push(() => upstream.close());
  const providers = { slow: { baseUrl: upstream.baseUrl } };
  const config = folder.write("end.json", JSON.stringify({ port: 0, shutdownMilliseconds, providers }));
  const server = await startServe(["--config", config], { cwd: folder.path(".") });
  closers.push(() => {
    server.child.kill("SIGKILL");
    return server.exit;
  });
  return server;
}

type Server = Awaited<ReturnType<typeof startInFront>>;

/** Resolves when the server has heard that it is to end. */
async function whenNotReady({ url }: Server): Promise<void> {
  while ((await get(`${url}/readyz`)).status === 200) await new Promise((resolve) => setImmediate(resolve));
}

const untilOpen = (gate: Gate): Reply => [start(), text("Hello"), gate.pass, text(" there"), usage(9, 4), finish()];

const BODIES: Readonly<Record<Dialect, { path: string; body: object }>> = {
  "openai-chat": {
    path: "/v1/chat/completions",
    body: { model: "slow/m", messages: [{ role: "user", content: "Hi" }], stream: true },
  },
  "openai-responses": { path: "/v1/responses", body: { model: "slow/m", input: "Hi", stream: true } },
  "anthropic-messages": {
    path: "/v1/messages",
    body: { model: "slow/m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }], stream: true },
  },
  gemini: {
    path: "/v1beta/models/slow/m:streamGenerateContent?alt=sse",
    body: { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
  },
};

function ask({ url }: Server, dialect: Dialect, model = "slow/m"): Promise<Response> {
  const { path, body } = BODIES[dialect];
  return fetch(`${url}${path}`, {
    method: "POST",
    body: JSON.stringify({ ...body, ...("model" in body && { model }) }),
  });
}

describe("a server that is told to end", () => {
  it("lets a stream end by itself, is not ready meanwhile, and begins nothing new", async () => {
    const gate = createGate();
    const server = await startInFront(() => untilOpen(gate), 3_600_000);
    const response = await ask(server, "openai-chat");
    await gate.reached;
    server.child.kill("SIGTERM");
    await whenNotReady(server);
    expect(await get(`${server.url}/readyz`)).toEqual({
      status: 503,
      body: { status: "not_ready", problems: ["shutting_down"] },
    });
    expect((await get(`${server.url}/healthz`)).status).toBe(200);
    for (const dialect of DIALECTS) {
      const refused = await ask(server, dialect);
      expect(refused.status).toBe(503);
      expect(await refused.text()).toMatch(/shutting down/u);
    }
    // What runs can still be seen.
    expect((await get(`${server.url}/v1/generations`)).body).toMatchObject({ generations: [{ model: "slow/m" }] });
    gate.open();
    const all = await response.text();
    expect(all).toContain('" there"');
    expect(all).toContain('"reason":"natural_completion"');
    expect(await server.exit).toBe(0);
  });

  it.each(DIALECTS)("stops a stream that does not end, and says so in the words of %s", async (dialect) => {
    const gate = createGate();
    const server = await startInFront(() => untilOpen(gate), 50);
    const response = await ask(server, dialect);
    await gate.reached;
    server.child.kill("SIGTERM");
    const all = await response.text();
    const type = response.headers.get("content-type") ?? "";
    expect(endingOf(dialect, response.status, type, all)).toEqual({ count: 1, isError: false });
    expect(all).toContain("Hello");
    expect(all).not.toContain("there");
    expect(all).toMatch(/"reason":"cancelled"/u);
    expect(all).toMatch(/"detail":"shutdown"/u);
    // Nobody wanted it, so it does not read as whole.
    expect(all).not.toMatch(
      /"finish_reason":"stop"|"stop_reason":"end_turn"|"finishReason":"STOP"|response\.completed/u,
    );
    expect(await server.exit).toBe(0);
    gate.open();
  });

  it("can still be told to stop one stream while another one ends", async () => {
    const gates = { a: createGate(), b: createGate() };
    const server = await startInFront((model) => untilOpen(model === "a" ? gates.a : gates.b), 3_600_000);
    const answers = await Promise.all([ask(server, "openai-chat", "slow/a"), ask(server, "openai-chat", "slow/b")]);
    await Promise.all([gates.a.reached, gates.b.reached]);
    server.child.kill("SIGTERM");
    await whenNotReady(server);
    const id = answers[0].headers.get("x-fullstop-generation-id");
    expect((await post(`${server.url}/v1/generations/${id}/stop`, {})).body).toMatchObject({ result: "stopped" });
    gates.b.open();
    const [stopped, whole] = await Promise.all(answers.map((answer) => answer.text()));
    expect(stopped).toContain('"detail":"user"');
    expect(whole).toContain('"reason":"natural_completion"');
    expect(await server.exit).toBe(0);
    gates.a.open();
  });

  it("ends what is left when it is told again", async () => {
    const gates = { a: createGate(), b: createGate() };
    const server = await startInFront((model) => untilOpen(model === "a" ? gates.a : gates.b), 3_600_000);
    const [ending, endless] = await Promise.all([
      ask(server, "openai-chat", "slow/a"),
      ask(server, "openai-chat", "slow/b"),
    ]);
    await Promise.all([gates.a.reached, gates.b.reached]);
    server.child.kill("SIGTERM");
    await whenNotReady(server);
    gates.a.open();
    expect(await ending.text()).toContain('"reason":"natural_completion"');
    server.child.kill("SIGTERM");
    expect(await endless.text()).toContain('"detail":"shutdown"');
    expect(await server.exit).toBe(0);
    gates.b.open();
  });

  it("does not wait for a reader that does not read", async () => {
    const much = Array.from({ length: 2000 }, () => text("x".repeat(10_000)));
    const server = await startInFront(() => [start(), ...much, finish()], 50);
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    const body = JSON.stringify(BODIES["openai-chat"].body);
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await once(socket, "readable");
    // Far more is there than the buffers between the two can hold.
    const backlog = async () => {
      const { body: list } = await get(`${server.url}/v1/generations`);
      return (list as { generations: readonly { events: number }[] }).generations[0]!.events;
    };
    while ((await backlog()) < 1000) await new Promise((resolve) => setImmediate(resolve));
    server.child.kill("SIGTERM");
    expect(await server.exit).toBe(0);
    socket.destroy();
  });

  it("ends at once where nothing runs, and says nothing on standard output but its banner", async () => {
    const server = await startInFront(() => [start(), text("Hello"), finish()], 3_600_000);
    const frames: string[] = [];
    for await (const { data } of readFrames(await ask(server, "openai-chat"))) frames.push(data);
    expect(frames.at(-1)).toBe("[DONE]");
    server.child.kill("SIGTERM");
    expect(await server.exit).toBe(0);
    expect(server.stdout()).not.toContain("generation ended");
    const [line] = server.stderr().split("\n");
    expect(JSON.parse(line!)).toMatchObject({ msg: "generation ended", provider: "slow" });
  });

  it.each([
    ["nothing", ""],
    ["a part of a request", "GET /healthz HTTP/1.1\r\nhost: local"],
  ])("does not wait for a connection over which came %s", async (_what, sent) => {
    const server = await startInFront(() => [start(), finish()], 3_600_000);
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    await once(socket, "connect");
    if (sent !== "") await new Promise((resolve) => socket.write(sent, resolve));
    // The server takes connections in their order, and has this one by now.
    expect((await get(`${server.url}/healthz`)).status).toBe(200);
    server.child.kill("SIGTERM");
    expect(await server.exit).toBe(0);
    socket.destroy();
  });
});
