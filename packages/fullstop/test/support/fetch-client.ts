import type { Dialect } from "./provider-server.ts";

type Fetch = typeof fetch;

/** What a client makes of an answer. */
export interface ClientAnswer {
  readonly id: string | undefined;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  /** Its word for the ending, and the stop string that has matched where it tells. */
  readonly ending: unknown;
  readonly stopSequence?: unknown;
  readonly usage: unknown;
}

/** How a client is asked. */
export interface Ask {
  readonly fetch: Fetch;
  readonly baseUrl: string;
  readonly signal?: AbortSignal;
  readonly headers?: Record<string, string>;
}

/** A provider's client, streaming or not. */
export interface TestClient {
  readonly name: string;
  readonly dialect: Dialect;
  readonly isStream: boolean;
  /** The client's words for a stop string, and for a limit. */
  readonly words: { readonly stop: unknown; readonly limit: unknown };
  readonly ask: (ask: Ask) => Promise<ClientAnswer>;
}

/** Describes a client in one line. */
export function define(
  name: string,
  dialect: Dialect,
  isStream: boolean,
  words: TestClient["words"],
  ask: TestClient["ask"],
): TestClient {
  return { name, dialect, isStream, words, ask };
}
