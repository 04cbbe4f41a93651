import { learnTime } from "../state/clock.ts";
import { createObservable } from "../state/observable.ts";
import type { Observable } from "../state/observable.ts";
import { readSaved, save } from "../state/saved.ts";

/** An answer of the gateway that says no, in its words. */
export class ApiError extends Error {
  readonly status: number;
  /** Whether it has refused the key of whoever uses the page, or misses one. */
  readonly asksForKey: boolean;

  constructor(status: number, { message, asksForKey }: Refusal) {
    super(message ?? `The gateway has answered with the status ${status}.`);
    this.status = status;
    this.asksForKey = asksForKey;
  }
}

/** The key of whoever uses the page: none so far, or one that the gateway has refused, or one that seems good. */
export type Access =
  | { readonly state: "open" }
  | { readonly state: "needed"; readonly message: string }
  | { readonly state: "given"; readonly key: string };

const savedKey = readSaved("key");

/** How the page comes in. It starts without a key and asks for one when the gateway does. */
export const access: Observable<Access> = createObservable<Access>(
  typeof savedKey === "string" ? { state: "given", key: savedKey } : { state: "open" },
);

/** Whether a key can be sent at all: a header holds no other letters, and no spaces around it. */
export function canBeKey(key: string): boolean {
  return /^[!-~]+(?: [!-~]+)*$/u.test(key);
}

/** Uses a key from now on, for as long as the tab is open. */
export function giveKey(key: string): void {
  save("key", key);
  access.set({ state: "given", key });
}

/**
 * Forgets the key and all that was seen with it. Whoever comes next must not find the conversation. A stop that is still
 * to be told stays: it holds an id and nothing that was said, and the next key may be good for it.
 */
export function forgetKey(): void {
  save("key", undefined);
  save("playground", undefined);
  save("draft", undefined);
  location.reload();
}

/** What a request says beside its address. */
interface CallOptions {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** Asks the gateway. Rejects with an {@link ApiError} if it refuses, and with whatever `fetch` throws if it is away. */
export async function call(address: string, options: CallOptions = {}): Promise<Response> {
  const { method = "GET", body, headers = {}, signal } = options;
  const current = access.get();
  const response = await fetch(address, {
    method,
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(current.state === "given" && { authorization: `Bearer ${current.key}` }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
  learnTime(response.headers.get("date"));
  if (response.ok) return response;
  const error = new ApiError(response.status, await readRefusal(response));
  // Several are asked at once. What comes late must not forget a key that was given since, and what was asked without
  // one must not take back the word that the key was refused.
  if (error.asksForKey && current.state !== "needed" && access.get() === current) {
    save("key", undefined);
    // What the gateway says to programs that bring no key is of no use to a person.
    const isRefused = current.state === "given";
    access.set({ state: "needed", message: isRefused ? error.message : "This gateway asks for a key." });
  }
  throw error;
}

/** Asks the gateway for JSON. What it has is the word of the gateway that serves this page. */
export async function callJson<T>(address: string, options?: CallOptions): Promise<T> {
  const response = await call(address, options);
  const read: () => Promise<T> = () => response.json();
  return read();
}

/** What an error of Chat Completions or of the stop API says. */
interface Refusal {
  readonly message: string | undefined;
  readonly asksForKey: boolean;
}

/** Reads an error, of which as much is taken as there is. */
async function readRefusal(response: Response): Promise<Refusal> {
  const error = fieldOf(parse(await response.text()), "error");
  const message = fieldOf(error, "message");
  // A provider that refuses the key of the gateway has the same status, and is not to be heard as the gateway itself.
  const source = fieldOf(fieldOf(error, "fullstop"), "providerSpecific");
  const code = fieldOf(fieldOf(source, "metadata"), "code");
  // One that is a gateway, too, even has the same words; but it was asked by a generation, which has an id.
  const isAnswer = response.headers.has("x-fullstop-generation-id");
  return {
    message: typeof message === "string" ? message : undefined,
    asksForKey: !isAnswer && fieldOf(source, "originalField") === "gateway" && code === "invalid_api_key",
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** What to tell a person about something that was thrown. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  return "The gateway cannot be reached.";
}
