import type { Message } from "../../request.ts";
import { isRecord, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";

/**
 * What the service gives when it breaks an answer off at its own limit for one request (`CONTINUATION`). It is no part
 * of the answer but stands for all of it: the same request again, with the token beside it and without what was
 * answered so far, is answered with the rest.
 */
export function encodeContinuation(token: string): JsonRecord {
  return { continuationToken: token };
}

/** The token that a value stands for; none for whatever else only the service understands. */
export function readContinuation(value: unknown): string | undefined {
  const token = isRecord(value) ? stringOf(value["continuationToken"]) : "";
  return token === "" ? undefined : token;
}

/** A conversation without the answer that is to go on, and the token for that. */
export interface Resumption {
  readonly messages: readonly Message[];
  readonly token: string | undefined;
}

/**
 * Finds out whether a conversation ends in an answer that is to go on. Only a token with nothing behind it holds: after
 * further text it would bring that text again, and after another message nothing is to go on.
 */
export function findResumption(messages: readonly Message[]): Resumption {
  const last = messages.at(-1);
  const part = last?.role === "assistant" ? last.content.at(-1) : undefined;
  const isOwn = part?.type === "opaque" && part.format === "gemini";
  const token = isOwn ? readContinuation(part.value) : undefined;
  return token === undefined ? { messages, token } : { messages: messages.slice(0, -1), token };
}
