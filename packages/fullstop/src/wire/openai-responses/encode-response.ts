import type { GenerationEvent } from "../../events.ts";
import { collectAnswer } from "../writing/whole-answer.ts";
import type { WholeAnswer } from "../writing/whole-answer.ts";
import { sayFinish, toPortableSignal } from "../writing/finish.ts";
import { warnOfError, warnOfSignature } from "../writing/losses.ts";
import { createWarn } from "../writing/options.ts";
import type { Warn } from "../writing/options.ts";
import type { AnswerHead, AnswerPart, GrowingPart, ReasoningPart, TextPart } from "../writing/parts.ts";
import type { EncodedResponse, EncodeOptions } from "../format.ts";
import type { JsonRecord } from "../json.ts";
import { withNative } from "../requests/native.ts";
import { wrapSignature } from "../signatures.ts";
import { encodeAnnotation } from "./encode-citations.ts";
import { encodeOpenaiResponsesError, encodeOpenaiResponsesErrorBody } from "./encode-error.ts";
import { encodeOpenaiResponsesUsage } from "./encode-usage.ts";
import { toResponseEnding } from "./finish.ts";
import type { ResponseEnding } from "./finish.ts";

/** What a part is in this dialect. */
export type PartKind = "text" | "reasoning" | "function" | "custom";

/** What a part is in this dialect, which has two kinds of calls. */
export function kindOf(part: GrowingPart): PartKind {
  if (part.type !== "tool-call") return part.type;
  return part.isText ? "custom" : "function";
}

/** The state of an item of the output. */
export type ItemStatus = "in_progress" | "completed" | "incomplete";

/**
 * Writes events as a whole response. A failed one keeps what was generated, so its HTTP status is 200 as well; where
 * nothing was, the error has its own status and body, at which clients try again or give up.
 */
export function encodeOpenaiResponsesResponse(
  events: Iterable<GenerationEvent>,
  options: EncodeOptions = {},
): EncodedResponse {
  const warn = createWarn(options);
  const answer = collectAnswer("openai-responses", events, options, warn);
  const ending = sayFinish(toResponseEnding(answer.signal), warn);
  if (ending.status === "failed" && answer.parts.length === 0) {
    warnOfError(warn, [], answer.usage);
    return encodeOpenaiResponsesErrorBody(answer.signal);
  }
  for (const part of answer.parts) if (part.type === "tool-call") warnOfSignature(warn, part);
  return { status: 200, body: encodeEndedResponse(answer, ending, warn) };
}

/** The response object of an answer that has ended. */
export function encodeEndedResponse(answer: WholeAnswer, ending: ResponseEnding, warn: Warn): JsonRecord {
  const { head, parts, usage, signal } = answer;
  const { status, incompleteReason } = ending;
  return {
    ...encodeResponseHead(head, status),
    error: status === "failed" ? encodeOpenaiResponsesError(signal) : null,
    incomplete_details: incompleteReason === undefined ? null : { reason: incompleteReason },
    output: parts.map((part) => encodeItem(head, part, toItemStatus(part, ending), warn)),
    usage: usage === undefined ? null : encodeOpenaiResponsesUsage(usage),
    fullstop: toPortableSignal(signal),
  };
}

/** The response object before anything was generated. What is not repeated of the request is as if it were not said. */
export function encodeResponseHead({ id, model, created, echo }: AnswerHead, status: string): JsonRecord {
  return {
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: "auto",
    tools: [],
    top_p: null,
    ...echo,
    id,
    object: "response",
    created_at: created,
    status,
    error: null,
    incomplete_details: null,
    model,
    output: [],
    usage: null,
  };
}

/** The state of an item at the end: what was still being written is complete only if the response is. */
export function toItemStatus(part: AnswerPart, { status }: ResponseEnding): ItemStatus {
  const isComplete = part.isClosed || (part.type !== "tool-call" && status === "completed");
  return isComplete ? "completed" : "incomplete";
}

/** A part as an item of the output. */
export function encodeItem(head: AnswerHead, part: AnswerPart, status: ItemStatus, warn: Warn): JsonRecord {
  // What is an item already has its own id and state.
  if (part.type === "opaque") return part.value;
  const { text } = part;
  const id = toItemId(head, part);
  switch (part.type) {
    case "text":
      return { id, type: "message", status, role: "assistant", content: text === "" ? [] : [encodeText(part, warn)] };
    case "tool-call": {
      const { callId: call_id, name } = part;
      const call = part.isText
        ? { id, type: "custom_tool_call", status, call_id, name, input: text }
        : { id, type: "function_call", status, arguments: text, call_id, name };
      return withNative(call, part, "openai-responses");
    }
    default:
      return {
        id,
        type: "reasoning",
        status,
        summary: text === "" ? [] : [encodeSummary(text)],
        ...encodeProof(part),
      };
  }
}

/** What there is of the thinking besides its summary. */
function encodeProof({ signature, signedBy }: ReasoningPart): JsonRecord {
  if (signature === undefined) return {};
  return { encrypted_content: wrapSignature(signature, signedBy, "openai-responses") };
}

/** The content of a message item, with what is quoted in it. */
export function encodeText(part: TextPart, warn: Warn): JsonRecord {
  const annotations = part.citations.flatMap((citation) => encodeAnnotation(part, citation, warn));
  return { type: "output_text", annotations, logprobs: [], text: part.text };
}

/** The shown part of a reasoning item. */
export function encodeSummary(text: string): JsonRecord {
  return { type: "summary_text", text };
}

const ID_PREFIXES: Readonly<Record<PartKind, string>> = { text: "msg", reasoning: "rs", function: "fc", custom: "ctc" };

/** The id of an item, of which no two are the same as long as no two responses have the same id. */
export function toItemId(head: AnswerHead, part: GrowingPart): string {
  // There is no other place to say that thinking is withheld, and clients send the id back with the item.
  const mark = part.type === "reasoning" && part.isRedacted ? "_redacted" : "";
  return `${ID_PREFIXES[kindOf(part)]}${mark}_${head.id}_${part.index}`;
}
