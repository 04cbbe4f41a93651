import { createTerminationSignal } from "../../termination.ts";
import type { Confidence, TerminationReason, TerminationSignal } from "../../termination.ts";
import { errorKindOfStatus, errorKindOfWords } from "../error-kinds.ts";
import { meaningOf } from "./finish-words.ts";
import { isRecord, listOf, parseJson, recordOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { sanitiseText, sanitiseWord } from "./sanitise.ts";

/** What a server says went wrong, in its own words. */
export interface Failure {
  readonly message: string;
  /** Its word for the kind of error, such as `overloaded_error`. */
  readonly type?: string | undefined;
  readonly code?: string | undefined;
  readonly status?: number | undefined;
  /** The field of the request that it is about. */
  readonly param?: string | undefined;
  /** What the body was, where it was nothing that an API answers with. */
  readonly body?: "html" | undefined;
}

/** Whether a value says that something went wrong, in the way in which all dialects do. */
export function hasError({ error, type, object }: JsonRecord): boolean {
  if (type === "error" || object === "error") return true;
  // Where all is well some servers say so: with `false`, with 0, or with a list or an object of nothing.
  return typeof error === "object" && error !== null ? Object.keys(error).length > 0 : Boolean(error);
}

/** Reads the error object of any dialect: an object of one's own, one in a field, or just a sentence. */
export function readFailure(error: unknown): Failure {
  const failure = readOwn(error);
  const cause = causeOf(error);
  if (cause === undefined) return failure;
  return {
    message: [failure.message, cause.message].filter((sentence) => sentence !== "").join(": "),
    type: failure.type ?? cause.type,
    code: cause.code ?? failure.code,
    status: failure.status ?? cause.status,
    param: failure.param ?? cause.param,
  };
}

/**
 * What OpenRouter was told by the provider that it has asked: a body as it came, or a sentence. Its own sentence is
 * the same for all of them and says nothing of it.
 */
function causeOf(error: unknown): Failure | undefined {
  const { error: inner = error } = recordOf(error);
  const { raw } = recordOf(recordOf(inner)["metadata"]);
  const value = typeof raw === "string" ? (parseJson(raw) ?? raw) : raw;
  const cause = readOwn(listOf(value)[0] ?? value);
  return cause.message === "" || cause.message.trimStart().startsWith("<") ? undefined : cause;
}

function readOwn(error: unknown): Failure {
  if (!isRecord(error)) return { message: typeof error === "string" ? error : "" };
  const inner = error["error"];
  const outer = readFields(error);
  if (typeof inner === "string") return { ...outer, message: inner };
  if (!isRecord(inner)) return outer;
  const { message, type = outer.type, code = outer.code, status = outer.status, param } = readFields(inner);
  return { message, type, code, status, param };
}

function readFields(error: JsonRecord): Failure {
  const { code } = error;
  return {
    message: sentenceOf(error),
    type: typeOf(error),
    code: codeOf(error),
    status: [error["status_code"], error["status"], code].find(isErrorStatus),
    param: paramOf(error),
  };
}

/** The field that an error is about. Servers that hold requests against a schema tell its place in the body. */
function paramOf({ param, detail }: JsonRecord): string | undefined {
  const [root, ...place] = listOf(recordOf(listOf(detail)[0])["loc"]);
  const names = [param, (root === "body" ? place : []).join(".")];
  return names.find((name): name is string => typeof name === "string" && name !== "");
}

/** The finer word for an error, which Anthropic has one level down. */
function codeOf({ code, details }: JsonRecord): string | undefined {
  return [code, recordOf(details)["error_code"]].find(isCode)?.toString();
}

function isCode(word: unknown): word is string | number {
  return typeof word === "number" || (typeof word === "string" && word !== "");
}

/** What is said for people. Mistral says it one level down where a request does not keep to its schema, MiniMax always. */
function sentenceOf(error: JsonRecord): string {
  return [error, recordOf(error["message"]), recordOf(error["base_resp"])].flatMap(sentencesOf)[0] ?? "";
}

/**
 * The sentences of an object. Servers that hold requests against a schema send a list with one entry a mistake; what
 * else is in an entry is not kept, because it quotes the request.
 */
function sentencesOf(error: JsonRecord): readonly string[] {
  const { message, Message: shouted, detail, errors, msg: short, status_msg: status } = error;
  const first = listOf(detail)[0] ?? listOf(errors)[0];
  const { msg, message: entry } = recordOf(first);
  const texts = [message, shouted, detail, short, status, first, msg, entry];
  return texts.filter((text): text is string => typeof text === "string" && text !== "");
}

/** The word for the kind of error. Google's stands in `status`; `error` says no more than that it is one. */
function typeOf(error: JsonRecord): string | undefined {
  const { metadata, error_type: own, type, status, __type: shape } = error;
  const words = [recordOf(metadata)["error_type"], own, type, status, shape];
  return words.find((word): word is string => typeof word === "string" && word !== "" && word !== "error");
}

function isErrorStatus(value: unknown): value is number {
  return typeof value === "number" && value >= 400 && value <= 599;
}

/** Codes by which a provider says that it will not answer, rather than that it cannot. */
const POLICY =
  /^(?:bio_policy|misalignment_policy_violation|image_content_policy_violation|content_policy_violation|cyber_policy|content_policy|responsibleaipolicyviolation)$/u;

const FIRST_ERROR_STATUS = 400;

/** Whether a response with this status is an error, whatever its body says. */
export function isFailedStatus(status: number | undefined): status is number {
  return status !== undefined && status >= FIRST_ERROR_STATUS;
}

/** The signal for an error that a server reports, before, in or instead of an answer. */
export function failureSignal(failure: Failure, httpStatus?: number): TerminationSignal {
  const { message, type, code, param, body } = failure;
  // An answer that began well says nothing by its status about what went wrong later.
  const given = isFailedStatus(httpStatus) ? httpStatus : undefined;
  const status = failure.status ?? given;
  const words = [code, type].filter((word) => word !== undefined).map((word) => word.toLowerCase());
  const text = sanitiseText(message);
  const { reason, detail, confidence } = reasonOf(words, status);
  const metadata: Record<string, unknown> = {};
  if (type !== undefined) metadata["type"] = sanitiseWord(type);
  if (code !== undefined) metadata["code"] = sanitiseWord(code);
  if (status !== undefined) metadata["status"] = status;
  if (param !== undefined) metadata["param"] = sanitiseWord(param);
  if (body !== undefined) metadata["body"] = body;
  const word = type ?? code ?? failure.status;
  return createTerminationSignal({
    reason,
    detail,
    confidence,
    // Where the body names no kind of error, only the status line does.
    originalField: word === undefined && given !== undefined ? "status" : "error",
    originalValue: sanitiseWord(String(word ?? given ?? "")),
    message: text === "" ? "The provider reported an error" : text,
    metadata,
  });
}

interface FailureReason {
  readonly reason: TerminationReason;
  readonly detail: string;
  readonly confidence?: Confidence | undefined;
}

/** Some words of errors are words of endings: what was refused or could not be read is not a fault of the server. */
function reasonOf(words: readonly string[], status: number | undefined): FailureReason {
  if (words.some((word) => POLICY.test(word))) return { reason: "content_filtered", detail: "policy" };
  const meaning = words
    .map(meaningOf)
    .find(({ reason, detail }) => reason === "content_filtered" || detail !== undefined);
  if (meaning?.reason === "content_filtered") {
    return { reason: "content_filtered", detail: meaning.detail ?? "policy", confidence: "medium" };
  }
  if (meaning?.reason === "error_termination" && meaning.detail !== undefined) {
    return { reason: "error_termination", detail: meaning.detail };
  }
  const byStatus = status === undefined ? undefined : errorKindOfStatus(status);
  return { reason: "error_termination", detail: errorKindOfWords(words) ?? byStatus ?? "provider_error" };
}
