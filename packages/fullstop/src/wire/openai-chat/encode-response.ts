import type { GenerationEvent } from "../../events.ts";
import { citationsOf } from "../writing/citations.ts";
import { collectAnswer, textOf } from "../writing/whole-answer.ts";
import { sayFinish, toPortableSignal } from "../writing/finish.ts";
import { warnOfError, warnOfOpaque, warnOfSignature } from "../writing/losses.ts";
import { createWarn } from "../writing/options.ts";
import type { Warn } from "../writing/options.ts";
import type { AnswerPart, ToolCallPart } from "../writing/parts.ts";
import type { EncodedResponse, EncodeOptions } from "../format.ts";
import type { JsonRecord } from "../json.ts";
import { encodeAnnotation } from "./encode-citations.ts";
import { encodeOpenaiChatError } from "./encode-error.ts";
import { encodeOpenaiChatUsage } from "./encode-usage.ts";
import { toChatFinish } from "./finish.ts";
import { encodeDetails } from "./reasoning-details.ts";

/** Writes events as a whole chat completion, or as an error body with its status. */
export function encodeOpenaiChatResponse(
  events: Iterable<GenerationEvent>,
  options: EncodeOptions = {},
): EncodedResponse {
  const warn = createWarn(options);
  const { head, parts, usage, signal } = collectAnswer("openai-chat", events, options, warn);
  const reason = sayFinish(toChatFinish(signal), warn);
  if (reason === undefined) {
    warnOfError(warn, parts, usage);
    return encodeOpenaiChatError(signal);
  }
  if (parts.some(({ type }) => type === "opaque")) warnOfOpaque(warn);
  const choice = { index: 0, message: encodeMessage(parts, warn), logprobs: null, finish_reason: reason };
  return {
    status: 200,
    body: {
      id: head.id,
      object: "chat.completion",
      created: head.created,
      model: head.model,
      choices: [choice],
      ...(usage && { usage: encodeOpenaiChatUsage(usage) }),
      fullstop: toPortableSignal(signal),
    },
  };
}

function encodeMessage(parts: readonly AnswerPart[], warn: Warn): JsonRecord {
  const text = textOf(parts, "text");
  const reasoning = textOf(parts, "reasoning");
  const details = parts.flatMap((part) => (part.type === "reasoning" ? encodeDetails(part, warn) : []));
  const calls = parts.flatMap((part) => {
    if (part.type !== "tool-call") return [];
    const proof = encodeCallProof(part, warn);
    return [{ id: part.callId, ...encodeCalled(part, part.text), ...proof }];
  });
  const annotations = citationsOf(parts).flatMap((citation) => encodeAnnotation(citation, warn));
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(annotations.length > 0 && { annotations }),
  };
}

/** What is called, a function or a tool that takes plain text, and with what. */
export function encodeCalled({ isText, name }: Pick<ToolCallPart, "isText" | "name">, text: string): JsonRecord {
  return isText
    ? { type: "custom", custom: { name, input: text } }
    : { type: "function", function: { name, arguments: text } };
}

/** Gemini's proof for a call, where Google's own servers of Chat have it. There is no place for any other. */
export function encodeCallProof(part: AnswerPart, warn: Warn): JsonRecord | undefined {
  const { type, signature, signedBy } = part;
  if (type === "tool-call" && signature !== undefined && signedBy === "gemini") {
    return { extra_content: { google: { thought_signature: signature } } };
  }
  warnOfSignature(warn, part);
  return undefined;
}
