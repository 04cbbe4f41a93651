import type { JSONObject, JSONValue } from "@ai-sdk/provider";
import { isTerminationSignal } from "../../termination.ts";
import type { TerminationSignal } from "../../termination.ts";
import { isRecord, recordOf } from "../../wire/json.ts";
import { toPortableSignal } from "../../wire/writing/finish.ts";

/** What is told of a call in `providerMetadata.fullstop`, beside the signal. */
export interface CallFacts {
  /** Whether the token counts were worked out here, because the provider gave none. */
  readonly isEstimated: boolean;
  /** How often a paused turn was sent back. */
  readonly resumes: number;
}

/** A signal and what else is to be told, as `providerMetadata.fullstop` carries it. */
export function writeMetadata(signal: TerminationSignal, { isEstimated, resumes }: CallFacts): JSONObject {
  return {
    signal: toJsonValue(toPortableSignal(signal)),
    ...(isEstimated && { usageEstimated: true }),
    ...(resumes > 0 && { resumes }),
  };
}

/**
 * How a model call ended, in full: the signal in the `providerMetadata` of a result or a step. Undefined where the model
 * was called without the middleware.
 */
export function signalOf(
  providerMetadata: Readonly<Record<string, unknown>> | undefined,
): TerminationSignal | undefined {
  const { signal } = recordOf(providerMetadata?.["fullstop"]);
  return isTerminationSignal(signal) ? signal : undefined;
}

/** A value as JSON knows it. What JSON leaves out, such as a function, is left out here too. */
function toJsonValue(value: unknown): JSONValue {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map((item) => toJsonValue(item));
  if (!isRecord(value)) return null;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined && typeof field !== "function");
  return Object.fromEntries(fields.map(([name, field]) => [name, toJsonValue(field)]));
}
