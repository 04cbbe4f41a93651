import { createServer, get } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { sendText } from "../../src/doors/send-text.ts";

const server = createServer();
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
afterAll(() => new Promise((resolve) => server.close(resolve)));

/** A response that is being written, and its reader, which reads nothing yet. */
async function connect(): Promise<{ readonly response: ServerResponse; readonly reader: IncomingMessage }> {
  const request = get({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", agent: false });
  const [, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
  response.flushHeaders();
  const [reader] = (await once(request, "response")) as [IncomingMessage];
  return { response, reader };
}

/** More than the buffers between a writer and a reader that reads nothing can hold. */
const MUCH = "x".repeat(2 ** 26);

describe("sending text", () => {
  it("waits for a slow reader, and leaves nothing behind on the response", async () => {
    const { response, reader } = await connect();
    const before = response.listenerCount("close");
    const sent = sendText(response, MUCH);
    expect(response.listenerCount("close")).toBe(before + 1);
    reader.resume();
    expect(await sent).toBe(true);
    expect(response.listenerCount("close")).toBe(before);
    expect(response.listenerCount("drain")).toBe(0);
    response.end();
    await once(reader, "end");
  });

  it("gives up a reader that takes nothing, and no other", async () => {
    const asleep = await connect();
    expect(await sendText(asleep.response, MUCH, 50)).toBe(false);
    expect(asleep.response.destroyed).toBe(true);
    asleep.reader.on("error", () => undefined).resume();
    const awake = await connect();
    const sent = sendText(awake.response, MUCH, 60_000);
    awake.reader.resume();
    expect(await sent).toBe(true);
    expect(awake.response.listenerCount("timeout")).toBe(0);
    expect(awake.response.socket?.timeout ?? 0).toBe(0);
    awake.response.end();
    await once(awake.reader, "end");
  });

  it("says so when the reader leaves in the meantime", async () => {
    const { response, reader } = await connect();
    const sent = sendText(response, MUCH);
    reader.destroy();
    expect(await sent).toBe(false);
  });

  it("says so when the reader has left before", async () => {
    const { response, reader } = await connect();
    const closed = once(response, "close");
    reader.destroy();
    await closed;
    expect(await sendText(response, "x")).toBe(false);
  });
});
