import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Registry } from "prom-client";

/** What the small web server beside a bot serves. */
export interface BotServerOptions {
  readonly host: string;
  readonly port: number;
  readonly registry: Registry;
  /** Where Telegram's updates go, and at which path; undefined where they are fetched. */
  readonly webhook: { readonly path: string; readonly handle: Handle } | undefined;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Starts the web server beside a bot: `/healthz`, `/metrics`, and the updates that Telegram sends. */
export async function startBotServer({ host, port, registry, webhook }: BotServerOptions): Promise<Server> {
  const routes = new Map<string, Handle>([
    ["GET /healthz", async (_request, response) => void response.end("ok\n")],
    [
      "GET /metrics",
      async (_request, response) => {
        response.setHeader("content-type", registry.contentType);
        response.end(await registry.metrics());
      },
    ],
  ]);
  if (webhook !== undefined) routes.set(`POST ${webhook.path}`, webhook.handle);
  const server = createServer((request, response) => {
    const handle = routes.get(`${request.method} ${pathOf(request)}`) ?? notFound;
    handle(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  server.listen({ host, port });
  await once(server, "listening");
  return server;
}

/** The path that is asked for. Not by `URL`, which throws at what strangers can send, such as `//`. */
function pathOf({ url = "/" }: IncomingMessage): string {
  return url.replace(/[?#].*$/u, "");
}

async function notFound(_request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(404).end("There is nothing here.\n");
}
