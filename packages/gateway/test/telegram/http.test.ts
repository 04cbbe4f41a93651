import { once } from "node:events";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Registry } from "prom-client";
import { expect, onTestFinished, test } from "vitest";
import { startBotServer } from "../../src/telegram/http.ts";

/** Asks for a path in exactly these words, which clients would put right, and gives the first line of the answer. */
async function askFor(port: number, line: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.end(`${line} HTTP/1.1\r\nHost: bot\r\nConnection: close\r\n\r\n`);
  return (await text(socket)).split("\r\n")[0] ?? "";
}

test.each([
  ["GET /healthz", "HTTP/1.1 200 OK"],
  ["GET /metrics?x=1", "HTTP/1.1 200 OK"],
  ["POST /telegram", "HTTP/1.1 202 Accepted"],
  ["GET /telegram", "HTTP/1.1 404 Not Found"],
  ["POST /healthz", "HTTP/1.1 404 Not Found"],
  // What is no address must not end the process either.
  ["GET //", "HTTP/1.1 404 Not Found"],
  ["GET //[", "HTTP/1.1 404 Not Found"],
])("the web server beside a bot answers %s with %s", async (line, answer) => {
  const webhook = {
    path: "/telegram",
    handle: async (_request: unknown, response: { writeHead(status: number): { end(): unknown } }) =>
      void response.writeHead(202).end(),
  };
  const server = await startBotServer({ host: "127.0.0.1", port: 0, registry: new Registry(), webhook });
  onTestFinished(() => void server.close());

  expect(await askFor((server.address() as AddressInfo).port, line)).toBe(answer);
});
