import type { Fetch } from "fullstop/engines";
// Not from the package's index, which loads a fetch, caches and mocks as well: 9 MiB of memory for nothing.
import Agent from "undici/lib/dispatcher/agent.js";
import { outgoingTraceHeaders } from "../operations/trace-headers.ts";
import { connect } from "./connect.ts";
import { UpstreamAnswer } from "./upstream-answer.ts";

/** The connections to providers. */
export interface Upstream {
  /** Sends a request over them. */
  readonly fetch: Fetch;
  /** Closes them all. */
  close(): Promise<void>;
}

/**
 * Opens connections to providers. It is not the global `fetch`, which gives up on a silent provider after five minutes
 * of its own.
 */
export function createUpstream(): Upstream {
  // How long to wait is for the engines to say, which also tell what they have waited for.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connect });
  return {
    fetch(url, { method, headers, body, signal }) {
      const { origin, pathname, search } = new URL(url);
      const answer = new UpstreamAnswer(signal ?? undefined);
      agent.dispatch(
        {
          origin,
          path: pathname + search,
          method: method === "GET" ? "GET" : "POST",
          headers: withOurs(headers),
          body: typeof body === "string" ? body : null,
        },
        answer,
      );
      return answer.begun;
    },
    close: () => agent.destroy(),
  };
}

/**
 * The headers of a request and ours: those of the trace that it belongs to, if somebody traces, and that its answer is to
 * come as it is. Where nothing is said of that a server may pack it, and nothing that is packed is opened here.
 */
function withOurs(headers: HeadersInit = {}): Readonly<Record<string, string>> {
  const given =
    headers instanceof Headers || Array.isArray(headers) ? Object.fromEntries(new Headers(headers)) : headers;
  return { "accept-encoding": "identity", ...given, ...outgoingTraceHeaders() };
}
