import type { AssistantMessage, Message, ReasoningPart, TextPart, ToolCallPart, ToolMessage } from "../../request.ts";
import { listOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { argumentsText, toolNamesOf, warnOfCallSignature, warnOfToolName } from "../requests/calls.ts";
import { checkConversation } from "../requests/messages.ts";
import type { AssistantPart, Placed, UserPart } from "../requests/messages.ts";
import { warnOfFailure, warnOfImage, writeImageUrl } from "../requests/openai.ts";
import { withNative } from "../requests/native.ts";
import { encodeOpaque } from "../requests/opaque.ts";
import { isSame } from "../requests/plain-values.ts";
import { ownSignature, warnOfForeignSignature } from "../requests/signatures.ts";
import { inputIn } from "../requests/text-tools.ts";
import { withoutAbsent, writeContent } from "../requests/values.ts";
import type { RequestWarnings } from "../requests/warnings.ts";
import { encodeCalled } from "./encode-response.ts";
import { parseDetails } from "./reasoning-details.ts";

/** What the messages of a provider may hold beside those of OpenAI. */
export interface MessageVariant {
  readonly reasoningField?: string | undefined;
  readonly reasoningDetails?: boolean | undefined;
  readonly textTools?: boolean | undefined;
  readonly thoughtSignatures?: boolean | undefined;
  readonly toolTexts?: "list" | "string" | undefined;
}

/** A message as it is written, or the parts of those of the model that have to be one. */
type Turn = Placed<Exclude<Message, AssistantMessage>> | AssistantTurn;

interface AssistantTurn {
  readonly path: string;
  readonly parts: readonly Placed<AssistantPart>[];
  /** The messages that the parts are from. */
  readonly messages: readonly AssistantMessage[];
}

/** Writes messages as those of a Chat Completions request. */
export function encodeMessages(
  messages: readonly Message[],
  variant: MessageVariant,
  warnings: RequestWarnings,
): readonly JsonRecord[] {
  const toolNames = toolNamesOf(messages);
  const written = joinCalls(messages).flatMap((turn): readonly JsonRecord[] => {
    if ("parts" in turn) return encodeTurn(turn, variant, warnings);
    const { value: message, path } = turn;
    if (message.role === "tool") {
      warnOfToolName(message, path, toolNames, warnings);
      return [encodeToolResult(message, path, variant, warnings)];
    }
    const content = writeContent<UserPart>(message.content, (part, at) =>
      encodeUserPart(part, `${path}.content[${at}]`, warnings),
    );
    return [withNative({ role: message.role, content }, message, "openai-chat")];
  });
  checkConversation(written, messages);
  return written;
}

/** A turn of the model, unless nothing is left of it: many servers refuse a request with such a message. */
function encodeTurn(turn: AssistantTurn, variant: MessageVariant, warnings: RequestWarnings): readonly JsonRecord[] {
  const said = encodeAssistant(turn.parts, variant, warnings);
  const written = turn.messages.reduce((all, message) => withNative(all, message, "openai-chat"), said);
  const { role: _, content, ...others } = written;
  if (!isNothing(content) || Object.keys(others).length > 0) return [written];
  // Of anything but texts it was said already that it was left out.
  const isSilent = turn.parts.every(({ value }) => value.type === "text");
  if (isSilent) warnings.add(turn.path, "Many servers take no message without content; it was left out.");
  return [];
}

/** Whether a content has not a letter in it, and nothing that only the dialect says. */
function isNothing(content: unknown): boolean {
  if (!Array.isArray(content)) return content === "";
  return listOf(content).every((part) => isSame(part, { type: "text", text: "" }));
}

/** Results have to follow their calls at once, so whatever the model goes on to say belongs into the same message. */
function joinCalls(messages: readonly Message[]): readonly Turn[] {
  const turns: Turn[] = [];
  let calling: { readonly parts: Placed<AssistantPart>[]; readonly messages: AssistantMessage[] } | undefined;
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`;
    if (message.role !== "assistant") {
      calling = undefined;
      turns.push({ value: message, path });
      continue;
    }
    const parts = message.content.map((value, at) => ({ value, path: `${path}.content[${at}]` }));
    if (calling !== undefined) {
      for (const part of parts) calling.parts.push(part);
      calling.messages.push(message);
      continue;
    }
    const turn = { path, parts, messages: [message] };
    turns.push(turn);
    calling = message.content.some(({ type }) => type === "tool-call") ? turn : undefined;
  }
  return turns;
}

function encodeText(part: TextPart): JsonRecord {
  return withNative({ type: "text", text: part.text }, part, "openai-chat");
}

function encodeUserPart(part: UserPart, path: string, warnings: RequestWarnings): JsonRecord | undefined {
  if (part.type === "text") return encodeText(part);
  if (part.type === "opaque") return encodeOpaque(part, "openai-chat", path, warnings)[0];
  const url = writeImageUrl(part.source);
  if (url === undefined) {
    warnings.add(path, "The dialect takes no image from a file store; it was left out.");
    return undefined;
  }
  warnOfImage(part, path, warnings);
  const written = { type: "image_url", image_url: withoutAbsent({ url, detail: part.detail }) };
  return withNative(written, part, "openai-chat");
}

function encodeAssistant(
  parts: readonly Placed<AssistantPart>[],
  variant: MessageVariant,
  warnings: RequestWarnings,
): JsonRecord {
  const texts: TextPart[] = [];
  const thoughts: string[] = [];
  const details: JsonRecord[] = [];
  const calls: JsonRecord[] = [];
  for (const { value: part, path } of parts) {
    switch (part.type) {
      case "text":
        if (calls.length > 0) warnings.add(path, "A text after a tool call was moved before it.");
        texts.push(part);
        break;
      case "reasoning": {
        const proof = variant.reasoningDetails === true ? ownDetails(part) : undefined;
        if (proof === undefined) thoughts.push(...encodeReasoning(part, path, variant, warnings));
        else details.push(...proof);
        break;
      }
      case "opaque":
        // The dialect has no parts of its own that an answer could hold.
        encodeOpaque(part, "openai-chat", path, warnings);
        break;
      case "tool-call":
        calls.push(encodeCall(part, path, variant, warnings));
        break;
    }
  }
  const written = writeContent(texts, encodeText);
  return {
    role: "assistant",
    content: texts.length === 0 && calls.length > 0 ? null : written,
    ...encodeThinking(thoughts, details, variant),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** The thinking of a turn. Its details hold all of its text, where there are any. */
function encodeThinking(
  thoughts: readonly string[],
  details: readonly JsonRecord[],
  { reasoningField }: MessageVariant,
): JsonRecord {
  if (details.length > 0) return { reasoning_details: details };
  return reasoningField === undefined || thoughts.length === 0 ? {} : { [reasoningField]: thoughts.join("\n\n") };
}

/** The details of a thought that came in the dialect. */
function ownDetails({ signature, signedBy }: ReasoningPart): readonly JsonRecord[] | undefined {
  return signature !== undefined && signedBy === "openai-chat" ? parseDetails(signature) : undefined;
}

function encodeReasoning(
  { text, signature }: ReasoningPart,
  path: string,
  { reasoningField }: MessageVariant,
  warnings: RequestWarnings,
): readonly string[] {
  if (reasoningField === undefined || text === "") {
    warnings.add(path, "The dialect takes no such thinking back; it was left out.");
    return [];
  }
  if (signature !== undefined) {
    warnings.add(`${path}.signature`, "The dialect has no place for a signature on thinking; it was left out.");
  }
  return [text];
}

/** A proof goes where Google looks for it in this dialect, if it can be one of Google's. */
function encodeCall(
  part: ToolCallPart,
  path: string,
  { textTools, thoughtSignatures }: MessageVariant,
  warnings: RequestWarnings,
): JsonRecord {
  const { callId, name, json, isText } = part;
  const proof = thoughtSignatures === true ? ownSignature(part, "gemini") : undefined;
  if (thoughtSignatures === true) warnOfForeignSignature(part, "gemini", path, warnings);
  else warnOfCallSignature(part.signature, path, warnings);
  const input = textTools === true && isText === true ? inputIn(json) : undefined;
  const call = {
    id: callId,
    ...encodeCalled({ isText: input !== undefined, name }, input ?? argumentsText(json)),
    ...(proof !== undefined && { extra_content: { google: { thought_signature: proof } } }),
  };
  return withNative(call, part, "openai-chat");
}

function encodeToolResult(
  message: ToolMessage,
  path: string,
  { toolTexts }: MessageVariant,
  warnings: RequestWarnings,
): JsonRecord {
  warnOfFailure(message, path, warnings);
  const written = writeContent(message.content, (part, index) => {
    const place = `${path}.content[${index}]`;
    if (part.type !== "image") return encodeUserPart(part, place, warnings);
    warnings.add(place, "The dialect takes no image from a tool; it was left out.");
    return undefined;
  });
  const content = toolTexts === "string" ? inOneText(written) : written;
  return withNative({ role: "tool", tool_call_id: message.callId, content }, message, "openai-chat");
}

/** One text in place of several. What a provider of the dialect has to say about one of them is lost with the list. */
function inOneText(content: string | readonly JsonRecord[]): string | readonly JsonRecord[] {
  if (typeof content === "string" || !content.every(({ type }) => type === "text")) return content;
  return content
    .map(({ text }) => text)
    .filter((text) => text !== "")
    .join("\n\n");
}
