import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

/** A request as it came in. */
export interface PlainRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A server on this machine that does with a request what it is told to. */
export interface PlainServer {
  readonly url: string;
  readonly requests: readonly PlainRequest[];
}

/** Opens a server that is closed after the tests of a file. */
export async function openPlainServer(
  handle: (request: PlainRequest, response: ServerResponse) => void | Promise<void>,
): Promise<PlainServer> {
  const requests: PlainRequest[] = [];
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    let json = "";
    incoming.setEncoding("utf8");
    for await (const chunk of incoming) json += chunk as string;
    const body = JSON.parse(json) as PlainRequest["body"];
    const request = { path: incoming.url ?? "", headers: incoming.headers, body };
    requests.push(request);
    await handle(request, response);
  };
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
