import { createTerminationSignal } from "../../termination.ts";
import type { TerminationReason, TerminationSignal } from "../../termination.ts";
import { errorKindOfStatus, errorKindOfWords } from "../error-kinds.ts";
import { meaningOf } from "./finish-words.ts";
import { isRecord, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { sanitiseText } from "./sanitise.ts";

/** What a server says went wrong, in its own words. */
export interface Failure {
  readonly message: string;
  /** Its word for the kind of error, such as `overloaded_error`. */
  readonly type?: string | undefined;
  readonly code?: string | undefined;
  readonly status?: number | undefined;
}

/** Reads the error object of any dialect: an object of one's own, one in a field, or just a sentence. */
export function readFailure(error: unknown): Failure {
  if (!isRecord(error)) return { message: typeof error === "string" ? error : "" };
  const inner = error["error"];
  if (isRecord(inner)) return { ...readFields(error), ...readFields(inner) };
  if (typeof inner === "string") return { ...readFields(error), message: inner };
  return readFields(error);
}

function readFields(error: JsonRecord): Failure {
  const message = [error["message"], error["Message"], error["detail"]].find((text) => typeof text === "string");
  const type = [
    recordOf(error["metadata"])["error_type"],
    error["error_type"],
    error["type"],
    // Google's name for the kind of error stands in `status`.
    error["status"],
    error["__type"],
  ].find((word) => typeof word === "string" && word !== "" && word !== "error");
  const code = error["code"];
  const status = [error["status_code"], error["status"], code].find(isErrorStatus);
  return {
    message: stringOf(message),
    ...(typeof type === "string" && { type }),
    ...((typeof code === "string" || typeof code === "number") && code !== "" && { code: String(code) }),
    ...(status !== undefined && { status }),
  };
}

function isErrorStatus(value: unknown): value is number {
  return typeof value === "number" && value >= 400 && value <= 599;
}

/** Codes by which a provider says that it will not answer, rather than that it cannot. */
const POLICY =
  /^(?:bio_policy|misalignment_policy_violation|image_content_policy_violation|content_policy_violation|cyber_policy|content_policy|responsibleaipolicyviolation)$/u;

/** The signal for an error that a server reports, before, in or instead of an answer. */
export function failureSignal(failure: Failure, httpStatus?: number): TerminationSignal {
  const { message, type, code } = failure;
  const status = failure.status ?? httpStatus;
  const words = [code, type].filter((word) => word !== undefined).map((word) => word.toLowerCase());
  const text = sanitiseText(message);
  return createTerminationSignal({
    ...reasonOf(words, status),
    originalField: "error",
    originalValue: type ?? code ?? (status === undefined ? "" : String(status)),
    message: text === "" ? "The provider reported an error" : text,
    metadata: {
      ...(type !== undefined && { type: sanitiseText(type) }),
      ...(code !== undefined && { code: sanitiseText(code) }),
      ...(status !== undefined && { status }),
    },
  });
}

function reasonOf(words: readonly string[], status: number | undefined): { reason: TerminationReason; detail: string } {
  if (words.some((word) => POLICY.test(word) || meaningOf(word).reason === "content_filtered")) {
    return { reason: "content_filtered", detail: "policy" };
  }
  const byStatus = status === undefined ? undefined : errorKindOfStatus(status);
  return { reason: "error_termination", detail: errorKindOfWords(words) ?? byStatus ?? "provider_error" };
}
