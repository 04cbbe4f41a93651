import { validateHeaderName, validateHeaderValue } from "node:http";
import type { Fetch } from "fullstop/engines";
import { outgoingTraceHeaders } from "../operations/trace-headers.ts";
import { Connections } from "./connections.ts";
import { Turns } from "./turns.ts";
import { UpstreamAnswer } from "./upstream-answer.ts";

/** Headers that say where a request goes or ends, or what becomes of the connection behind it. */
const CONNECTIONS_OWN: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
]);

/** Where a request goes: the same few places again and again, whose addresses are taken apart once. */
interface Place {
  readonly connections: Connections;
  readonly host: string;
  readonly path: string;
}

/** How many places are remembered. */
const MOST_PLACES = 100;

/** The connections to providers. */
export interface Upstream {
  /** Sends a request over them. */
  readonly fetch: Fetch;
  /** Closes them all, and opens no more. */
  close(): void;
}

/**
 * Opens connections to providers. How long to wait for an answer is for the engines to say, which also tell what they
 * have waited for. Redirects are not followed, and nothing is sent twice.
 */
export function createUpstream(): Upstream {
  const turns = new Turns();
  const servers = new Map<string, Connections>();
  const places = new Map<string, Place>();
  let closed: Error | undefined;
  const connectionsTo = ({ origin, protocol, hostname, port }: URL): Connections => {
    const known = servers.get(origin);
    if (known !== undefined) return known;
    const isSecure = protocol === "https:";
    // An address of IPv6 stands in brackets there.
    const host = hostname.replaceAll(/[[\]]/gu, "");
    const connections = new Connections({ isSecure, host, port: Number(port || (isSecure ? 443 : 80)) });
    servers.set(origin, connections);
    return connections;
  };
  const find = (address: string): Place => {
    const known = places.get(address);
    if (known !== undefined) return known;
    const url = new URL(address);
    const place = { connections: connectionsTo(url), host: url.host, path: url.pathname + url.search };
    // Some addresses have the model in them, and callers may ask for any.
    if (places.size === MOST_PLACES) places.clear();
    places.set(address, place);
    return place;
  };
  return {
    async fetch(address, { method = "POST", headers, body, signal }) {
      signal?.throwIfAborted();
      const place = find(address);
      const text = textOf(method, body);
      const head = writeHead(method, place, withOurs(headers), text);
      const answer = new UpstreamAnswer(turns, signal ?? undefined);
      const takeTurn = (): void => {
        // Also where that has come about since the request was made.
        if (closed === undefined) answer.ask(place.connections, head, text);
        else answer.fail(closed);
      };
      turns.give({ takeTurn });
      return answer.begun;
    },
    close() {
      closed = new Error("The connections to providers are closed");
      for (const connections of servers.values()) connections.close(closed);
    },
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

/**
 * The body of a request. What could not be sent as it is, or read as it is meant, is refused: a body behind a head that
 * says nothing of one is another request, and the answer to a request for a head alone has no end that is known here.
 */
function textOf(method: string, body: RequestInit["body"]): string {
  if (method !== "GET" && method !== "POST") throw new TypeError("A request is made by GET or POST");
  const text = body ?? "";
  if (typeof text !== "string") throw new TypeError("The body of a request must be text");
  if (method === "GET" && text !== "") throw new TypeError("A request by GET has no body");
  return text;
}

function writeHead(
  method: string,
  { host, path }: Place,
  headers: Readonly<Record<string, string>>,
  body: string,
): string {
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`;
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    if (CONNECTIONS_OWN.has(name.toLowerCase())) throw new TypeError(`The header ${name} is for the connection to set`);
    validateHeaderValue(name, value);
    head += `${name}: ${value}\r\n`;
  }
  return method === "GET" ? `${head}\r\n` : `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
}
