import { gzipSync } from "node:zlib";
import { finish, start, text } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { hashOf } from "../support/gateway.ts";
import { BODIES } from "../support/raw.ts";
import { openScripted } from "../support/scripted.ts";
import { bodyOf, pathOf } from "../support/small-requests.ts";
import { DIALECTS } from "../support/dialects.ts";
import { requestOf, sendRaw, statusesOf } from "./raw-http.ts";

const KEY = "alice-key-0123456789";
const gateway = await openScripted({ keys: [{ name: "alice", sha256: hashOf(KEY) }] });
const AUTHORISED = `Authorization: Bearer ${KEY}`;
for (const dialect of DIALECTS) gateway.script(dialect, [start(), text("Hello"), finish()]);

async function ask(path: string, body: string | Uint8Array<ArrayBuffer>, headers: object = {}) {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, ...headers },
    body,
  });
  return { status: response.status, text: await response.text() };
}

describe.each(DIALECTS)("a request of %s", (dialect) => {
  const path = pathOf(dialect, `${dialect}/m`);

  it("by somebody without a key is refused before any of its body has come", async () => {
    const head = requestOf(`POST ${path}`, ["Content-Length: 30000000"]);
    expect(statusesOf(await sendRaw(gateway, head))).toEqual([401]);
  });

  it("is told by which limit it is too large", async () => {
    const head = requestOf(`POST ${path}`, [AUTHORISED, "Content-Length: 34000000"]);
    const answer = await sendRaw(gateway, head);
    expect(statusesOf(answer)).toEqual([413]);
    expect(answer).toContain("The body is larger than 33554432 bytes (limits.maxBodyBytes)");
  });

  it.each(["gzip", "br", "deflate", "zstd", "gzip, gzip", "x"])("is not unpacked: %s", async (encoding) => {
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(10_000_000, 0x20)));
    const { status, text: answer } = await ask(path, bomb, { "content-encoding": encoding });
    expect(status).toBe(415);
    expect(answer).toContain(`not with content-encoding \\"${encoding}\\"`);
  });

  it("is not taken as a form", async () => {
    const form = `${"--x\r\ncontent-disposition: form-data; name=model\r\n\r\npip\r\n".repeat(10_000)}--x--`;
    const { status, text: answer } = await ask(path, form, { "content-type": "multipart/form-data; boundary=x" });
    expect(status).toBe(400);
    expect(answer).toContain("The body is not JSON");
  });

  const stop = {
    "openai-chat": (stops: readonly string[]) => ({ stop: stops }),
    // This dialect has no stop strings of its own.
    "openai-responses": (stops: readonly string[]) => ({ fullstop: { stop: stops } }),
    "anthropic-messages": (stops: readonly string[]) => ({ stop_sequences: stops }),
    gemini: (stops: readonly string[]) => ({ generationConfig: { stopSequences: stops } }),
  }[dialect];

  it.each([
    ["a long stop string", ["x".repeat(65_537)], "at most 65536 characters"],
    ["one of a million characters", ["x".repeat(1_000_000)], "limits.maxStopCharacters"],
    ["very many", Array.from({ length: 100_000 }, (_, n) => `stop ${n}`), "limits.maxStopCharacters"],
    ["half in one place", Array.from({ length: 3 }, (_, n) => "x".repeat(60_000 + n)), undefined],
  ])("has stop strings within limits, by the dialect's field and by ours: %s", async (_, stops, refusal) => {
    const body = bodyOf(dialect, `${dialect}/m`);
    for (const more of [stop(stops), { fullstop: { stop: stops } }]) {
      const { status, text: answer } = await ask(path, JSON.stringify({ ...body, ...more }));
      expect(status).toBe(refusal === undefined ? 200 : 400);
      expect(answer).toContain(refusal ?? "Hello");
      expect(answer.length).toBeLessThan(5000);
    }
  });

  it("has stop strings within limits in both places together", async () => {
    const stops = Array.from({ length: 3 }, (_, n) => "x".repeat(60_000 + n));
    const fullstop = { stop: [...stops, { text: "y".repeat(60_000) }, { text: "z".repeat(60_000) }] };
    const more = { ...stop(stops), fullstop };
    const { status, text: answer } = await ask(path, JSON.stringify({ ...bodyOf(dialect, `${dialect}/m`), ...more }));
    expect([status, answer.includes("limits.maxStopCharacters")]).toEqual([400, true]);
  });

  it("may have very many messages, tools and labels, which go on as they are", async () => {
    const list = (fill: (index: number) => object): readonly object[] =>
      Array.from({ length: 3000 }, (_, n) => fill(n));
    const more = {
      "openai-chat": {
        messages: list((n) => ({ role: n % 2 === 0 ? "user" : "assistant", content: "Hi" })),
        tools: list((n) => ({ type: "function", function: { name: `tool${n}`, parameters: { type: "object" } } })),
        metadata: Object.fromEntries(list(() => ({})).map((_, n) => [`label${n}`, "x"])),
      },
      "openai-responses": {
        input: list((n) => ({ role: n % 2 === 0 ? "user" : "assistant", content: "Hi" })),
        tools: list((n) => ({ type: "function", name: `tool${n}`, parameters: { type: "object" } })),
        metadata: Object.fromEntries(list(() => ({})).map((_, n) => [`label${n}`, "x"])),
      },
      "anthropic-messages": {
        messages: list((n) => ({ role: n % 2 === 0 ? "user" : "assistant", content: "Hi" })),
        tools: list((n) => ({ name: `tool${n}`, input_schema: { type: "object" } })),
      },
      gemini: {
        contents: list((n) => ({ role: n % 2 === 0 ? "user" : "model", parts: [{ text: "Hi" }] })),
        tools: [{ functionDeclarations: list((n) => ({ name: `tool${n}`, parameters: { type: "object" } })) }],
      },
    }[dialect];
    const whole = { ...BODIES[dialect], model: dialect === "gemini" ? undefined : `${dialect}/m`, ...more };
    expect((await ask(path, JSON.stringify(whole))).status).toBe(200);
    const { request } = gateway.upstreams[dialect].requests.at(-1)!;
    expect([request.messages.length, request.tools?.length]).toEqual([3000, 3000]);
  });
});

describe("a request", () => {
  it.each([
    ["headers", requestOf("GET /healthz", [`X-Long: ${"x".repeat(20_000)}`])],
    [
      "many headers",
      requestOf(
        "GET /healthz",
        Array.from({ length: 3000 }, (_, n) => `X-${n}: ${n}`),
      ),
    ],
    ["an address", requestOf(`GET /${"x".repeat(20_000)}`)],
    ["a query", requestOf(`GET /healthz?${"x=1&".repeat(6000)}`)],
  ])("with %s beyond the limit is told by which", async (_, bytes) => {
    const answer = await sendRaw(gateway, bytes);
    expect(statusesOf(answer)).toEqual([431]);
    expect(answer).toContain("larger than 16384 bytes (limits.maxHeaderBytes)");
  });

  it.each([
    ["GET", "nowhere"],
    ["PUT", "v1/models"],
  ])("at a long address is not told all of it again: %s", async (method, folder) => {
    const request = requestOf(`${method} /${folder}/${"a".repeat(10_000)}`, [AUTHORISED]);
    const answer = await sendRaw(gateway, request);
    expect(statusesOf(answer)).toEqual([method === "GET" ? 404 : 405]);
    expect(answer.length).toBeLessThan(2_000);
  });

  it("leaves the server as it was", async () => {
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    expect(gateway.house.generations.live()).toEqual([]);
  });
});
