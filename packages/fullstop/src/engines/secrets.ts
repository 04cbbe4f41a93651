import type { TerminationSignal } from "../termination.ts";
import { isRecord } from "../wire/json.ts";
import type { ProviderHeaders } from "./routes.ts";

/** Anything shorter, such as `Bearer` or the `ollama` that stands in for a key, is a word of its own right. */
const SHORTEST_SECRET = 8;

/** Whatever in some headers may be a key. */
export function secretsOf(headers: ProviderHeaders): readonly string[] {
  return Object.values(headers)
    .flatMap((value) => value.split(/\s+/u).concat(value))
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((one, other) => other.length - one.length);
}

/**
 * A signal without the keys that were sent. Servers quote them in errors, and filters by looks know only the keys of
 * the big providers.
 */
export function withoutSecrets(signal: TerminationSignal, secrets: readonly string[]): TerminationSignal {
  const { providerSpecific, message, detail, stopSequence } = signal;
  const { originalField, originalValue, metadata } = providerSpecific;
  const clean = (text: string): string => secrets.reduce((rest, secret) => rest.replaceAll(secret, "[redacted]"), text);
  return {
    ...signal,
    providerSpecific: {
      originalField: clean(originalField),
      originalValue: clean(originalValue),
      ...(metadata !== undefined && { metadata: cleanRecord(metadata, clean) }),
    },
    ...(message !== undefined && { message: clean(message) }),
    ...(detail !== undefined && { detail: clean(detail) }),
    ...(stopSequence !== undefined && { stopSequence: clean(stopSequence) }),
  };
}

function cleanRecord(
  record: Readonly<Record<string, unknown>>,
  clean: (text: string) => string,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [clean(name), cleanValue(value, clean)]));
}

function cleanValue(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((item) => cleanValue(item, clean));
  return isRecord(value) ? cleanRecord(value, clean) : value;
}
