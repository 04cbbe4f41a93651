import { FullstopError } from "../errors.ts";
import { createTerminationSignal, failedSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import { isRecord } from "../wire/json.ts";
import { sanitiseText } from "../wire/reading/sanitise.ts";

/** How many causes of causes are looked at. */
const DEPTH = 5;

/**
 * The signal of a connection that failed before or in the middle of an answer. Runtimes say only "fetch failed" and
 * keep what happened in the error's cause.
 */
export function networkSignal(error: unknown): TerminationSignal {
  const chain = causesOf(error);
  const code = chain.map((cause) => (isRecord(cause) ? cause["code"] : undefined)).find(isWord);
  const name = code ?? (error instanceof Error ? error.name : typeof error);
  const message = chain.map((cause) => (cause instanceof Error ? cause.message : "")).findLast(isWord);
  return createTerminationSignal({
    reason: "error_termination",
    detail: /time_?(?:d_?)?out/iu.test(name) ? "timeout" : "network_error",
    originalField: "error",
    originalValue: name,
    message: sanitiseText(`The connection failed: ${message ?? name}`),
  });
}

function causesOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let cause = error; cause !== undefined && cause !== null && chain.length < DEPTH;) {
    chain.push(cause);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return chain;
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** The signal of a server that sends us elsewhere. Following it would hand the key to whoever it names. */
export function redirectSignal(status: number): TerminationSignal {
  return createTerminationSignal({
    reason: "error_termination",
    detail: "redirected",
    originalField: "status",
    originalValue: String(status),
    message: "The server redirects to another address, which is not followed",
    metadata: { status },
  });
}

/** The signal of a mistake on our side of the connection, such as a request that cannot be written. */
export function mistakeSignal(error: unknown): TerminationSignal {
  const signal = failedSignal(error);
  return { ...signal, message: sanitiseText(signal.message ?? "") };
}

/** The signal of a request that is none: it was refused before anybody was asked, and would be refused again. */
export function refusedSignal(error: unknown): TerminationSignal {
  return failedSignal(error, error instanceof FullstopError ? "invalid_request" : undefined);
}

/** How long a server asks to be left alone, as far as its headers tell. */
export function retryAfterOf(headers: Pick<Headers, "get">, now: number): number | undefined {
  const value = headers.get("retry-after");
  const milliseconds = numberOf(headers.get("retry-after-ms"), 1) ?? numberOf(value, 1000);
  if (milliseconds !== undefined || value === null) return milliseconds;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** A number that stands there in some unit. One that nobody can count to is none: it would be told on as infinite. */
function numberOf(text: string | null, unit: number): number | undefined {
  const value = text !== null && /^\s*\d+(?:\.\d+)?\s*$/u.test(text) ? Number(text) * unit : Number.NaN;
  return value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}

/** A signal with one more thing known about it. */
export function withMetadata(signal: TerminationSignal, more: Readonly<Record<string, unknown>>): TerminationSignal {
  const { providerSpecific } = signal;
  return { ...signal, providerSpecific: { ...providerSpecific, metadata: { ...providerSpecific.metadata, ...more } } };
}
