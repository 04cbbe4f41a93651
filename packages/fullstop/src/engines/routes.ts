import type { WireFormatName } from "../wire/format.ts";

/** Names and values of HTTP headers. */
export type ProviderHeaders = Readonly<Record<string, string>>;

/** The ends of the two addresses of a dialect: one for streams, one for whole answers. */
export interface ProviderPaths {
  readonly stream: string;
  readonly whole: string;
}

/** What everybody who speaks a dialect has in common besides its bodies. */
interface Route {
  readonly paths: ProviderPaths;
  /** Headers that go with every request. */
  readonly headers: ProviderHeaders;
  /** What a stream is, where it is not one of server-sent events. */
  readonly streamType?: string;
  /** The header that a key goes in. */
  key(key: string): ProviderHeaders;
}

const bearer = (key: string): ProviderHeaders => ({ authorization: `Bearer ${key}` });

/** The dialects that requests can be written in. */
export const ROUTES: Readonly<Partial<Record<WireFormatName, Route>>> = {
  "openai-chat": {
    paths: { stream: "/chat/completions", whole: "/chat/completions" },
    headers: {},
    key: bearer,
  },
  "openai-responses": {
    paths: { stream: "/responses", whole: "/responses" },
    headers: {},
    key: bearer,
  },
  "anthropic-messages": {
    paths: { stream: "/messages", whole: "/messages" },
    headers: { "anthropic-version": "2023-06-01" },
    key: (key) => ({ "x-api-key": key }),
  },
  gemini: {
    paths: { stream: "/models/{model}:streamGenerateContent?alt=sse", whole: "/models/{model}:generateContent" },
    headers: {},
    key: (key) => ({ "x-goog-api-key": key }),
  },
  "ollama-chat": {
    paths: { stream: "/api/chat", whole: "/api/chat" },
    headers: {},
    streamType: "application/x-ndjson",
    key: bearer,
  },
};

/** Adds what a request has in headers of its own to those that go with all of them. */
export function withHeaders(headers: ProviderHeaders, more: ProviderHeaders = {}): ProviderHeaders {
  const all: Record<string, string> = { ...headers };
  for (const [name, value] of Object.entries(more)) {
    const known = all[name];
    all[name] = known === undefined ? value : `${known},${value}`;
  }
  return all;
}
