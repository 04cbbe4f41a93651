import type { GenerationEvent } from "../../events.ts";
import { collectAnswer } from "../writing/whole-answer.ts";
import { parseArguments } from "../json.ts";
import { sayFinish, toPortableSignal } from "../writing/finish.ts";
import { warnOfError, warnOfSignature } from "../writing/losses.ts";
import { createWarn } from "../writing/options.ts";
import type { Warn } from "../writing/options.ts";
import type { AnswerPart, ReasoningPart, ToolCallPart } from "../writing/parts.ts";
import type { EncodedResponse, EncodeOptions } from "../format.ts";
import type { JsonRecord } from "../json.ts";
import { wrapSignature } from "../signatures.ts";
import { encodeCitation } from "./encode-citations.ts";
import { encodeAnthropicMessagesError } from "./encode-error.ts";
import { encodeAnthropicMessagesUsage } from "./encode-usage.ts";
import { encodeStop } from "./ending.ts";
import { toAnthropicStop } from "./finish.ts";

/** Writes events as a whole message, or as an error body with its status. */
export function encodeAnthropicMessagesResponse(
  events: Iterable<GenerationEvent>,
  options: EncodeOptions = {},
): EncodedResponse {
  const warn = createWarn(options);
  const { head, parts, usage, signal } = collectAnswer("anthropic-messages", events, options, warn);
  const reason = sayFinish(toAnthropicStop(signal), warn);
  if (reason === undefined) {
    warnOfError(warn, parts, usage);
    return encodeAnthropicMessagesError(signal);
  }
  return {
    status: 200,
    body: {
      id: head.id,
      type: "message",
      role: "assistant",
      model: head.model,
      content: parts.map((part) => encodeBlock(part, warn)),
      ...encodeStop(reason, signal),
      usage: encodeAnthropicMessagesUsage(usage),
      fullstop: toPortableSignal(signal),
    },
  };
}

function encodeBlock(part: AnswerPart, warn: Warn): JsonRecord {
  switch (part.type) {
    case "text": {
      const citations = part.citations.flatMap((citation) => encodeCitation(citation, warn));
      return { type: "text", text: part.text, ...(citations.length > 0 && { citations }) };
    }
    case "tool-call":
      warnOfSignature(warn, part);
      return {
        ...part.native?.fields,
        type: "tool_use",
        id: part.callId,
        name: part.name,
        input: encodeInput(part, warn),
      };
    case "reasoning":
      return part.isRedacted
        ? { type: "redacted_thinking", data: encodeProof(part) }
        : { type: "thinking", thinking: part.text, signature: encodeProof(part) };
    default:
      return part.value;
  }
}

/** The proof of a thought as a client gets it; an empty one where there is none. */
export function encodeProof({ signature = "", signedBy }: ReasoningPart): string {
  return wrapSignature(signature, signedBy, "anthropic-messages");
}

/**
 * Arguments that are cut or no object stay the text that they are: an object would make them a call that can be run,
 * and an empty one a call nobody made.
 */
function encodeInput({ text, isClosed }: ToolCallPart, warn: Warn): JsonRecord | string {
  const input = isClosed ? parseArguments(text) : undefined;
  if (input === undefined) warn("toolCalls", "Arguments that are no whole JSON object are written as text");
  return input ?? text;
}
