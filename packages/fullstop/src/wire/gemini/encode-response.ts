import type { GenerationEvent } from "../../events.ts";
import { citationsOf } from "../writing/citations.ts";
import { collectAnswer, textOf } from "../writing/whole-answer.ts";
import { parseArguments } from "../json.ts";
import { sayFinish, toPortableSignal } from "../writing/finish.ts";
import { warnOfError } from "../writing/losses.ts";
import { createWarn } from "../writing/options.ts";
import type { Warn } from "../writing/options.ts";
import type { AnswerHead, AnswerPart, ToolCallPart } from "../writing/parts.ts";
import type { EncodedResponse, EncodeOptions } from "../format.ts";
import type { JsonRecord } from "../json.ts";
import { wrapSignature } from "../signatures.ts";
import { encodeContinuation, readContinuation } from "./continuation.ts";
import { encodeSources } from "./encode-citations.ts";
import { encodeGeminiError } from "./encode-error.ts";
import { encodeGeminiUsage } from "./encode-usage.ts";
import { toGeminiFinish } from "./finish.ts";

/** Writes events as a whole Gemini answer, or as an error body with its status. */
export function encodeGeminiResponse(events: Iterable<GenerationEvent>, options: EncodeOptions = {}): EncodedResponse {
  const warn = createWarn(options);
  const { head, parts, usage, signal } = collectAnswer("gemini", events, options, warn);
  const reason = sayFinish(toGeminiFinish(signal), warn);
  if (reason === undefined) {
    warnOfError(warn, parts, usage);
    return encodeGeminiError(signal);
  }
  const content = parts.flatMap((part) => encodePart(part, warn));
  const token = parts.map(tokenOf).findLast((found) => found !== undefined);
  const sources = encodeSources(citationsOf(parts), textOf(parts, "text"), warn);
  return {
    status: 200,
    body: {
      candidates: [encodeCandidate(content, { ...sources, finishReason: reason }, token)],
      ...(usage && { usageMetadata: encodeGeminiUsage(usage) }),
      ...encodeGeminiHead(head),
      fullstop: toPortableSignal(signal),
    },
  };
}

/** What every chunk says of the answer it belongs to. */
export function encodeGeminiHead({ id, model }: AnswerHead): JsonRecord {
  return { modelVersion: model, responseId: id };
}

/** What a candidate says at its end beside its parts: why it has ended, and what is from where. */
export interface CandidateEnding extends JsonRecord {
  readonly finishReason: string;
}

/** A candidate with some parts; the last has the ending, and with it the token by which the answer goes on. */
export function encodeCandidate(parts: readonly JsonRecord[], ending?: CandidateEnding, token?: string): JsonRecord {
  const content = { role: "model", parts };
  const isToGoOn = ending?.finishReason === "CONTINUATION" && token !== undefined;
  return { content, ...ending, ...(isToGoOn && encodeContinuation(token)), index: 0 };
}

/** The token that a part stands for, if it is one. */
export function tokenOf(part: AnswerPart): string | undefined {
  return part.type === "opaque" ? readContinuation(part.value) : undefined;
}

function encodePart(part: AnswerPart, warn: Warn): readonly JsonRecord[] {
  switch (part.type) {
    case "text":
      return [{ text: part.text }];
    case "reasoning":
      return [{ text: part.text, thought: true, ...encodeProof(part) }];
    case "tool-call":
      return encodeCall(part, warn);
    default:
      return tokenOf(part) === undefined ? [part.value] : [];
  }
}

/** The field for the proof of a part. Only a wrapped proof can say that the thinking is withheld. */
export function encodeProof(part: AnswerPart): JsonRecord {
  const { type, signature, signedBy } = part;
  if (signature === undefined) return {};
  const isRedacted = type === "reasoning" && part.isRedacted;
  return { thoughtSignature: wrapSignature(signature, signedBy, "gemini", isRedacted) };
}

/** A complete call as a part; nothing for one that has no arguments Gemini could hold. */
export function encodeCall(call: ToolCallPart, warn: Warn): readonly JsonRecord[] {
  const { callId, name, text, isClosed } = call;
  if (!isClosed) {
    warnOfCutCall(warn);
    return [];
  }
  const args = parseArguments(text);
  if (args === undefined) {
    warn("toolCalls", "A tool call whose arguments are no JSON object was left out");
    return [];
  }
  return [{ functionCall: { id: callId, name, args }, ...encodeProof(call) }];
}

/** Warns of a call without an end: half a call cannot be said in Gemini. */
export function warnOfCutCall(warn: Warn): void {
  warn("toolCalls", "A tool call that was cut was left out");
}
