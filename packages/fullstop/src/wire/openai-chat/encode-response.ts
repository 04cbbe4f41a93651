import type { GenerationEvent } from "../../events.ts";
import { collectAnswer, textOf } from "../writing/whole-answer.ts";
import { sayFinish, toPortableSignal } from "../writing/finish.ts";
import { warnOfError, warnOfSignature } from "../writing/losses.ts";
import { createWarn } from "../writing/options.ts";
import type { AnswerPart } from "../writing/parts.ts";
import type { EncodedResponse, EncodeOptions } from "../format.ts";
import type { JsonRecord } from "../json.ts";
import { encodeOpenaiChatError } from "./encode-error.ts";
import { encodeOpenaiChatUsage } from "./encode-usage.ts";
import { toChatFinish } from "./finish.ts";

/** Writes events as a whole chat completion, or as an error body with its status. */
export function encodeOpenaiChatResponse(
  events: Iterable<GenerationEvent>,
  options: EncodeOptions = {},
): EncodedResponse {
  const warn = createWarn(options);
  const { head, parts, usage, signal } = collectAnswer(events, options, warn);
  const reason = sayFinish(toChatFinish(signal), warn);
  if (reason === undefined) {
    warnOfError(warn, parts, usage);
    return encodeOpenaiChatError(signal);
  }
  for (const part of parts) warnOfSignature(warn, part);
  const choice = { index: 0, message: encodeMessage(parts), logprobs: null, finish_reason: reason };
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

function encodeMessage(parts: readonly AnswerPart[]): JsonRecord {
  const text = textOf(parts, "text");
  const reasoning = textOf(parts, "reasoning");
  const calls = parts.filter((part) => part.type === "tool-call");
  const toolCalls = calls.map(({ callId, name, text: json }) => ({
    id: callId,
    type: "function",
    function: { name, arguments: json },
  }));
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: toolCalls }),
  };
}
