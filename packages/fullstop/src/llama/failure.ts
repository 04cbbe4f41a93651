import { FullstopError } from "../errors.ts";
import { createTerminationSignal, failedSignal } from "../termination.ts";
import type { TerminationSignal } from "../termination.ts";
import { ModelLoadError } from "./model-error.ts";
import { Refusal } from "./refusal.ts";

/** How a generation ends that could not be started, or that broke down. */
export function failureSignal(error: unknown): TerminationSignal {
  if (error instanceof Refusal) return errorSignal(error.kind, error.kind, error.message);
  if (error instanceof FullstopError) return errorSignal("invalid_request", "invalid_request", error.message);
  if (error instanceof ModelLoadError) return errorSignal("model_unavailable", error.kind, error.message);
  return failedSignal(error, "server_error");
}

function errorSignal(detail: string, value: string, message: string): TerminationSignal {
  return createTerminationSignal({
    reason: "error_termination",
    detail,
    originalField: "error",
    originalValue: value,
    message,
  });
}
