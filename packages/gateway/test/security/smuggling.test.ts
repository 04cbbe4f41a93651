import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { createGate, finish, start, text } from "fullstop/testing";
import { afterAll, describe, expect, it } from "vitest";
import { hashOf, openGatewayForFile } from "../support/gateway.ts";
import { PROVIDER_KEY, openScripted } from "../support/scripted.ts";
import { requestOf, sendRaw, statusesOf } from "./raw-http.ts";

const KEY = "alice-key-0123456789";
const gateway = await openScripted({ keys: [{ name: "alice", sha256: hashOf(KEY) }] });
const AUTHORISED = `Authorization: Bearer ${KEY}`;
const QUESTION = JSON.stringify({ model: "openai-chat/m", messages: [{ role: "user", content: "Hi" }] });
gateway.script("openai-chat", [start(), text("Hello"), finish()]);

const ask = (headers: readonly string[], body = QUESTION): Promise<string> =>
  sendRaw(gateway, requestOf("POST /v1/chat/completions", [AUTHORISED, ...headers], body));

/** A request that somebody would hide behind another one. */
const HIDDEN = `GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\n${AUTHORISED}\r\n\r\n`;

const started = (): number => gateway.upstreams["openai-chat"].requests.length;

describe("what can be read in more than one way", () => {
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n${AUTHORISED}\r\n`;
  it.each([
    ["a length and chunks", `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ["chunks and a length", `${head}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ["two lengths", `${head}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde${HIDDEN}`],
    ["two lengths in one line", `${head}Content-Length: 5, 5\r\n\r\nabcde${HIDDEN}`],
    ["a length with a sign", `${head}Content-Length: +5\r\n\r\nabcde${HIDDEN}`],
    ["a length in hexadecimal", `${head}Content-Length: 0x5\r\n\r\nabcde${HIDDEN}`],
    ["a blank before the colon", `${head}Content-Length : 5\r\n\r\nabcde${HIDDEN}`],
    ["chunks that are not last", `${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ["chunks by another name", `${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ["chunks twice", `${head}Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ["a chunk without a size", `${head}Transfer-Encoding: chunked\r\n\r\nz\r\n\r\n${HIDDEN}`],
    ["a chunk with a sign", `${head}Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n${HIDDEN}`],
    ["lines that end by halves", `${head}Content-Length: 5\n\nabcde${HIDDEN}`],
    ["a header over two lines", `${head}X-Long: a\r\n b\r\nContent-Length: 0\r\n\r\n${HIDDEN}`],
    ["a return within a header", `${head}X-Long: a\rContent-Length: 9\r\n\r\n${HIDDEN}`],
    ["a NUL in a header", `${head}X-Long: a\0b\r\n\r\n${HIDDEN}`],
    ["a header without a name", `${head}: nothing\r\n\r\n${HIDDEN}`],
    ["no HTTP at all", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello"],
    ["another protocol", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ])("is refused, and with it all that follows: %s", async (_, bytes) => {
    const before = started();
    const answer = await sendRaw(gateway, bytes);
    expect(statusesOf(answer)).toEqual([400]);
    expect(answer).toContain("What was sent is not HTTP, or can be read in more than one way");
    expect(started()).toBe(before);
  });

  const asked = `${head}Content-Length: ${QUESTION.length}\r\n\r\n${QUESTION}`;
  it.each([
    ["a request", asked],
    ["several requests", asked + asked],
    ["a request and half of another", `${asked}${head}Transfer-Encoding: chunked\r\n\r\n`],
  ])("is not answered in place of what was asked before it: %s", async (_, requests) => {
    const answer = await sendRaw(gateway, `${requests}\x16\x03\x01 nothing that is HTTP\r\n\r\n`);
    expect(statusesOf(answer)).not.toContain(400);
  });

  it("is not answered into the middle of a stream", async () => {
    const hold = createGate();
    gateway.script("openai-chat", [start(), text("Hello"), hold.pass, finish()]);
    const body = JSON.stringify({ ...(JSON.parse(QUESTION) as object), stream: true });
    const line = requestOf("POST /v1/chat/completions", [AUTHORISED], body).replace("close", "keep-alive");
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    socket.write(line);
    let answer = "";
    socket.on("data", (chunk) => {
      const isFirst = !answer.includes("Hello");
      answer += chunk.toString();
      if (isFirst && answer.includes("Hello")) socket.write("\x16\x03\x01 nothing that is HTTP\r\n\r\n");
    });
    await new Promise((resolve) => socket.on("close", resolve));
    hold.open();
    expect(statusesOf(answer)).toEqual([200]);
    expect(answer).not.toContain("What was sent");
    gateway.script("openai-chat", [start(), text("Hello"), finish()]);
  });
});

describe("who asks", () => {
  it.each([
    ["the first of two keys", ["Authorization: Bearer wrong", AUTHORISED], 401],
    ["nobody by two keys in one line", [`X-Api-Key: ${KEY}`, "X-Api-Key: wrong"], 401],
    ["nobody by a list of keys", [`X-Api-Key: wrong, ${KEY}`], 401],
    ["nobody by a key and more", [`Authorization: Bearer ${KEY} Bearer wrong`], 401],
    ["nobody by another scheme", [`Authorization: Basic ${KEY}`], 401],
    ["nobody by a header of a proxy", [`Proxy-Authorization: Bearer ${KEY}`], 401],
    ["nobody by a cookie", [`Cookie: key=${KEY}; Authorization=Bearer ${KEY}`], 401],
    ["a key whatever the case of its scheme", [`authorization: bEARER ${KEY}`], 200],
  ])("is %s", async (_, headers, status) => {
    expect(statusesOf(await sendRaw(gateway, requestOf("GET /v1/models", headers)))).toEqual([status]);
  });

  it("is nobody by what follows a body", async () => {
    const head = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n";
    const chunks = `${QUESTION.length.toString(16)}\r\n${QUESTION}\r\n0\r\n${AUTHORISED}\r\n\r\n`;
    const before = started();
    const request = `${head}Transfer-Encoding: chunked\r\nTrailer: Authorization\r\n\r\n${chunks}`;
    expect(statusesOf(await sendRaw(gateway, request))).toEqual([401]);
    expect(started()).toBe(before);
  });

  it.each([
    ["X-Forwarded-Host: 127.0.0.1"],
    ["Forwarded: host=127.0.0.1"],
    ["X-Forwarded-For: 127.0.0.1"],
    ["X-Real-IP: 127.0.0.1"],
    ["X-Original-Host: localhost"],
  ])("is not told by what a proxy would say: %s", async (header) => {
    const request = `GET /v1/models HTTP/1.1\r\nHost: evil.example\r\n${header}\r\nConnection: close\r\n\r\n`;
    expect(statusesOf(await sendRaw(open, request))).toEqual([403]);
  });

  it.each([
    ["Host: evil.example"],
    ["Host: 127.0.0.1.evil.example"],
    ["Host: localhost.evil.example"],
    ["Host: evil.example:127.0.0.1"],
    ["Host: 127.0.0.1@evil.example"],
    ["Host: evil.example#127.0.0.1"],
    ["Host: 0.0.0.0"],
    ["Host:"],
    ["Host: evil.example\r\nHost: 127.0.0.1"],
  ])("is not this machine by %j", async (header) => {
    const request = `GET /v1/models HTTP/1.1\r\n${header}\r\nConnection: close\r\n\r\n`;
    expect(statusesOf(await sendRaw(open, request))).toEqual([403]);
  });

  it("is not told by the address of the request", async () => {
    const request = "GET http://127.0.0.1/v1/models HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    expect(statusesOf(await sendRaw(open, request))).toEqual([403]);
  });
});

const open = await openGatewayForFile();

describe("what a provider gets to see of a request", () => {
  const OURS = new Set([
    "host",
    "connection",
    "content-type",
    "accept",
    "accept-encoding",
    "content-length",
    "authorization",
  ]);

  it("is nothing of its headers, whichever they are", async () => {
    const names = [
      "Cookie: session=1",
      "X-Request-Id: 77",
      "X-Forwarded-For: 1.2.3.4",
      "Forwarded: for=1.2.3.4",
      "Proxy-Authorization: Basic eA==",
      "TE: trailers",
      "Upgrade: h2c",
      "Keep-Alive: timeout=5",
      "X-Secret: 1",
      "Referer: http://internal/",
      "Origin: http://127.0.0.1",
      "User-Agent: some/1",
      "Accept-Encoding: gzip, br",
      "Anthropic-Version: 2023-06-01",
      "X-Fullstop-Settings: {}",
      "X-Base-Url: http://evil.example/",
      "X-Fullstop-Base-Url: http://evil.example/",
      "OpenAI-Organization: org",
    ];
    expect(statusesOf(await ask(names))).toEqual([200]);
    const { headers } = gateway.upstreams["openai-chat"].requests.at(-1)!;
    expect(Object.keys(headers).filter((name) => !OURS.has(name))).toEqual([]);
    expect(headers).toMatchObject({ authorization: `Bearer ${PROVIDER_KEY}`, connection: "keep-alive" });
    expect(JSON.stringify(headers)).not.toContain(KEY);
  });

  it("is its trace only where somebody traces", async () => {
    const trace = "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await ask([trace, "tracestate: a=1\tb", "baggage: user=alice"]);
    const { headers } = gateway.upstreams["openai-chat"].requests.at(-1)!;
    // Nobody traces here; where somebody does, the tests of spans look at what goes on.
    expect(Object.keys(headers).filter((name) => !OURS.has(name))).toEqual([]);
  });

  it.each(["a\r\nX-Injected: 1", "a\nb", "a\u2028b", "é"])(
    "cannot be a model's name with a line in it: %j",
    async (name) => {
      gateway.script("gemini", [start(), text("Hello"), finish()]);
      const response = await fetch(`${gateway.url}/v1/messages`, {
        method: "POST",
        headers: { authorization: `Bearer ${KEY}` },
        body: JSON.stringify({ ...(JSON.parse(QUESTION) as object), max_tokens: 9, model: `gemini/${name}` }),
      });
      expect(await response.text()).toContain("Hello");
      // The name stands in the address there, and is all of it what it was.
      const { headers, request } = gateway.upstreams.gemini.requests.at(-1)!;
      expect(request.model).toBe(name);
      expect(Object.keys(headers).filter((each) => !OURS.has(each) && each !== "x-goog-api-key")).toEqual([]);
    },
  );
});

describe("the head of an answer", () => {
  /** A provider that answers with any bytes. */
  async function openBytes(answer: string): Promise<string> {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.end(answer, "latin1"));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    afterAll(() => new Promise((resolve) => server.close(resolve)));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }

  it("has nothing of the hints that a provider sends before its answer, which is taken", async () => {
    const answer = JSON.stringify({ choices: [{ index: 0, message: { content: "Hello" }, finish_reason: "stop" }] });
    const hints = "HTTP/1.1 103 Early Hints\r\nX-Injected: 1\r\n\r\n".repeat(3);
    const baseUrl = await openBytes(`${hints}HTTP/1.1 200 OK\r\nContent-Length: ${answer.length}\r\n\r\n${answer}`);
    const other = await openGatewayForFile({ providers: { up: { baseUrl } } });
    const response = await fetch(`${other.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "up/m", messages: [{ role: "user", content: "Hi" }] }),
    });
    expect(response.headers.has("x-injected")).toBe(false);
    expect([response.status, (await response.text()).includes("Hello")]).toEqual([200, true]);
  });

  const BODY = JSON.stringify({ error: { message: "no", code: "a\r\nX-Injected: 1" } });

  it.each([
    [
      "headers of its own",
      `HTTP/1.1 429 No\r\nSet-Cookie: a=b\r\nX-Injected: 1\r\nRetry-After: 7\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
    ],
    [
      "a time with a line in it",
      `HTTP/1.1 429 No\r\nRetry-After: 7\r\n X-Injected: 1\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
    ],
    [
      "an id of its own",
      `HTTP/1.1 200 OK\r\nX-Fullstop-Generation-Id: x\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
    ],
    ["two lengths", `HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 900\r\n\r\n${BODY}`],
    ["no HTTP", `X-Injected: 1\r\n\r\n${BODY}`],
    [
      "another answer behind it",
      `HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\nX-Injected: 1\r\n\r\n${BODY}`,
    ],
    ["more headers than there can be", `HTTP/1.1 200 OK\r\nX-Injected: ${"x".repeat(100_000)}\r\n\r\n${BODY}`],
    ["another protocol to go on with", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"],
    ["hints without end", `HTTP/1.1 103 Early Hints\r\nX-Injected: 1\r\n\r\n`.repeat(50)],
  ])("has nothing of a provider's that has %s", async (_, bytes) => {
    const baseUrl = await openBytes(bytes);
    const other = await openGatewayForFile({
      providers: { up: { baseUrl, timeouts: { firstByteMilliseconds: 5000 } } },
    });
    for (const stream of [true, false]) {
      const response = await fetch(`${other.url}/v1/chat/completions`, {
        method: "POST",
        body: JSON.stringify({ model: "up/m", stream, messages: [{ role: "user", content: "Hi" }] }),
      });
      await response.text();
      const names = [...response.headers.keys()].toSorted();
      const known = [
        "cache-control",
        "connection",
        "content-length",
        "content-type",
        "date",
        "keep-alive",
        "retry-after",
      ];
      const more = ["transfer-encoding", "x-accel-buffering", "x-fullstop-generation-id"];
      expect(names.filter((name) => ![...known, ...more].includes(name))).toEqual([]);
      expect(response.headers.get("x-fullstop-generation-id")).toMatch(/^chatcmpl-[0-9a-f]{32}$/u);
      expect(response.status).toBeGreaterThanOrEqual(400);
    }
  });
});
