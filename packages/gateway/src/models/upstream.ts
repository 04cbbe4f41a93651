import type { IncomingHttpHeaders } from "node:http";
import type { Fetch } from "fullstop/engines";
import { Agent, request } from "undici";
import { outgoingTraceHeaders } from "../operations/trace-headers.ts";

/** The connections to providers. */
export interface Upstream {
  /** Sends a request over them. */
  readonly fetch: Fetch;
  /** Closes them all. */
  close(): Promise<void>;
}

/** Statuses whose answers have no body, which a `Response` insists on. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Opens connections to providers. It is not the global `fetch`, which gives up on a silent provider after five minutes
 * of its own.
 */
export function createUpstream(): Upstream {
  // How long to wait is for the engines to say, which also tell what they have waited for.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  return {
    async fetch(url, { headers, body, signal }) {
      const { statusCode, ...answer } = await request(url, {
        dispatcher: agent,
        method: "POST",
        headers: { ...Object.fromEntries(new Headers(headers)), ...outgoingTraceHeaders() },
        body: typeof body === "string" ? body : null,
        signal: signal ?? undefined,
      });
      // A body that is given up fails as a stream, too, when everybody knows; unheard, that would end the process.
      answer.body.on("error", () => undefined);
      const stream = WITHOUT_BODY.has(statusCode) ? null : toStream(answer.body);
      return new Response(stream, { status: statusCode, headers: singleHeaders(answer.headers) });
    },
    close: () => agent.destroy(),
  };
}

type Body = AsyncIterable<Uint8Array> & { destroy(): unknown };

function toStream(body: Body): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const read = await chunks.next();
        if (read.done === true) controller.close();
        else controller.enqueue(read.value);
      },
      cancel() {
        body.destroy();
      },
    },
    // Nothing is read before somebody wants it, so that a slow reader slows the provider down.
    { highWaterMark: 0 },
  );
}

function singleHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")] as const);
  return Object.fromEntries(entries);
}
