import type { IncomingHttpHeaders } from "node:http";
import { context, propagation } from "@opentelemetry/api";

/** Headers that carry a trace from one process to the next, such as `traceparent`. */
export type TraceHeaders = Readonly<Record<string, string>>;

/** What people put into it concerns nobody outside their own house. */
const PRIVATE = "baggage";

/** The headers of a request that belong to its trace, and no others: keys travel in headers, too. */
export function traceHeadersOf(headers: IncomingHttpHeaders): TraceHeaders {
  const entries = propagation.fields().map((name) => [name, headers[name]] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** The headers by which a provider can go on with the trace that runs here; none where nobody traces. */
export function outgoingTraceHeaders(): TraceHeaders {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers, {
    set(carrier, name, value) {
      if (name !== PRIVATE) carrier[name] = value;
    },
  });
  return headers;
}
