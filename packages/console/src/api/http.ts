import { learnTime } from "../state/clock.ts";
import { createObservable } from "../state/observable.ts";
import type { Observable } from "../state/observable.ts";
import { readSaved, save } from "../state/saved.ts";

/** An answer of the gateway that says no, in its words. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
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
  const message = messageIn(await response.text()) ?? `The gateway has answered with the status ${response.status}.`;
  if (response.status === 401) {
    save("key", undefined);
    // What the gateway says to programs that bring no key is of no use to a person.
    const isRefused = current.state === "given";
    access.set({ state: "needed", message: isRefused ? message : "This gateway asks for a key." });
  }
  throw new ApiError(response.status, message);
}

/** Asks the gateway for JSON. What it has is the word of the gateway that serves this page. */
export async function callJson<T>(address: string, options?: CallOptions): Promise<T> {
  const response = await call(address, options);
  const read: () => Promise<T> = () => response.json();
  return read();
}

/** The message in an error of Chat Completions or of the stop API. */
function messageIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("error" in value)) return undefined;
    const { error } = value;
    const isTold = typeof error === "object" && error !== null && "message" in error;
    return isTold && typeof error.message === "string" ? error.message : undefined;
  } catch {
    return undefined;
  }
}

/** What to tell a person about something that was thrown. */
export function describeError(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  return "The gateway cannot be reached.";
}
