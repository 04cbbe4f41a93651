import { once } from "node:events";
import { Socket, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { TLSSocket } from "node:tls";
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { FetchAnswer } from "fullstop/engines";
import { createUpstream } from "../../src/upstream/upstream.ts";

// What never comes is waited for no longer than that.
vi.setConfig({ testTimeout: 30_000 });

const upstreams: ReturnType<typeof createUpstream>[] = [];
afterEach(() => {
  for (const upstream of upstreams.splice(0)) upstream.close();
});

function open(): ReturnType<typeof createUpstream> {
  const upstream = createUpstream();
  upstreams.push(upstream);
  return upstream;
}

/** A server that answers what comes over a connection, however it likes, when a request is whole. */
async function serve(answer: (socket: Socket, requests: number) => void) {
  const sockets: Socket[] = [];
  const heard: string[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    let requests = 0;
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      heard.push(bytes.toString());
      requests += 1;
      answer(socket, requests);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/x?y=z`, sockets, heard };
}

const textOf = ({ body }: FetchAnswer): Promise<string> => new Response(body as unknown as BodyInit).text();
const answerWith = (text: string, head = ""): string =>
  `HTTP/1.1 200 OK\r\n${head}content-length: ${text.length}\r\n\r\n${text}`;

/** Waits until the event loop has looked at all sockets once more. */
const nextRound = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a request", () => {
  it("is written as it is to be read, and says how long it is in bytes", async () => {
    const { url, heard } = await serve((socket) => socket.write(answerWith("ok")));
    const upstream = open();
    await textOf(await upstream.fetch(url, { headers: { "x-key": "J\xf6" }, body: "tör" }));
    await textOf(await upstream.fetch(url, { method: "GET" }));
    await textOf(await upstream.fetch(url, { method: "POST" }));
    const host = new URL(url).host;
    const head = (method: string): string =>
      `${method} /v1/x?y=z HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\naccept-encoding: identity\r\n`;
    expect(heard).toEqual([
      `${head("POST")}x-key: J\ufffd\r\ncontent-length: 4\r\n\r\ntör`,
      `${head("GET")}\r\n`,
      `${head("POST")}content-length: 0\r\n\r\n`,
    ]);
  });

  it.each([
    { "x-key": "a\r\nb: c" },
    { "x key": "a" },
    { "Content-Length": "1" },
    { "transfer-encoding": "chunked" },
    { connection: "close" },
    { Host: "elsewhere.example" },
  ])("is not sent with a header that would change where it ends: %j", async (headers) => {
    const { url, sockets } = await serve(() => undefined);
    await expect(open().fetch(url, { headers, body: "{}" })).rejects.toThrow(/header/iu);
    expect(sockets).toEqual([]);
  });

  it.each([
    { init: { method: "GET", body: "GET /elsewhere HTTP/1.1\r\n\r\n" }, says: "has no body" },
    { init: { body: Buffer.from("{}") }, says: "must be text" },
    { init: { method: "HEAD" }, says: "by GET or POST" },
    { init: { method: "GET /elsewhere HTTP/1.1\r\n\r\nGET" }, says: "by GET or POST" },
  ])("is not sent where it could not be read as it is meant: $init", async ({ init, says }) => {
    const { url, sockets } = await serve(() => undefined);
    await expect(open().fetch(url, init)).rejects.toThrow(says);
    expect(sockets).toEqual([]);
  });

  it("goes to its own address, also where so many were asked at before that they are not all remembered", async () => {
    const { url, heard } = await serve((socket) => socket.write(answerWith("ok")));
    const upstream = open();
    const addresses = [...Array.from({ length: 101 }, (_, index) => `/models/${index}`), "/models/0"];
    for (const path of addresses) await textOf(await upstream.fetch(new URL(path, url).href, { method: "GET" }));
    expect(heard.map((text) => text.split(" ")[1])).toEqual(addresses);
  });

  it("is not sent when nobody wants it any more", async () => {
    const { url, sockets } = await serve(() => undefined);
    await expect(open().fetch(url, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
    expect(sockets).toEqual([]);
  });

  it("is not sent when it is given up before its turn has come", async () => {
    const { url, sockets } = await serve(() => undefined);
    const wish = new AbortController();
    const answer = open().fetch(url, { signal: wish.signal });
    wish.abort(new Error("enough"));
    await expect(answer).rejects.toThrow("enough");
    await nextRound();
    expect(sockets).toEqual([]);
  });

  it("is not sent when all is closed before its turn has come", async () => {
    const { url, sockets } = await serve(() => undefined);
    const upstream = open();
    const answer = upstream.fetch(url, {});
    upstream.close();
    await expect(answer).rejects.toThrow("The connections to providers are closed");
    expect(sockets).toEqual([]);
  });

  it("is sent over a connection that stands where the server has closed the others in the same round", async () => {
    const { url, sockets } = await serve((socket) => socket.write(answerWith("ok")));
    const upstream = open();
    await textOf(await upstream.fetch(url, {}));
    await nextRound();
    sockets[0]!.destroy();
    expect(await textOf(await upstream.fetch(url, {}))).toBe("ok");
    expect(sockets).toHaveLength(2);
  });
});

describe("a connection", () => {
  it("serves one request after the other", async () => {
    const { url, sockets } = await serve((socket, requests) => socket.write(answerWith(`answer ${requests}`)));
    const upstream = open();
    for (const expected of ["answer 1", "answer 2", "answer 3"]) {
      expect(await textOf(await upstream.fetch(url, {}))).toBe(expected);
    }
    expect(sockets).toHaveLength(1);
  });

  it.each(["http:", "https:"])("sends at once, and looks after itself in a long silence: %s", async (protocol) => {
    // Nobody but the system knows of it.
    const spies = [vi.spyOn(Socket.prototype, "setNoDelay"), vi.spyOn(Socket.prototype, "setKeepAlive")];
    onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
    const { url } = await serve((socket) => socket.end());
    await expect(open().fetch(url.replace("http:", protocol), {})).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(spies.map(({ mock }) => mock.calls)).toEqual([[[true]], [[true, 60_000]]]);
    expect(spies.every(({ mock }) => mock.contexts[0] instanceof (protocol === "https:" ? TLSSocket : Socket))).toBe(
      true,
    );
  });

  it("serves one request at a time", async () => {
    const { url, sockets } = await serve((socket) => {
      if (sockets.length === 3) for (const each of sockets) each.write(answerWith("now"));
      void socket;
    });
    const upstream = open();
    const answers = await Promise.all([1, 2, 3].map(() => upstream.fetch(url, {}).then(textOf)));
    expect(answers).toEqual(["now", "now", "now"]);
  });

  it.each([
    { name: "says that it closes it", answer: answerWith("ok", "connection: close\r\n") },
    { name: "says that it keeps it for a moment only", answer: answerWith("ok", "keep-alive: timeout=1\r\n") },
    { name: "is an old one", answer: answerWith("ok").replace("1.1", "1.0") },
    { name: "sends more than its answer", answer: `${answerWith("ok")}${answerWith("for whom?")}` },
  ])("serves no other request where the server $name", async ({ answer }) => {
    const { url, sockets } = await serve((socket) => socket.write(answer));
    const upstream = open();
    for (let round = 0; round < 2; round += 1) expect(await textOf(await upstream.fetch(url, {}))).toBe("ok");
    expect(sockets).toHaveLength(2);
  });

  it.each([
    { name: "closes it", act: (socket: Socket) => void socket.end() },
    { name: "resets it", act: (socket: Socket) => void socket.resetAndDestroy() },
    { name: "says what nobody has asked for", act: (socket: Socket) => void socket.write(answerWith("for whom?")) },
  ])("serves no other request where the server $name while it rests", async ({ act }) => {
    const { url, sockets } = await serve((socket) => socket.write(answerWith("ok")));
    const upstream = open();
    await textOf(await upstream.fetch(url, {}));
    const [first] = sockets;
    const gone = once(first!, "close");
    act(first!);
    await gone;
    // A round of the loop in which our side hears of it, too.
    await nextRound();
    expect(await textOf(await upstream.fetch(url, {}))).toBe("ok");
    expect(sockets).toHaveLength(2);
  });

  it("serves no other request where the server has answered before it had all of the last one", async () => {
    const { url, sockets } = await serve((socket) => {
      socket.pause();
      socket.write(answerWith("too large"));
    });
    const upstream = open();
    // More than the buffers between the two can hold, so that some of it is still to be sent.
    expect(await textOf(await upstream.fetch(url, { body: "x".repeat(2 ** 26) }))).toBe("too large");
    expect(await textOf(await upstream.fetch(url, { body: "{}" }))).toBe("too large");
    expect(sockets).toHaveLength(2);
  });

  it("goes on for the next request where the reader of the last one had it wait", async () => {
    const page = "x".repeat(300_000);
    const { url, sockets } = await serve((socket) => socket.write(answerWith(page)));
    const upstream = open();
    const unread = await upstream.fetch(url, {});
    // Nobody reads: the server is held back, and goes on when somebody does.
    await nextRound();
    expect(await textOf(unread)).toBe(page);
    expect(await textOf(await upstream.fetch(url, {}))).toBe(page);
    expect(sockets).toHaveLength(1);
  });

  it.each([
    { name: "closes it before the answer", act: (socket: Socket) => void socket.end() },
    { name: "breaks off in the head", act: (socket: Socket) => void socket.end("HTTP/1.1 200 OK\r\nx") },
    { name: "breaks off in the body", act: (socket: Socket) => void socket.end(answerWith("whole").slice(0, -1)) },
    { name: "resets it", act: (socket: Socket) => void socket.resetAndDestroy() },
  ])("fails whoever waits where the server $name", async ({ act }) => {
    const { url } = await serve(act);
    await expect(open().fetch(url, {}).then(textOf)).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  it("fails whoever waits where the server speaks something else, and says what", async () => {
    const { url, sockets } = await serve((socket) => socket.write("220 mail.example ESMTP\r\n"));
    const failed = open().fetch(url, {});
    await expect(failed).rejects.toMatchObject({
      code: "INVALID_HTTP",
      message: 'The server does not speak HTTP/1: it says "220 mail.example ESMTP\\r\\n"',
    });
    await once(sockets[0]!, "close");
  });

  it("is closed with all others, and whoever waits is told", async () => {
    const { url, sockets } = await serve((_socket, requests) => void requests);
    const upstream = open();
    const failed = upstream.fetch(url, {}).catch((error: unknown) => error);
    while (sockets.length === 0) await nextRound();
    const gone = once(sockets[0]!, "close");
    upstream.close();
    expect(await failed).toMatchObject({ message: "The connections to providers are closed" });
    await gone;
    // Whoever tries again is not served either.
    await expect(upstream.fetch(url, {})).rejects.toThrow("The connections to providers are closed");
    expect(sockets).toHaveLength(1);
  });
});
