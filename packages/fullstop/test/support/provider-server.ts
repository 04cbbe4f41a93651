import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { GenerationEvent, GenerationRequest, Sink } from "../../src/index.ts";
import type { ScriptStep } from "../../src/testing/index.ts";
import { REQUEST_FORMATS, WIRE_FORMATS } from "../../src/wire/index.ts";
import type { RequestFormat, WireWarning } from "../../src/wire/index.ts";
import { collect } from "./events.ts";
import { OLLAMA_DOUBLE } from "./ollama-double.ts";
import type { ServedFormat } from "./ollama-double.ts";

/** The dialects that the server speaks. */
export type Dialect = keyof typeof WIRE_FORMATS;

/** Every dialect that the server speaks. */
export const DIALECTS = Object.keys(WIRE_FORMATS) as readonly Dialect[];

/** Every dialect in which an engine can ask, by how a server speaks it. */
const SERVED: Readonly<Record<keyof typeof REQUEST_FORMATS, ServedFormat>> = {
  ...WIRE_FORMATS,
  "ollama-chat": OLLAMA_DOUBLE,
};

/** A dialect in which an engine can ask. */
export type AskedDialect = keyof typeof REQUEST_FORMATS;

/** Every dialect in which an engine can ask. */
export const ASKED_DIALECTS = Object.keys(REQUEST_FORMATS) as readonly AskedDialect[];

/** A step of an answer: what an engine's script can have, or text that is sent as it is. */
export type ServerStep = ScriptStep | { readonly raw: string };

/** How the server answers. Steps are sent as a stream or whole, as the request asks. */
export type Reply =
  | readonly ServerStep[]
  /** The bytes of the answer up to a point; then the body ends as if it were whole, or the connection breaks. */
  | { readonly cutAt: number; readonly steps: readonly GenerationEvent[]; readonly by: "end" | "reset" }
  /** A whole answer, whatever was asked for. */
  | { readonly whole: readonly GenerationEvent[] }
  /** An answer of the server itself. An object is sent as JSON, text as HTML. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown };

/** A request as it came in. */
interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  readonly request: GenerationRequest;
  readonly warnings: readonly WireWarning[];
  /** How the exchange ended for the server: it said all it had to say, or the other side was gone. */
  readonly closed: Promise<"answered" | "gone">;
}

/** A server on this machine that speaks one dialect. */
export interface ProviderServer {
  readonly format: RequestFormat;
  /** The same dialect from the server's side. */
  readonly served: ServedFormat;
  readonly baseUrl: string;
  readonly requests: readonly ReceivedRequest[];
  /** How many connections were made to it. */
  connectionCount(): number;
  /** The next request to come in that nobody has waited for. */
  nextRequest(): Promise<ReceivedRequest>;
  close(): Promise<void>;
}

/** Opens a server that answers by a function of the request. It writes what a provider would, in no words of ours. */
export async function openProviderServer(
  dialect: AskedDialect,
  answer: (request: GenerationRequest) => Reply,
): Promise<ProviderServer> {
  const format = SERVED[dialect];
  const requests: ReceivedRequest[] = [];
  const waiting: ((request: ReceivedRequest) => void)[] = [];
  let waitedFor = 0;
  let connections = 0;

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const closed = new Promise<"answered" | "gone">((resolve) => {
      response.on("close", () => resolve(response.writableFinished ? "answered" : "gone"));
    });
    const received = { ...(await readRequest(format, incoming)), closed };
    requests.push(received);
    waiting.shift()?.(received);
    await send(format, answer(received.request), received.request.stream === true, response);
  };
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  server.on("connection", () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    format: REQUEST_FORMATS[dialect],
    served: format,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    connectionCount: () => connections,
    nextRequest() {
      const known = requests[waitedFor++];
      return known === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(known);
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
  const path = incoming.url ?? "";
  // Gemini keeps the model, and whether it is a stream, in the address.
  const target = /\/models\/(?<model>[^:]+):(?<method>\w+)/u.exec(path)?.groups;
  const body: unknown = JSON.parse(json);
  const decoded = format.decodeRequest(
    body,
    target && {
      model: decodeURIComponent(target["model"] ?? ""),
      stream: target["method"] === "streamGenerateContent",
    },
  );
  return { method: incoming.method ?? "", path, headers: incoming.headers, body, ...decoded };
}

async function send(format: ServedFormat, reply: Reply, isStream: boolean, response: ServerResponse): Promise<void> {
  if ("status" in reply) {
    const isPage = typeof reply.body === "string";
    response.writeHead(reply.status, { "content-type": isPage ? "text/html" : "application/json", ...reply.headers });
    response.end(isPage ? reply.body : reply.body === undefined ? "" : JSON.stringify(reply.body));
  } else if ("whole" in reply) {
    sendWhole(format, reply.whole, response);
  } else if ("cutAt" in reply) {
    const bytes = Buffer.from(bodyOf(format, reply.steps, isStream)).subarray(0, reply.cutAt);
    response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
    if (reply.by === "end") response.end(bytes);
    else response.write(bytes, () => response.socket?.resetAndDestroy());
  } else if (isStream) {
    await sendStream(format, reply, response);
  } else {
    sendWhole(format, await collect(play(reply)), response);
  }
}

/** What a script comes to where there is nobody to show its pauses to. */
async function* play(steps: readonly ServerStep[]): AsyncGenerator<GenerationEvent> {
  for (const step of steps) {
    if (typeof step === "function") await step();
    else if ("type" in step) yield step;
  }
}

async function sendStream(format: ServedFormat, steps: readonly ServerStep[], response: ServerResponse): Promise<void> {
  response.setHeader("content-type", "text/event-stream");
  const encoder = openEncoder(format, (frame) => response.write(frame));
  for (const step of steps) {
    if (typeof step === "function") await step();
    else if ("raw" in step) response.write(step.raw);
    else encoder.push(step);
  }
  // A script without a finish is a server that hangs up: the encoder would write an error of its own.
  response.end();
}

function openEncoder(format: ServedFormat, write: (frame: string) => void): Sink<GenerationEvent> {
  const sink = { push: (frame: string) => write(withoutExtension(frame)), end: () => undefined };
  return format.encodeStream({ created: 1 })(sink);
}

function sendWhole(format: ServedFormat, events: readonly GenerationEvent[], response: ServerResponse): void {
  const { status } = format.encodeResponse(events);
  response.writeHead(status, { "content-type": "application/json" });
  response.end(bodyOf(format, events, false));
}

/** All of an answer, as it is sent. */
export function bodyOf(format: ServedFormat, events: readonly GenerationEvent[], isStream: boolean): string {
  if (!isStream) return stripped(format.encodeResponse(events, { created: 1 }).body);
  let body = "";
  const encoder = openEncoder(format, (frame) => (body += frame));
  for (const event of events) encoder.push(event);
  return body;
}

/** A frame without the field in which one fullstop tells another how an answer ended. */
function withoutExtension(frame: string): string {
  return frame.replace(/^data: (?<json>\{.*)$/gmu, (_line, json: string) => `data: ${stripped(JSON.parse(json))}`);
}

function stripped(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (key === "fullstop" ? undefined : inner));
}
