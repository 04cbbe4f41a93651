import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { Socket, createServer as createTcpServer } from "node:net";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { DeliveredBytes, FetchAnswer } from "fullstop/engines";
import { createGate } from "fullstop/testing";
import { createUpstream } from "../../src/upstream/upstream.ts";

// What never comes is waited for no longer than that.
vi.setConfig({ testTimeout: 30_000 });

/** A server that answers by a function, and says when the other side is gone. */
async function serve(answer: (response: ServerResponse) => void) {
  const gone: Promise<void>[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    headers.push(request.headers);
    gone.push(new Promise((resolve) => response.on("close", resolve)));
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, gone, headers };
}

describe("the connections to providers", () => {
  const upstream = createUpstream();
  afterAll(() => upstream.close());
  const send = (url: string, signal?: AbortSignal) => upstream.fetch(url, { body: "{}", ...(signal && { signal }) });
  const open = ({ body }: FetchAnswer) => (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  const textOf = ({ body }: FetchAnswer) => new Response(body as unknown as BodyInit).text();

  const begin = (response: ServerResponse): void => {
    response.writeHead(200);
    response.write("begun");
  };

  /** An answer over a bare socket, whose reader has taken its first bytes and wants no more until it is let on. */
  async function beginAnswer(head: string, text = "begun") {
    const server = createTcpServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    afterAll(() => new Promise((resolve) => server.close(resolve)));
    const connected = once(server, "connection") as Promise<[Socket]>;
    const answered = send(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const [socket] = await connected;
    // Some tests reset it.
    socket.on("error", () => undefined);
    // All is sent, or nothing more can be.
    const over = new Promise((resolve) => socket.on("finish", resolve).on("close", resolve));
    socket.once("data", () => socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${text}`));
    const { body } = await answered;
    const reader = createGate();
    const pieces: string[] = [];
    const delivered = (body as DeliveredBytes).deliver((bytes) => {
      pieces.push(Buffer.from(bytes).toString("latin1"));
      return reader.pass();
    });
    await reader.reached;
    return { socket, over, reader, delivered, pieces };
  }

  it("pass on status, headers and body", async () => {
    const { url } = await serve((response) => {
      response.writeHead(429, { "retry-after": "7", "x-many": ["a", "b"] });
      response.end("Slow down, Jörg");
    });
    const response = await send(url);
    expect(response.status).toBe(429);
    expect([response.headers.get("retry-after"), response.headers.get("x-many")]).toEqual(["7", "a, b"]);
    expect(await textOf(response)).toBe("Slow down, Jörg");
  });

  it.each([204, 205, 304])("take an answer that has no body: %i", async (status) => {
    const { url } = await serve((response) => response.writeHead(status).end());
    const response = await send(url);
    expect(response.status).toBe(status);
    expect(await open(response).next()).toMatchObject({ done: true });
  });

  it("ask for answers as they are", async () => {
    const { url, headers } = await serve((response) => response.end());
    await textOf(await send(url));
    expect(headers[0]).toMatchObject({ "accept-encoding": "identity" });
  });

  it.each(["gzip", "X-Gzip", "br", "zstd, gzip"])(
    "say of an answer that is packed that it is, and close it: %s",
    async (name) => {
      const { url, gone } = await serve((response) => {
        response.writeHead(429, { "content-encoding": name, "retry-after": "7" }).write(gzipSync("begun"));
      });
      const response = await send(url);
      expect([response.status, response.headers.get("retry-after")]).toEqual([429, "7"]);
      await expect(open(response).next()).rejects.toThrow(`content-encoding: ${name}`);
      await gone[0];
      expect(gone).toHaveLength(1);
    },
  );

  it.each(["Identity", "none", "utf-8"])("take an answer that says it is not packed: %s", async (name) => {
    const { url } = await serve((response) => response.writeHead(200, { "content-encoding": name }).end("begun"));
    expect(await textOf(await send(url))).toBe("begun");
  });

  it("do not follow where they are sent", async () => {
    const { url, gone } = await serve((response) => response.writeHead(307, { location: "/elsewhere" }).end());
    expect((await send(url)).status).toBe(307);
    expect(gone).toHaveLength(1);
  });

  it("are closed when a body is not wanted any more, read or not", async () => {
    const { url, gone } = await serve(begin);
    await open(await send(url)).return?.();
    await gone[0];
    const read = open(await send(url));
    expect(await read.next()).toEqual({ done: false, value: Buffer.from("begun") });
    await read.return?.();
    await gone[1];
    expect(gone).toHaveLength(2);
  });

  it("are closed by a signal, also when nobody has read from them", async () => {
    const { url, gone } = await serve(begin);
    const controller = new AbortController();
    await send(url, controller.signal);
    controller.abort();
    await gone[0];
    expect(gone).toHaveLength(1);
  });

  it("hold a provider back whose answer nobody reads, and give all of it to one who comes late", async () => {
    const page = "x".repeat(1_000_000);
    let written = 0;
    const { url } = await serve((response) => {
      const writeOn = (): void => {
        for (let room = true; room && written < 100; written += 1) room = response.write(page);
        if (written === 100) response.end();
        else response.once("drain", writeOn);
      };
      writeOn();
    });
    const body = open(await send(url));
    // As long as anything moves, it is given time: the provider is held back when a while has brought nothing more.
    for (let before = -1; before !== written; await new Promise((resolve) => setTimeout(resolve, 50))) before = written;
    expect(written).toBeLessThan(50);
    let bytes = 0;
    for (let read = await body.next(); read.done !== true; read = await body.next()) bytes += read.value.byteLength;
    expect(bytes).toBe(100 * page.length);
  });

  it("hold a provider back whose answer comes in tiny pieces, of which fewer are kept", async () => {
    const { socket, reader, delivered, pieces } = await beginAnswer("transfer-encoding: chunked", "1\r\n1\r\n");
    const pause = vi.spyOn(Socket.prototype, "pause");
    onTestFinished(() => pause.mockRestore());
    socket.write("1\r\n1\r\n".repeat(2_000));
    await vi.waitUntil(() => pause.mock.calls.length > 0);
    socket.write("0\r\n\r\n");
    reader.open();
    await delivered;
    expect(pieces.join("")).toHaveLength(2_001);
  });

  it("hand over in one piece what has come at once, however many chunks it was sent in", async () => {
    const { socket, reader, delivered, pieces } = await beginAnswer("transfer-encoding: chunked", "5\r\nbegun\r\n");
    socket.write("1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n");
    reader.open();
    await delivered;
    expect(pieces).toEqual(["begun", "abc"]);
  });

  it("hand bytes over as they come, and wait for whoever takes them", async () => {
    const pages = Array.from({ length: 50 }, (_page, index) => `page ${index}\n`.repeat(10_000));
    const { url } = await serve((response) => {
      for (const page of pages) response.write(page);
      response.end();
    });
    const { body } = await send(url);
    const gate = createGate();
    const pieces: Uint8Array[] = [];
    const whole = (body as DeliveredBytes).deliver((bytes) => {
      pieces.push(bytes);
      return pieces.length % 3 === 1 ? gate.pass() : undefined;
    });
    await gate.reached;
    expect(pieces).toHaveLength(1);
    gate.open();
    await whole;
    expect(Buffer.concat(pieces).toString()).toBe(pages.join(""));
  });

  it("give an end to one who takes it late, after all that came before", async () => {
    const { url } = await serve((response) => response.end("all of it"));
    const { body } = await send(url);
    const gate = createGate();
    const seen: string[] = [];
    const whole = (body as DeliveredBytes)
      .deliver((bytes) => {
        seen.push(Buffer.from(bytes).toString());
        return gate.pass();
      })
      .then(() => seen.push("end"));
    await gate.reached;
    expect(seen).toEqual(["all of it"]);
    gate.open();
    await whole;
    expect(seen).toEqual(["all of it", "end"]);
  });

  it.each<{ how: string; take: () => Promise<void> }>([
    {
      how: "throws",
      take: () => {
        throw new Error("cannot take it");
      },
    },
    { how: "rejects", take: () => Promise.reject(new Error("cannot take it")) },
  ])("are closed where whoever takes the bytes $how, and go on for others", async ({ take }) => {
    const { url, gone } = await serve(begin);
    const other = await serve((response) => response.end("all of it"));
    const bodies = await Promise.all([url, other.url].map((each) => send(each)));
    const [broken, whole] = bodies.map(({ body }) => body as DeliveredBytes);
    const pieces: Uint8Array[] = [];
    const keep = (bytes: Uint8Array): undefined => void pieces.push(bytes);
    const delivered = await Promise.allSettled([broken!.deliver(take), whole!.deliver(keep)]);
    expect(delivered).toMatchObject([{ reason: { message: "cannot take it" } }, { status: "fulfilled" }]);
    expect(Buffer.concat(pieces).toString()).toBe("all of it");
    await gone[0];
  });

  it("can be closed by whoever is just being handed bytes, and are whole for the next request", async () => {
    let count = 0;
    const { url, gone } = await serve((response) => {
      count += 1;
      // Several pieces in one read, and nothing that keeps the connection.
      if (count === 1) response.writeHead(200, { connection: "close" });
      for (let piece = 0; piece < 5; piece += 1) response.write(`piece ${piece}`);
      if (count > 1) response.end();
    });
    const controller = new AbortController();
    const { body } = await send(url, controller.signal);
    let pieces = 0;
    const delivered = (body as DeliveredBytes).deliver(() => {
      pieces += 1;
      controller.abort(new Error("enough"));
      return undefined;
    });
    await expect(delivered).rejects.toThrow("enough");
    expect(pieces).toBe(1);
    await gone[0];
    expect(await send(url).then(textOf)).toContain("piece 4");
  });

  it.each([
    // More than is kept unread, but no more than is read before the provider is held back.
    { how: "closes", length: 100_000, close: (socket: Socket) => void socket.end() },
    { how: "resets", length: 20_000_000, close: (socket: Socket) => void socket.resetAndDestroy() },
  ])("outlive a provider that $how while its reader wants no more for now", async ({ length, close }) => {
    const { socket, over, reader, delivered, pieces } = await beginAnswer("connection: close");
    socket.write(Buffer.alloc(length));
    for (let before = -1; before !== socket.writableLength; await new Promise((resolve) => setTimeout(resolve, 50))) {
      before = socket.writableLength;
    }
    close(socket);
    await over;
    reader.open();
    await Promise.allSettled([delivered]);
    // What was there is read, whatever has become of the connection.
    expect(pieces.join("").length).toBeGreaterThan(65_536);
  });

  it.each([
    { what: "says its length", head: "content-length: 70005" },
    { what: "ends with its connection", head: "connection: close" },
  ])("know that an answer is whole that $what, also where the reader wants no more for now", async ({ head }) => {
    const { socket, over, reader, delivered, pieces } = await beginAnswer(head);
    // More than is kept unread, so that the connection rests when the end comes.
    socket.end(Buffer.alloc(70_000));
    await over;
    reader.open();
    await delivered;
    expect(pieces.join("")).toHaveLength(70_005);
  });

  it("hand bytes over in the context of whoever asked, over a connection that another one has opened", async () => {
    const { url } = await serve((response) => response.end("all of it"));
    const context = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const ask = async (): Promise<void> => {
      const { body } = await send(url);
      await (body as DeliveredBytes).deliver(() => {
        seen.push(context.getStore());
        return undefined;
      });
    };
    await context.run("first", ask);
    await context.run("second", ask);
    expect(seen).toEqual(["first", "second"]);
  });

  it("fail for a reader when they break", async () => {
    const { url } = await serve((response) => {
      begin(response);
      response.socket?.resetAndDestroy();
    });
    await expect(send(url).then(textOf)).rejects.toThrow(/terminated|closed|ECONNRESET|aborted/u);
  });
});
