import type { AssistantMessage, Message, ReasoningPart, TextPart, ToolCallPart, ToolMessage } from "../../request.ts";
import type { JsonRecord } from "../json.ts";
import { argumentsText, toolNamesOf, warnOfCallSignature, warnOfToolName } from "../requests/calls.ts";
import { isElsewhere } from "../requests/files.ts";
import { checkConversation } from "../requests/messages.ts";
import type { UserPart } from "../requests/messages.ts";
import { warnOfFailure, warnOfImage, writeImageUrl } from "../requests/openai.ts";
import { nativeSetting, withNative } from "../requests/native.ts";
import { encodeOpaque } from "../requests/opaque.ts";
import { ownSignature } from "../requests/signatures.ts";
import { textCallsOf } from "../requests/text-tools.ts";
import type { TextCalls } from "../requests/text-tools.ts";
import { writeContent } from "../requests/values.ts";
import type { RequestWarnings } from "../requests/warnings.ts";
import { isInGroup } from "./tool-groups.ts";

/** What is said and done in a Responses request. */
export interface EncodedMessages {
  readonly instructions: string | undefined;
  readonly input: readonly JsonRecord[];
}

/** What the items of a provider may be beside those that everybody understands. */
export interface ItemVariant {
  readonly textTools: boolean;
}

/** Writes messages as the instructions and the input of a Responses request. */
export function encodeMessages(
  messages: readonly Message[],
  { textTools }: ItemVariant,
  warnings: RequestWarnings,
): EncodedMessages {
  const toolNames = toolNamesOf(messages);
  // Groups are sent as they are, with tools that take text in them, and so are the calls of those.
  const textCalls = textCallsOf(messages, (call) => textTools || isInGroup(call));
  const instructions = instructionsOf(messages);
  const input = messages.flatMap((message, index): readonly JsonRecord[] => {
    const path = `messages[${index}]`;
    const { role } = message;
    if (role === "assistant") return encodeAssistant(message, path, textCalls, warnings);
    if (role === "tool") {
      warnOfToolName(message, path, toolNames, warnings);
      return [encodeToolResult(message, path, textCalls, warnings)];
    }
    if (index === 0 && instructions !== undefined) return [];
    return [{ type: "message", role, content: encodeUserContent(message.content, path, warnings) }];
  });
  checkConversation(input, messages);
  return { instructions, input };
}

/** The first message where it is a plain text for the system. Alone it is not: a request needs some input. */
function instructionsOf([first, ...others]: readonly Message[]): string | undefined {
  if (first?.role !== "system" || others.length === 0) return undefined;
  const content = writeContent(first.content, encodeInputText);
  return typeof content === "string" && content !== "" ? content : undefined;
}

function encodeInputText(part: TextPart): JsonRecord {
  return withNative({ type: "input_text", text: part.text }, part, "openai-responses");
}

function encodeOutputText(part: TextPart): JsonRecord {
  return withNative({ type: "output_text", text: part.text }, part, "openai-responses");
}

function encodeUserContent(content: readonly UserPart[], path: string, warnings: RequestWarnings): unknown {
  return writeContent(content, (part, index) => {
    if (part.type === "text") return encodeInputText(part);
    const partPath = `${path}.content[${index}]`;
    if (part.type === "opaque") return encodeOpaque(part, "openai-responses", partPath, warnings)[0];
    const { source, detail = "auto" } = part;
    if (isElsewhere(source, "openai-responses", partPath, warnings)) return undefined;
    warnOfImage(part, partPath, warnings);
    const where = source.type === "file" ? { file_id: source.id } : { image_url: writeImageUrl(source) };
    return withNative({ type: "input_image", ...where, detail }, part, "openai-responses");
  });
}

/** Each call and each thought is an item of its own; texts that follow each other are one message. */
function encodeAssistant(
  { content }: AssistantMessage,
  path: string,
  textCalls: TextCalls,
  warnings: RequestWarnings,
): JsonRecord[] {
  const items: JsonRecord[] = [];
  let texts: TextPart[] = [];
  const closeMessage = (): void => {
    const message = { type: "message", role: "assistant", content: writeContent(texts, encodeOutputText) };
    if (texts.length > 0 || content.length === 0) items.push(message);
    texts = [];
  };
  for (const [index, part] of content.entries()) {
    const partPath = `${path}.content[${index}]`;
    switch (part.type) {
      case "text":
        texts.push(part);
        break;
      case "reasoning":
        closeMessage();
        items.push(...encodeReasoning(part, partPath, warnings));
        break;
      case "opaque":
        closeMessage();
        items.push(...encodeOpaque(part, "openai-responses", partPath, warnings));
        break;
      case "tool-call":
        closeMessage();
        warnOfCallSignature(part.signature, partPath, warnings);
        items.push(encodeCall(part, textCalls));
        break;
    }
  }
  closeMessage();
  return items;
}

function encodeCall(part: ToolCallPart, textCalls: TextCalls): JsonRecord {
  const { callId, json } = part;
  // One of a tool in a group has its own name beside the one that others know it by.
  const name = nativeSetting(part, "openai-responses", "name") ?? part.name;
  const input = textCalls.get(callId);
  if (input !== undefined) {
    return withNative({ type: "custom_tool_call", call_id: callId, name, input }, part, "openai-responses");
  }
  const call = { type: "function_call", call_id: callId, name, arguments: argumentsText(json) };
  return withNative(call, part, "openai-responses");
}

/** The provider takes thinking back with its own proof only; what it has kept itself is not referred to. */
function encodeReasoning(part: ReasoningPart, path: string, warnings: RequestWarnings): readonly JsonRecord[] {
  const { text, redacted } = part;
  const signature = ownSignature(part, "openai-responses");
  if (signature === undefined) {
    warnings.add(path, "The dialect takes no thinking without a signature of its own provider; it was left out.");
    return [];
  }
  if (redacted === true) {
    warnings.add(`${path}.redacted`, "The dialect does not tell thinking that is withheld from thinking unseen.");
  }
  const summary = text === "" ? [] : [{ type: "summary_text", text }];
  return [{ type: "reasoning", summary, encrypted_content: signature }];
}

function encodeToolResult(
  message: ToolMessage,
  path: string,
  textCalls: TextCalls,
  warnings: RequestWarnings,
): JsonRecord {
  warnOfFailure(message, path, warnings);
  const { callId } = message;
  const output = encodeUserContent(message.content, path, warnings);
  const type = textCalls.has(callId) ? "custom_tool_call_output" : "function_call_output";
  return withNative({ type, call_id: callId, output }, message, "openai-responses");
}
