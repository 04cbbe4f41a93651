import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { createUpstream } from "../../src/models/upstream.ts";

/** A server that answers by a function, and says when the other side is gone. */
async function serve(answer: (response: ServerResponse) => void) {
  const gone: Promise<void>[] = [];
  const server = createServer((_request, response) => {
    gone.push(new Promise((resolve) => response.on("close", resolve)));
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, gone };
}

describe("the connections to providers", () => {
  const upstream = createUpstream();
  afterAll(() => upstream.close());
  const send = (url: string, signal?: AbortSignal) => upstream.fetch(url, { body: "{}", ...(signal && { signal }) });

  const begin = (response: ServerResponse): void => {
    response.writeHead(200);
    response.write("begun");
  };

  it("pass on status, headers and body", async () => {
    const { url } = await serve((response) => {
      response.writeHead(429, { "retry-after": "7", "x-many": ["a", "b"] });
      response.end("Slow down, Jörg");
    });
    const response = await send(url);
    expect(response.status).toBe(429);
    expect([response.headers.get("retry-after"), response.headers.get("x-many")]).toEqual(["7", "a, b"]);
    expect(await response.text()).toBe("Slow down, Jörg");
  });

  it.each([204, 205, 304])("take an answer that has no body: %i", async (status) => {
    const { url } = await serve((response) => response.writeHead(status).end());
    expect(await send(url)).toMatchObject({ status, body: null });
  });

  it("do not follow where they are sent", async () => {
    const { url, gone } = await serve((response) => response.writeHead(307, { location: "/elsewhere" }).end());
    expect((await send(url)).status).toBe(307);
    expect(gone).toHaveLength(1);
  });

  it("are closed when a body is not wanted any more, read or not", async () => {
    const { url, gone } = await serve(begin);
    const unread = await send(url);
    await unread.body!.cancel();
    await gone[0];
    const read = (await send(url)).body!.getReader();
    expect(new TextDecoder().decode((await read.read()).value)).toBe("begun");
    await read.cancel();
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

  it("fail for a reader when they break", async () => {
    const { url } = await serve((response) => {
      begin(response);
      response.socket?.resetAndDestroy();
    });
    await expect(send(url).then((response) => response.text())).rejects.toThrow(
      /terminated|closed|ECONNRESET|aborted/u,
    );
  });
});
