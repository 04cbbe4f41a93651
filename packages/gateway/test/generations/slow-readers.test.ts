import { once } from "node:events";
import { createServer, get as openGet, request as openRequest } from "node:http";
import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable, pipeline } from "node:stream";
import { afterAll, describe, expect, it } from "vitest";
import { openGatewayForFile } from "../support/gateway.ts";
import type { Gateway } from "../support/gateway.ts";

const PIECE = "x".repeat(16_000);
const FRAME = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: PIECE } }] })}\n\n`;
const FLOOD_BYTES = 200e6;
/** Far less than what is sent, and more than the odd buffer on the way. */
const MOST_BYTES = 60e6;

/** How much the provider has got rid of. */
let sentBytes = 0;

/** Sends 200 MB as fast as they are taken. */
function flood(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  pipeline(Readable.from(frames()), response, () => undefined);
}

function* frames(): Generator<string> {
  for (sentBytes = 0; sentBytes < FLOOD_BYTES; sentBytes += FRAME.length) yield FRAME;
}

const provider = createServer((request, response) => {
  request.resume().on("end", () => flood(response));
});
await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
afterAll(async () => {
  provider.closeAllConnections();
  await new Promise((resolve) => provider.close(resolve));
});
const { port } = provider.address() as AddressInfo;

const open = (maxAnswerBytes: number) =>
  openGatewayForFile({ limits: { maxAnswerBytes }, providers: { mock: { baseUrl: `http://127.0.0.1:${port}/v1` } } });

/** Asks for a stream. Nothing of it is read before somebody reads it. */
async function ask({ url }: Gateway): Promise<{ readonly asked: ClientRequest; readonly response: IncomingMessage }> {
  const asked = openRequest(`${url}/v1/chat/completions`, { method: "POST", agent: false });
  asked.on("error", () => undefined);
  asked.end(JSON.stringify({ model: "mock/m", stream: true, messages: [{ role: "user", content: "Hi" }] }));
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return { asked, response };
}

function heldBytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Waits until nothing has come out of the provider for some thousand turns of the loop. */
async function untilStill(): Promise<void> {
  let turns = 0;
  for (let last = -1; turns < 3000; turns += 1) {
    if (sentBytes !== last) turns = 0;
    last = sentBytes;
    await turn();
  }
}

describe("a client that reads nothing", () => {
  it("makes its provider wait, and costs no more memory than a little", async () => {
    const gateway = await open(2 ** 30);
    const before = heldBytes();
    const { asked, response } = await ask(gateway);
    await untilStill();
    expect(sentBytes).toBeLessThan(MOST_BYTES);
    expect(heldBytes() - before).toBeLessThan(MOST_BYTES);
    const [live] = gateway.house.generations.live();
    response.on("error", () => undefined);
    asked.destroy();
    expect(await live?.ended).toMatchObject({ reason: "cancelled", detail: "disconnect" });
  });

  it("costs no more than the answer where it only follows it, however many there are", async () => {
    const gateway = await open(20e6);
    const before = heldBytes();
    const { response } = await ask(gateway);
    const [live] = gateway.house.generations.live();
    const followers = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const follower = openGet(`${gateway.url}/v1/generations/${live?.id}/events`, { agent: false });
        const [events] = (await once(follower, "response")) as [IncomingMessage];
        events.on("error", () => undefined);
        return { follower, events };
      }),
    );
    response.resume();
    expect(await live?.ended).toMatchObject({
      reason: "budget_exceeded",
      detail: "size",
      message: expect.stringContaining("(limits.maxAnswerBytes)") as string,
    });
    await once(response, "end");
    // Ten times the answer would be 200 MB and more.
    expect(heldBytes() - before).toBeLessThan(MOST_BYTES);
    for (const { follower } of followers) follower.destroy();
  });
});
