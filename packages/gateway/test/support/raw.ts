import type { Dialect } from "./dialects.ts";

/** A request over plain HTTP, as the official clients send it. */
export interface RawQuestion {
  readonly model: string;
  readonly stream: boolean;
  /** Fields beside the smallest request. */
  readonly more?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came over the wire. */
export interface RawAnswer {
  readonly generationId: string;
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** The JSON of the body: one document, or one for each frame. */
  readonly documents: readonly Readonly<Record<string, unknown>>[];
  /** What stands in our field of the last document, wherever the dialect has room for it. */
  readonly fullstop: unknown;
}

/** The smallest request of each dialect. */
export const BODIES: Readonly<Record<Dialect, Readonly<Record<string, unknown>>>> = {
  "openai-chat": { messages: [{ role: "user", content: "Hi" }] },
  "openai-responses": { input: "Hi" },
  "anthropic-messages": { max_tokens: 900, messages: [{ role: "user", content: "Hi" }] },
  gemini: { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
};

/** Where a dialect is spoken. */
function addressOf(dialect: Dialect, model: string, stream: boolean): string {
  if (dialect === "gemini") {
    return `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`;
  }
  const ends = {
    "openai-chat": "chat/completions",
    "openai-responses": "responses",
    "anthropic-messages": "messages",
  } as const;
  return `/v1/${ends[dialect]}`;
}

/** Asks over plain HTTP, because the official client of Gemini drops fields that it does not know. */
export async function askRaw(
  url: string,
  dialect: Dialect,
  { model, stream, more = {}, headers = {} }: RawQuestion,
): Promise<RawAnswer> {
  const own = dialect === "gemini" ? {} : { model, stream };
  const response = await fetch(url + addressOf(dialect, model, stream), {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ ...BODIES[dialect], ...own, ...more }),
  });
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "";
  const documents = (type.startsWith("text/event-stream") ? dataOf(text) : [text]).map(
    (json) => JSON.parse(json) as Readonly<Record<string, unknown>>,
  );
  const found = documents.map(
    (document) => document["fullstop"] ?? (document["response"] as { fullstop?: unknown } | undefined)?.fullstop,
  );
  return {
    generationId: response.headers.get("x-fullstop-generation-id") ?? "",
    status: response.status,
    type,
    text,
    documents,
    fullstop: found.findLast((each) => each !== undefined),
  };
}

function dataOf(text: string): readonly string[] {
  const lines = text.split("\n").filter((line) => line.startsWith("data: "));
  return lines.map((line) => line.slice("data: ".length)).filter((json) => json !== "[DONE]");
}
