import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createGate, start, text } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted();
const { port } = new URL(gateway.url);

/** A request as it stands on the wire. */
function write(model: string): string {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "Hi" }] });
  const head = ["POST /v1/chat/completions HTTP/1.1", "host: localhost", `content-length: ${body.length}`];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

describe("requests over one connection, the second before the first is answered", () => {
  it("both stop when their client has gone", async () => {
    // More than is sent before it is waited for the reader, and then nothing.
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("word ".repeat(20_000)), gate.pass]);
    const socket = connect(Number(port), "127.0.0.1");
    await once(socket, "connect");
    socket.resume();
    socket.write(write("openai-chat/some-model").repeat(2));
    while (gateway.house.generations.live().length < 2) await nextTurn();
    const running = gateway.house.generations.live();
    while (running.some(({ events }) => events < 2)) await nextTurn();

    socket.destroy();

    const endings = await Promise.all(running.map(({ ended }) => ended));
    expect(endings.map(({ reason, detail }) => ({ reason, detail }))).toEqual([
      { reason: "cancelled", detail: "disconnect" },
      { reason: "cancelled", detail: "disconnect" },
    ]);
    gate.open();
    await gateway.upstreams["openai-chat"].idle();
  });
});
