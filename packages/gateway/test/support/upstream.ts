import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { GenerationEvent, GenerationRequest } from "fullstop";
import type { ScriptStep } from "fullstop/testing";
import { WIRE_FORMATS } from "fullstop/wire";
import { OLLAMA_DOUBLE } from "../../../fullstop/test/support/ollama-double.ts";
import type { ServedFormat } from "../../../fullstop/test/support/ollama-double.ts";
import type { AskedDialect } from "./dialects.ts";

/** Every dialect in which the gateway asks, from the provider's side. */
export const SERVED_FORMATS: Readonly<Record<AskedDialect, ServedFormat>> = {
  ...WIRE_FORMATS,
  "ollama-chat": OLLAMA_DOUBLE,
};

/** A step of an answer: what an engine's script can have, or text that is sent as it is. */
type UpstreamStep = ScriptStep | { readonly raw: string };

/** The gateway goes by what comes, not by what it is called, so that one name does for all. */
const STREAM = "text/event-stream";

/** How an upstream answers. */
export type Reply =
  /** A stream of steps, which ends as if it were whole. */
  | readonly UpstreamStep[]
  /** The bytes of a stream up to a point; then the body ends as if it were whole, or the connection breaks. */
  | { readonly cutAt: number; readonly steps: readonly GenerationEvent[]; readonly by: "end" | "reset" }
  /** A stream, byte by byte. */
  | { readonly drip: readonly GenerationEvent[] }
  /** Nothing at all. */
  | { readonly silent: true }
  /** A whole answer, although a stream was asked for. */
  | { readonly whole: readonly GenerationEvent[] }
  /** An answer of the server itself. An object is sent as JSON, text as HTML. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown };

/** A request as it came in. */
interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  readonly request: GenerationRequest;
  /** How the exchange ended for the server: it said all it had to say, or the other side was gone. */
  readonly closed: Promise<"answered" | "gone">;
}

/** A provider on this machine that speaks one dialect. */
export interface Upstream {
  readonly dialect: AskedDialect;
  readonly baseUrl: string;
  readonly requests: readonly ReceivedRequest[];
  /** Resolves when no connection is in use any more. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a provider that answers by a function of the request. It writes what providers do, in no words of ours. */
export async function openUpstream(
  dialect: AskedDialect,
  answer: (request: GenerationRequest) => Reply,
): Promise<Upstream> {
  const format = SERVED_FORMATS[dialect];
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const closed = new Promise<"answered" | "gone">((resolve) => {
      response.on("close", () => resolve(response.writableFinished ? "answered" : "gone"));
    });
    const received = { ...(await readRequest(format, incoming)), closed };
    requests.push(received);
    await send(format, answer(received.request), response);
  };
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folders: Readonly<Partial<Record<AskedDialect, string>>> = { gemini: "/v1beta", "ollama-chat": "" };
  return {
    dialect,
    baseUrl: `${root}${folders[dialect] ?? "/v1"}`,
    requests,
    async idle() {
      await Promise.all(requests.map(({ closed }) => closed));
      // Only those that serve no request are closed here; what is left is in use, and has to be closed by others.
      // One that no request has come over yet waits in the pool of the other side, which may open them ahead.
      const used = [...sockets].filter(({ bytesRead }) => bytesRead > 0);
      const closes = used.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
      server.closeIdleConnections();
      await Promise.all(closes);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readRequest(format: ServedFormat, incoming: IncomingMessage): Promise<Omit<ReceivedRequest, "closed">> {
  let json = "";
  incoming.setEncoding("utf8");
  for await (const chunk of incoming) json += chunk as string;
  // Gemini keeps the model, and whether it is a stream, in the address.
  const target = /\/models\/(?<model>[^:]+):(?<method>\w+)/u.exec(incoming.url ?? "")?.groups;
  const body = JSON.parse(json) as Readonly<Record<string, unknown>>;
  const { request } = format.decodeRequest(
    body,
    target && {
      model: decodeURIComponent(target["model"] ?? ""),
      stream: target["method"] === "streamGenerateContent",
    },
  );
  return { headers: incoming.headers, body, request };
}

async function send(format: ServedFormat, reply: Reply, response: ServerResponse): Promise<void> {
  if ("status" in reply) {
    const isPage = typeof reply.body === "string";
    response.writeHead(reply.status, { "content-type": isPage ? "text/html" : "application/json", ...reply.headers });
    response.end(isPage ? reply.body : reply.body === undefined ? "" : JSON.stringify(reply.body));
  } else if ("drip" in reply) {
    response.writeHead(200, { "content-type": STREAM });
    for (const byte of Buffer.from(streamOf(format, reply.drip))) {
      await new Promise((resolve) => response.write(Uint8Array.of(byte), resolve));
    }
    response.end();
  } else if ("whole" in reply) {
    const { status, body } = format.encodeResponse(reply.whole, { created: 1 });
    response.writeHead(status, { "content-type": "application/json" });
    response.end(withoutOurs(body));
  } else if ("cutAt" in reply) {
    const bytes = Buffer.from(streamOf(format, reply.steps)).subarray(0, reply.cutAt);
    response.writeHead(200, { "content-type": STREAM });
    if (reply.by === "end") response.end(bytes);
    else response.write(bytes, () => response.socket?.resetAndDestroy());
  } else if (!("silent" in reply)) {
    await sendSteps(format, reply, response);
  }
}

async function sendSteps(
  format: ServedFormat,
  steps: readonly UpstreamStep[],
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, { "content-type": STREAM });
  response.flushHeaders();
  const encoder = openEncoder(format, (frame) => response.write(frame));
  for (const step of steps) {
    if (response.destroyed) return;
    if (typeof step === "function") await step();
    else if ("raw" in step) response.write(step.raw);
    else encoder.push(step);
  }
  // A script without a finish is a server that hangs up: the encoder would write an error of its own.
  response.end();
}

function openEncoder(format: ServedFormat, write: (frame: string) => void) {
  const sink = { push: (frame: string) => write(withoutExtension(frame)), end: () => undefined };
  return format.encodeStream({ created: 1 })(sink);
}

/** All of a stream, as it is sent. */
export function streamOf(format: ServedFormat, events: readonly GenerationEvent[]): string {
  let body = "";
  const encoder = openEncoder(format, (frame) => (body += frame));
  for (const event of events) encoder.push(event);
  return body;
}

/** A frame without the field in which one fullstop tells another how an answer ended. */
function withoutExtension(frame: string): string {
  return frame.replace(/^data: (?<json>\{.*)$/gmu, (_line, json: string) => `data: ${withoutOurs(JSON.parse(json))}`);
}

function withoutOurs(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (key === "fullstop" ? undefined : inner));
}
