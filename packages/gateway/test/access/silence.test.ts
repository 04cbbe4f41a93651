import { connect } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { Gatekeeper } from "../../src/access/gatekeeper.ts";
import { hashOf, openGatewayForFile } from "../support/gateway.ts";

const KEY = "open-sesame-alice";

const gateway = await openGatewayForFile({
  keys: [{ name: "alice", sha256: hashOf(KEY), models: ["pip"] }],
  limits: { maxBodyBytes: 1000, maxHeaderBytes: 4096 },
});

/** Everything that comes back for what is written to a socket. */
async function exchange(request: string): Promise<string> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.write(request);
  return readAll(socket);
}

const head = (first: string, more: readonly string[] = []): string =>
  [first, "host: 127.0.0.1", "connection: close", ...more, "", ""].join("\r\n");

/** A key in every place that a client may put one. */
const EVERYWHERE = [
  `authorization: Bearer ${KEY}`,
  `x-api-key: ${KEY}`,
  `x-goog-api-key: ${KEY}`,
  `x-fullstop-provider-key: ${KEY}`,
];

const withBody = (address: string, body: string): string =>
  head(`POST ${address} HTTP/1.1`, [...EVERYWHERE, `content-length: ${body.length}`]) + body;

describe("a key in the address", () => {
  const keeper = new Gatekeeper([{ name: "alice", sha256: hashOf(KEY) }]);
  const other = hashOf(KEY).slice(0, 10);

  it.each([
    `/v1beta/models?key=${KEY}`,
    `/v1beta/models/pip:generateContent?alt=sse&key=${KEY}`,
    `/v1beta/models?key=${encodeURIComponent(KEY)}&key=${other}`,
  ])("opens the door of Gemini: %s", (url) => {
    expect(keeper.admit({ headers: {}, url })).toMatchObject({ name: "alice" });
  });

  it.each([
    `/v1beta/models?key=${other}`,
    "/v1beta/models?key=",
    `/v1beta/models?Key=${KEY}`,
    `/v1beta/key=${KEY}`,
    `/v1/models?key=${KEY}`,
    `/v1/chat/completions?key=${KEY}`,
  ])("opens no other: %s", (url) => {
    expect(() => keeper.admit({ headers: {}, url })).toThrow(/key/u);
  });

  it("counts less than one in the headers", () => {
    const headers = { "x-goog-api-key": other };
    expect(() => keeper.admit({ headers, url: `/v1beta/models?key=${KEY}` })).toThrow("not known");
  });

  it("opens the door over HTTP", async () => {
    expect(await exchange(head(`GET /v1beta/models?key=${KEY} HTTP/1.1`))).toMatch(/^HTTP\/1\.1 200 .*models\/pip/su);
  });
});

describe("no answer repeats a key", () => {
  it.each([
    ["an address that is none", 404, head(`GET /v1beta/nothing?key=${KEY} HTTP/1.1`, EVERYWHERE)],
    ["an address that cannot be read", 400, head(`GET /v1beta/models/%zz?key=${KEY} HTTP/1.1`, EVERYWHERE)],
    ["an id that is too long", 414, head(`GET /v1/generations/${"x".repeat(500)}?key=${KEY} HTTP/1.1`, EVERYWHERE)],
    ["a method that nobody knows", 400, head(`SHOUT /v1beta/models?key=${KEY} HTTP/1.1`, EVERYWHERE)],
    ["a method that is not for this address", 405, head(`PUT /v1beta/models?key=${KEY} HTTP/1.1`, EVERYWHERE)],
    ["a header that cannot be read", 400, head(`GET /v1beta/models?key=${KEY} HTTP/1.1`, [`bad header: ${KEY}`])],
    ["headers that are too large", 431, head("GET /v1/models HTTP/1.1", [`x-api-key: ${KEY}${"x".repeat(5000)}`])],
    ["two lengths", 400, head("POST /v1/messages HTTP/1.1", [...EVERYWHERE, "content-length: 1", "content-length: 2"])],
    ["a length that is none", 400, head("POST /v1/messages HTTP/1.1", [`content-length: ${KEY}`])],
    [
      "a strange type of content",
      415,
      withBody("/v1/messages", "{}").replace("content-length", `content-type: ${KEY}\r\ncontent-length`),
    ],
    ["a body that is no JSON", 400, withBody("/v1/messages", "{")],
    [
      "a body that is too large",
      413,
      withBody(`/v1beta/models/pip:generateContent?key=${KEY}`, `"${"x".repeat(2000)}"`),
    ],
    ["a request that is none", 400, withBody("/v1/chat/completions", "{}")],
    [
      "a model that is forbidden",
      403,
      withBody("/v1/chat/completions", '{"model":"gpt","messages":[{"role":"user","content":"Hi"}]}'),
    ],
    ["a key that is unknown", 401, head(`GET /v1beta/models?key=${KEY}x HTTP/1.1`)],
    ["a key that is no key", 401, head("GET /v1/models HTTP/1.1", [`authorization: Basic ${KEY}`])],
  ])("to %s", async (_, status, request) => {
    const answer = await exchange(request);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `, "u"));
    expect(answer).not.toContain(KEY);
  });

  it("in an error of the dialect that is spoken at the address, even if that cannot be read", async () => {
    const answer = await exchange(head(`POST /v1beta/models/%zz:generateContent?key=${KEY} HTTP/1.1`));
    expect(JSON.parse(answer.slice(answer.indexOf("{")))).toMatchObject({
      error: { code: 400, status: "INVALID_ARGUMENT", message: "The address or the body cannot be read" },
    });
  });
});
