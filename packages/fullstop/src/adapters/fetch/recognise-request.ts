import { ROUTES } from "../../engines/routes.ts";
import type { WIRE_FORMATS } from "../../wire/formats.ts";
import { isRecord, parseJson } from "../../wire/json.ts";
import type { JsonRecord } from "../../wire/json.ts";

/** The dialects that can be guarded on their way: those that are read and written. */
export type GuardedFormat = keyof typeof WIRE_FORMATS;

/** Every dialect that can be guarded. */
export const GUARDED_FORMATS: readonly GuardedFormat[] = [
  "openai-chat",
  "openai-responses",
  "anthropic-messages",
  "gemini",
];

/** What `fetch` is asked for. */
export type FetchInput = string | URL | Request;

/** A request for an answer. */
export interface GenerationCall {
  readonly url: string;
  readonly format: GuardedFormat;
  readonly body: JsonRecord;
  /** Whether the answer is to come as a stream. */
  readonly isStream: boolean;
}

/** How the addresses end at which answers are asked for. */
const ENDINGS: readonly (readonly [ending: string, format: GuardedFormat])[] = [
  ...GUARDED_FORMATS.flatMap((format) => {
    const { stream = "", whole = "" } = ROUTES[format]?.paths ?? {};
    return [stream, whole].map((path) => [endOf(path), format] as const);
  }),
  // Google Cloud serves Anthropic's models under names of its own.
  [":rawPredict", "anthropic-messages"],
  [":streamRawPredict", "anthropic-messages"],
];

/** What of a path is the same for all models. */
function endOf(path: string): string {
  return (path.split("{model}").at(-1) ?? "").split("?")[0] ?? "";
}

/** What has to be in the body of a request, because others end in the same words: messages are also added to threads. */
const HAS_PROMPT: Readonly<Record<GuardedFormat, (body: JsonRecord) => boolean>> = {
  "openai-chat": (body) => Array.isArray(body["messages"]),
  "anthropic-messages": (body) => Array.isArray(body["messages"]),
  "openai-responses": (body) => "model" in body || "input" in body || "prompt" in body,
  gemini: (body) => "contents" in body,
};

/** Reads a request for an answer. Anything else is none: other methods, addresses and bodies. */
export async function recogniseRequest(
  input: FetchInput,
  init: RequestInit | undefined,
  settled: GuardedFormat | undefined,
): Promise<GenerationCall | undefined> {
  const request = isRequest(input) ? input : undefined;
  const method = init?.method ?? request?.method ?? "GET";
  if (method.toUpperCase() !== "POST") return undefined;
  const url = typeof input === "string" ? input : isRequest(input) ? input.url : input.href;
  const path = pathOf(url);
  const format = settled ?? ENDINGS.find(([ending]) => path.endsWith(ending))?.[1];
  if (format === undefined) return undefined;
  const body = parseJson(await readBody(request, init));
  if (!isRecord(body) || !HAS_PROMPT[format](body)) return undefined;
  return { url, format, body, isStream: body["stream"] === true || /:stream\w+$/u.test(path) };
}

/** Whether a value is a request, of this realm or of another. */
export function isRequest(input: unknown): input is Request {
  return typeof input === "object" && input !== null && !(input instanceof URL) && "url" in input;
}

/** The path of an address, which may be relative to a page. */
function pathOf(url: string): string {
  return (url.split(/[?#]/u)[0] ?? "").replace(/\/+$/u, "");
}

/** What a request says of its body that may be JSON: text is what it says by itself of a string, and nothing of bytes. */
const MAY_BE_JSON = /json|^text\/|^$/iu;

/** The text of a body; nothing for one that can be read only once, or that is no text. */
async function readBody(request: Request | undefined, init: RequestInit | undefined): Promise<string> {
  const body = init?.body;
  if (typeof body === "string") return body;
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return new TextDecoder().decode(body);
  if (body instanceof Blob) return body.text();
  if (body !== undefined && body !== null) return "";
  if (request === undefined || !MAY_BE_JSON.test(request.headers.get("content-type") ?? "")) return "";
  return request.clone().text();
}
