import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ApiResponse } from "grammy/types";
import type { Dispatcher } from "./dispatch.ts";
import { methodNamed } from "./dispatch.ts";
import { isRecord } from "./parameters.ts";
import type { RawParameters } from "./parameters.ts";
import { Refusal } from "./refusal.ts";

/** The HTTP side of the server. */
export interface HttpEdge {
  readonly url: string;
  close(): Promise<void>;
}

/** Opens the server on a free port of this machine. */
export async function openHttpEdge(token: string, dispatcher: Dispatcher): Promise<HttpEdge> {
  const server = createServer((request, response) => {
    handle(token, dispatcher, request, response).catch((error: unknown) => {
      // A fault of the double itself; a bot sees what it would see of a broken server.
      send(response, new Refusal(500, `Internal Server Error: ${String(error)}`).answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function handle(
  token: string,
  dispatcher: Dispatcher,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const url = new URL(request.url ?? "/", "http://localhost");
  const [, given, name] = /^\/bot([^/]+)\/(\w+)$/.exec(url.pathname) ?? [];
  if (given === undefined || name === undefined) return send(response, new Refusal(404, "Not Found").answer);
  if (decodeURIComponent(given) !== token) return send(response, new Refusal(401, "Unauthorized").answer);
  const method = methodNamed(name);
  if (method === undefined) return send(response, new Refusal(404, "Not Found").answer);
  const parameters = await readParameters(request, url);
  if (parameters instanceof Refusal) return send(response, parameters.answer);
  const answer = await dispatcher.call(method, parameters, gone.signal);
  if (answer === "dropped") response.destroy();
  else send(response, answer);
}

async function readParameters(request: IncomingMessage, url: URL): Promise<RawParameters | Refusal> {
  const query = Object.fromEntries(url.searchParams);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  if (body.length === 0) return query;
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("application/json")) {
    const json = parse(body.toString());
    return isRecord(json) ? { ...query, ...json } : new Refusal(400, "Bad Request: can't parse JSON object");
  }
  const form = await new Response(body, { headers: { "content-type": type } }).formData().catch(() => undefined);
  return form === undefined ? query : { ...query, ...Object.fromEntries(form) };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, answer: ApiResponse<unknown>): void {
  if (response.destroyed || response.headersSent) return;
  const retryAfter = answer.ok ? undefined : answer.parameters?.retry_after;
  response.writeHead(answer.ok ? 200 : answer.error_code, {
    "content-type": "application/json",
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
  });
  response.end(JSON.stringify(answer));
}
