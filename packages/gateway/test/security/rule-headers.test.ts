import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { text as readAll } from "node:stream/consumers";
import { createFetch, ruleHeaders } from "fullstop/fetch";
import { finish, start, text } from "fullstop/testing";
import { afterAll, describe, expect, it } from "vitest";
import { DIALECTS } from "../support/dialects.ts";
import { openScripted } from "../support/scripted.ts";
import { bodyOf, pathOf } from "../support/small-requests.ts";
import { requestOf, sendRaw, statusesOf } from "./raw-http.ts";

const gateway = await openScripted();
for (const dialect of DIALECTS) gateway.script(dialect, [start(), text("Hello"), finish()]);

const started = (): number => Object.values(gateway.upstreams).reduce((sum, { requests }) => sum + requests.length, 0);

/** What a gateway answers with. */
const KNOWN = /^(?:HTTP\/1\.1 .*|content-type: .*|content-length: \d+|connection: close|date: .*)$/iu;

/** The lines of an answer's head. */
const headOf = (answer: string): readonly string[] => answer.split("\r\n\r\n", 1)[0]!.split("\r\n");

describe.each(DIALECTS)("the header of settings in a request of %s", (dialect) => {
  const ask = (header: string): Promise<string> => {
    const path = pathOf(dialect, `${dialect}/m`);
    return sendRaw(gateway, requestOf(`POST ${path}`, [header], JSON.stringify(bodyOf(dialect, `${dialect}/m`))));
  };

  it.each([
    ["a return", 'X-Fullstop-Settings: {"stop":["a\rX-Injected: 1"]}', 400],
    ["a line feed", 'X-Fullstop-Settings: {"stop":["a\nX-Injected: 1"]}', 400],
    ["a line feed and a blank", 'X-Fullstop-Settings: {"stop":["a\r\n X-Injected: 1"]}', 400],
    ["a NUL", 'X-Fullstop-Settings: {"stop":["a\0b"]}', 400],
    ["a NUL as its name", 'X-Fullstop-Settings\0: {"stop":["a"]}', 400],
    ["a bell", 'X-Fullstop-Settings: {"stop":["a\x07b"]}', 400],
    ["a DEL", 'X-Fullstop-Settings: {"sotp":["a\x7fb"]}', 400],
    ["bytes that are no ASCII", 'X-Fullstop-Settings: {"\xff\xfe":["a"]}', 400],
    ["a tab in a text", 'X-Fullstop-Settings: {"stop":["a\tb"]}', 400],
    ["nothing", "X-Fullstop-Settings:", 400],
    ["two of them", 'X-Fullstop-Settings: {"stop":["a"]}\r\nX-Fullstop-Settings: {"maxCharacters":3}', 400],
    ["a name that is none", `X-Fullstop-Settings: {"${"x".repeat(9000)}":1}`, 400],
    ["a text of all that fits", `X-Fullstop-Settings: ${"[".repeat(15_000)}`, 400],
    ["more than fits", `X-Fullstop-Settings: {"stop":["${"x".repeat(20_000)}"]}`, 431],
    ["very much more", `X-Fullstop-Settings: {"stop":["${"x".repeat(2_000_000)}"]}`, 431],
  ])("with %s in it is refused, and nothing is started", async (_, header, status) => {
    const before = started();
    const answer = await ask(header);
    expect(statusesOf(answer)).toEqual([status]);
    expect(headOf(answer).filter((line) => !KNOWN.test(line))).toEqual([]);
    expect(answer).toMatch(/"error"/u);
    expect(answer.length).toBeLessThan(3000);
    expect(started()).toBe(before);
  });

  it("may have lines in what it says, which are looked for and go nowhere else", async () => {
    const stop = "a\r\nX-Injected: 1\0";
    gateway.script(dialect, [start(), text(`Hello ${stop} world`), finish()]);
    const answer = await ask(`X-Fullstop-Settings: ${JSON.stringify({ stop: [stop] })}`);
    expect(statusesOf(answer)).toEqual([200]);
    expect(answer).toContain("Hello ");
    expect(answer).not.toContain("world");
    expect(headOf(answer).join("\n")).not.toContain("X-Injected");
    const { headers, body } = gateway.upstreams[dialect].requests.at(-1)!;
    expect(JSON.stringify([headers, body])).not.toContain("X-Injected");
  });
});

describe("the header of rules under a client", async () => {
  /** What a provider was sent, byte by byte. */
  const received: string[] = [];
  const answer = JSON.stringify({ choices: [{ index: 0, message: { content: "Hello" }, finish_reason: "stop" }] });
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (bytes) => {
      received.push(bytes.toString("latin1"));
      socket.end(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${answer.length}\r\nConnection: close\r\n\r\n${answer}`,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  const guarded = createFetch();
  const ask = (headers: Readonly<Record<string, string>>): Promise<Response> =>
    guarded(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hi" }] }),
    });

  it.each(["a\r\nX-Injected: 1", "a\nX-Injected: 1", "a\0b", "a\u2028b\u007f", "é中😀", "x".repeat(60_000)])(
    "says whatever stands in a stop string in letters that a header can have, and is not sent: text %#",
    async (stop) => {
      received.length = 0;
      const headers = ruleHeaders({ stop: [stop] });
      for (const value of Object.values(headers)) expect(value).toMatch(/^[ -~]+$/u);
      const response = await ask(headers);
      expect((await response.text()).includes("Hello")).toBe(true);
      expect(received).toHaveLength(1);
      expect(received[0]).toMatch(/^POST \/v1\/chat\/completions HTTP\/1\.1\r\n/u);
      expect(received[0]).not.toMatch(/x-fullstop-rules|x-injected/iu);
    },
  );

  it.each(["{", "[]", "7", '{"sotp":["x"]}', '{"__proto__":{"stop":["Hello"]}}', `"${"x".repeat(100_000)}"`])(
    "that holds no rules is refused as a provider would refuse it, and nothing is sent: text %#",
    async (value) => {
      received.length = 0;
      const response = await ask({ "x-fullstop-rules": value });
      const body = await response.text();
      expect(response.status).toBe(400);
      expect(body).toContain('"error"');
      expect(body.length).toBeLessThan(3000);
      expect(received).toEqual([]);
    },
  );

  it("is not read by a gateway, whose header is another one", async () => {
    const { hostname, port: at } = new URL(gateway.url);
    gateway.script("openai-chat", [start(), text("Hello"), finish()]);
    const socket = connect(Number(at), hostname);
    const body = JSON.stringify(bodyOf("openai-chat", "openai-chat/m"));
    socket.write(requestOf("POST /v1/chat/completions", ['X-Fullstop-Rules: {"stop":["Hello"]}'], body));
    expect(await readAll(socket)).toContain('"content":"Hello"');
    const { headers } = gateway.upstreams["openai-chat"].requests.at(-1)!;
    expect(headers).not.toHaveProperty("x-fullstop-rules");
  });
});
