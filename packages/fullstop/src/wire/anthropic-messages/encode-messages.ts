import type { ImageSource, Message, ToolMessage } from "../../request.ts";
import { parseArguments } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { toolNamesOf, warnOfCallSignature, warnOfToolName } from "../requests/calls.ts";
import { separateSystem, warnOfEmptyMessage, withoutEmptyTexts } from "../requests/messages.ts";
import type { AssistantPart, Placed, TurnMessage, UserPart } from "../requests/messages.ts";
import { encodeOpaque } from "../requests/opaque.ts";
import { unlessNone, withoutAbsent } from "../requests/values.ts";
import type { RequestWarnings } from "../requests/warnings.ts";

/** What is said and done in a Messages request. */
export interface EncodedMessages {
  readonly system: readonly JsonRecord[] | undefined;
  readonly messages: readonly JsonRecord[];
}

/** Writes messages as the system prompt and the turns of a Messages request, in which the roles alternate. */
export function encodeMessages(messages: readonly Message[], warnings: RequestWarnings): EncodedMessages {
  const toolNames = toolNamesOf(messages);
  const { system, turns } = separateSystem(messages, warnings);
  const written: { readonly role: string; readonly content: JsonRecord[] }[] = [];
  for (const turn of turns) {
    if (turn.value.role === "tool") warnOfToolName(turn.value, turn.path, toolNames, warnings);
    const blocks = encodeTurn(turn, warnings);
    if (blocks.length === 0) {
      warnOfEmptyMessage(turn, warnings);
      continue;
    }
    const role = turn.value.role === "assistant" ? "assistant" : "user";
    const last = written.at(-1);
    if (last?.role !== role) written.push({ role, content: [...blocks] });
    else for (const block of blocks) last.content.push(block);
  }
  return { system: unlessNone(system.map(({ text }) => ({ type: "text", text }))), messages: written };
}

function encodeTurn({ value, path }: Placed<TurnMessage>, warnings: RequestWarnings): readonly JsonRecord[] {
  if (value.role === "tool") return [encodeToolResult(value, path, warnings)];
  if (value.role === "user") return encodeSaid(value.content, path, warnings);
  return withoutEmptyTexts(value.content, path, warnings).flatMap((part) => encodeAssistantPart(part, warnings));
}

function encodeSaid(content: readonly UserPart[], path: string, warnings: RequestWarnings): readonly JsonRecord[] {
  return withoutEmptyTexts(content, path, warnings).map(({ value: part, path: partPath }) => {
    if (part.type === "text") return { type: "text", text: part.text };
    for (const name of ["detail", "mediaType"] as const) {
      if (part[name] !== undefined) warnings.add(`${partPath}.${name}`, "The dialect cannot say this of an image.");
    }
    return { type: "image", source: encodeImageSource(part.source) };
  });
}

function encodeImageSource(source: ImageSource): JsonRecord {
  if (source.type === "url") return { type: "url", url: source.url };
  if (source.type === "file") return { type: "file", file_id: source.id };
  return { type: "base64", media_type: source.mediaType, data: source.data };
}

function encodeToolResult(message: ToolMessage, path: string, warnings: RequestWarnings): JsonRecord {
  return withoutAbsent({
    type: "tool_result",
    tool_use_id: message.callId,
    content: unlessNone(encodeSaid(message.content, path, warnings)),
    is_error: message.isError,
  });
}

function encodeAssistantPart(
  { value: part, path }: Placed<AssistantPart>,
  warnings: RequestWarnings,
): readonly JsonRecord[] {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  if (part.type === "opaque") return encodeOpaque(part, "anthropic-messages", path, warnings);
  if (part.type === "tool-call") {
    warnOfCallSignature(part.signature, path, warnings);
    const input = parseArguments(part.json);
    if (input === undefined) {
      warnings.add(`${path}.json`, "The arguments are no JSON object; an empty one was sent.");
    }
    return [{ type: "tool_use", id: part.callId, name: part.name, input: input ?? {} }];
  }
  const { text, signature, redacted } = part;
  if (signature === undefined) {
    warnings.add(path, "The dialect takes no thinking without its signature; it was left out.");
    return [];
  }
  return [
    redacted === true
      ? { type: "redacted_thinking", data: signature }
      : { type: "thinking", thinking: text, signature },
  ];
}
