import { once } from "node:events";
import { createServer, get } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect as open } from "node:net";
import type { AddressInfo } from "node:net";
import type { GenerationEvent, Stage } from "fullstop";
import { text } from "fullstop/testing";
import { afterAll, describe, expect, it } from "vitest";
import { asEvents } from "../../src/doors/framing.ts";
import { StreamWriter } from "../../src/doors/stream-writer.ts";
import { EventLog } from "../../src/generations/event-log.ts";
import { close, write } from "../support/event-log.ts";

const server = createServer();
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
afterAll(() => new Promise((resolve) => server.close(resolve)));
const { port } = server.address() as AddressInfo;

/** Writes the text of an answer and, at its end, a full stop. */
const encode: Stage<GenerationEvent, string> = (next) => ({
  push: (event) => next.push(event.type === "text" ? event.text : "."),
  end: () => next.end(),
});

/** A log that is being sent, and its reader, which reads nothing yet. */
async function connect() {
  const request = get({ port, host: "127.0.0.1", agent: false });
  const [, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
  response.writeHead(200);
  const log = new EventLog();
  const writer = new StreamWriter(response, log, encode, asEvents());
  const [reader] = (await once(request, "response")) as [IncomingMessage];
  return { log, writer, reader, response };
}

async function readAll(reader: IncomingMessage): Promise<string> {
  reader.setEncoding("utf8");
  let all = "";
  for await (const piece of reader) all += piece as string;
  return all;
}

/** More than the buffers between a writer and a reader that reads nothing can hold. */
const MUCH = "ü".repeat(2 ** 25);

describe("a stream that is written", () => {
  it("has sent what was there and what has come, when it is done", async () => {
    const { log, writer, reader } = await connect();
    const all = readAll(reader);
    write(log, text("Grüße, "));
    write(log, text("👋 "), text("Welt"));
    expect(writer.offset).toBe(3);
    close(log);
    await writer.done;
    expect(await all).toBe("Grüße, 👋 Welt.");
  });

  it("makes the log wait for a slow reader, and goes on when that has read", async () => {
    const { log, writer, reader } = await connect();
    write(log, text(MUCH));
    write(log, text("the rest"));
    expect(writer.offset).toBe(0);
    const room = log.room(1);
    expect(room).toBeInstanceOf(Promise);
    close(log);
    const all = await readAll(reader);
    await room;
    await writer.done;
    expect(all.length).toBe(MUCH.length + "the rest.".length);
    expect(all.endsWith("üthe rest.")).toBe(true);
  });

  it("makes nobody wait for what there is nothing to write of", async () => {
    const { response } = await connect();
    const log = new EventLog();
    const silent: Stage<GenerationEvent, string> = (next) => ({ push: () => undefined, end: () => next.end() });
    const writer = new StreamWriter(response, log, silent, asEvents());
    log.append(text("one"));
    log.append(text("two"));
    const room = log.room(1);
    expect(room).toBeInstanceOf(Promise);
    log.release(2);
    await room;
    expect(writer.offset).toBe(2);
    response.destroy();
  });

  it.each(["before it is written", "while it is waited for"])("is over when its reader leaves %s", async (when) => {
    const { log, writer, reader, response } = await connect();
    if (when === "while it is waited for") write(log, text(MUCH));
    const closed = once(response, "close");
    reader.destroy();
    await closed;
    write(log, text("for nobody"));
    await writer.done;
    expect(log.room(0)).toBeUndefined();
  });

  it("fails when it cannot be written, without any harm to the log", async () => {
    const { response } = await connect();
    const log = new EventLog();
    const broken: Stage<GenerationEvent, string> = () => ({
      push: () => {
        throw new Error("cannot be written");
      },
      end: () => undefined,
    });
    const writer = new StreamWriter(response, log, broken, asEvents());
    write(log, text("Hello"));
    await expect(writer.done).rejects.toThrow("cannot be written");
    expect(log.room(0)).toBeUndefined();
    response.destroy();
  });

  it("comes without chunks to a client that does not know them", async () => {
    const socket = open(port, "127.0.0.1", () => socket.write("GET / HTTP/1.0\r\n\r\n"));
    const [, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
    response.writeHead(200);
    const log = new EventLog();
    const writer = new StreamWriter(response, log, encode, asEvents());
    write(log, text("Hello"));
    close(log);
    await writer.done;
    let all = "";
    for await (const piece of socket) all += String(piece);
    expect(all.split("\r\n\r\n")[1]).toBe("Hello.");
  });

  it("waits for the answer before it on the same connection, and then has all of it in order", async () => {
    const requests: ServerResponse[] = [];
    const keep = (_request: IncomingMessage, response: ServerResponse): void => void requests.push(response);
    server.on("request", keep);
    const ask = "GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";
    const last = "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    const socket = open(port, "127.0.0.1", () => socket.write(ask + last));
    while (requests.length < 2) await once(server, "request");
    server.off("request", keep);
    const [first, second] = requests.map((response) => {
      response.writeHead(200);
      const log = new EventLog();
      return { log, writer: new StreamWriter(response, log, encode, asEvents()) };
    });
    write(second!.log, text("two "));
    write(second!.log, text("and "));
    write(first!.log, text("one "));
    close(first!.log);
    await first!.writer.done;
    write(second!.log, text("more"));
    close(second!.log);
    await second!.writer.done;
    let all = "";
    for await (const piece of socket) all += String(piece);
    const words = [...all.matchAll(/^(?:one|two|and|more)|^\.$/gmu)].map(([word]) => word);
    expect(words).toEqual(["one", ".", "two", "and", "more", "."]);
  });
});
