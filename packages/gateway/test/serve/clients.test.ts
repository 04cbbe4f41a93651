import { connect } from "node:net";
import type { Socket } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { DIALECTS } from "../support/dialects.ts";
import type { Dialect } from "../support/dialects.ts";
import { get, openGateway, openGatewayForFile, post } from "../support/gateway.ts";
import type { Gateway } from "../support/gateway.ts";
import { bodyOf, pathOf } from "../support/small-requests.ts";

const TOO_LARGE: Readonly<Record<Dialect, object>> = {
  "openai-chat": { error: { type: "invalid_request_error", code: "invalid_request" } },
  "openai-responses": { error: { type: "invalid_request_error", code: "invalid_request" } },
  "anthropic-messages": { type: "error", error: { type: "request_too_large" } },
  gemini: { error: { code: 413, status: "INVALID_ARGUMENT" } },
};

const gateway = await openGatewayForFile({ limits: { maxBodyBytes: 1000, maxHeaderBytes: 2000 } });
const hasty = await openGatewayForFile({ limits: { requestMilliseconds: 200, idleMilliseconds: 100 } });

function dial({ url }: Gateway): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname);
}

const head = (dialect: Dialect, length: string): string =>
  [`POST ${pathOf(dialect, "pip")} HTTP/1.1`, "host: 127.0.0.1", length, "", ""].join("\r\n");

/** What a socket gets until it is closed. */
const answerOn = (socket: Socket): Promise<string> => readAll(socket);

const jsonOf = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4)) as unknown;

describe.each(DIALECTS)("a client of %s", (dialect) => {
  it("whose body is too large is refused when it says so", async () => {
    const response = await fetch(`${gateway.url}${pathOf(dialect, "pip")}`, {
      method: "POST",
      body: JSON.stringify({ ...bodyOf(dialect, "pip"), metadata: "x".repeat(1000) }),
    });
    expect(response.status).toBe(413);
    const body: unknown = await response.json();
    expect(body).toMatchObject(TOO_LARGE[dialect]);
    expect(JSON.stringify(body)).toContain("The body is larger than 1000 bytes");
  });

  it("whose body becomes too large is refused then", async () => {
    const socket = dial(gateway);
    socket.write(head(dialect, "transfer-encoding: chunked\r\nconnection: close"));
    const piece = "x".repeat(600);
    socket.write(`258\r\n${piece}\r\n`);
    socket.write(`258\r\n${piece}\r\n`);
    const answer = await answerOn(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /u);
    expect(jsonOf(answer)).toMatchObject(TOO_LARGE[dialect]);
  });

  it("that is too slow with its body is cut off", async () => {
    const socket = dial(hasty);
    socket.write(head(dialect, "content-length: 900"));
    socket.on("error", () => undefined);
    // It sends something all the time, so that no connection is ever silent.
    const drip = setInterval(() => socket.write(" "), 20);
    const answer = await answerOn(socket);
    clearInterval(drip);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /u);
    expect(hasty.house.generations.live()).toEqual([]);
  });
});

describe("a client", () => {
  it("whose JSON has a mark of Windows before it is understood", async () => {
    const question = { model: "pip", messages: [{ role: "user", content: "Hi" }] };
    const { status, body } = await post(`${gateway.url}/v1/messages/count_tokens`, `\uFEFF${JSON.stringify(question)}`);
    expect([status, body]).toEqual([200, { input_tokens: expect.any(Number) as number }]);
  });

  it("that is too slow with its headers is cut off", async () => {
    const socket = dial(hasty);
    socket.on("error", () => undefined);
    socket.write("POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\n");
    const drip = setInterval(() => socket.write("x"), 20);
    const answer = await answerOn(socket);
    clearInterval(drip);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /u);
  });

  it("that says nothing at all is cut off", async () => {
    const answer = await answerOn(dial(hasty));
    expect(answer).toMatch(/^HTTP\/1\.1 408 |^$/u);
  });

  it("that keeps a connection and does not use it loses it", async () => {
    const socket = dial(hasty);
    socket.write("GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n");
    expect(await answerOn(socket)).toMatch(/^HTTP\/1\.1 200 .*\{"status":"ok"\}$/su);
  });

  it("whose headers are too large is refused", async () => {
    const socket = dial(gateway);
    socket.write(head("openai-chat", `x-long: ${"x".repeat(3000)}`));
    expect(await answerOn(socket)).toMatch(/^HTTP\/1\.1 431 /u);
  });

  it("that behaves is served as ever", async () => {
    for (const { url } of [gateway, hasty]) expect((await get(`${url}/healthz`)).status).toBe(200);
  });

  it("may be given more time than is usual", async () => {
    const patient = await openGateway({ limits: { requestMilliseconds: 3_600_000 } });
    expect((await get(`${patient.url}/healthz`)).status).toBe(200);
    await patient.close();
  });
});
