import type { WithNative } from "../../native-fields.ts";
import type { ImageSource, Message, SystemMessage, TextPart, ToolMessage } from "../../request.ts";
import { parseArguments } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { toolNamesOf, warnOfCallSignature, warnOfToolName } from "../requests/calls.ts";
import { isElsewhere } from "../requests/files.ts";
import { checkConversation, separateSystem, warnOfEmptyMessage, withoutEmptyTexts } from "../requests/messages.ts";
import type { AssistantPart, Placed, UserPart } from "../requests/messages.ts";
import { withNative } from "../requests/native.ts";
import { encodeOpaque } from "../requests/opaque.ts";
import { ownSignature } from "../requests/signatures.ts";
import { unlessNone, withoutAbsent } from "../requests/values.ts";
import type { RequestWarnings } from "../requests/warnings.ts";

/** What is said and done in a Messages request. */
export interface EncodedMessages {
  readonly system: readonly JsonRecord[] | undefined;
  readonly messages: readonly JsonRecord[];
}

/** A turn that is being written. Results of tools have to come first in it. */
interface Turn extends WithNative {
  readonly role: string;
  readonly results: JsonRecord[];
  readonly blocks: JsonRecord[];
}

/** Writes messages as the system prompt and the turns of a Messages request, in which the roles alternate. */
export function encodeMessages(messages: readonly Message[], warnings: RequestWarnings): EncodedMessages {
  const toolNames = toolNamesOf(messages);
  const { system, turns } = separateSystem(messages, warnings, { isEmpty: isBlank, isKept: isWithinConversation });
  const written: Turn[] = [];
  for (const turn of turns) {
    if (turn.value.role === "tool") warnOfToolName(turn.value, turn.path, toolNames, warnings);
    const { role, results, blocks, native } = encodeTurn(turn, warnings);
    if (results.length === 0 && blocks.length === 0 && native === undefined) {
      warnOfEmptyMessage(turn, warnings);
      continue;
    }
    const last = written.at(-1);
    if (last?.role !== role || role === "system") {
      written.push({ role, results: [...results], blocks: [...blocks], native });
      continue;
    }
    if (results.length > 0 && last.blocks.length > 0) {
      warnings.add(turn.path, "The result was moved before what the user says, because it has to follow its call.");
    }
    for (const result of results) last.results.push(result);
    for (const block of blocks) last.blocks.push(block);
  }
  checkConversation(written, messages);
  const end = written.findLastIndex(({ role }) => role !== "system");
  for (const { blocks } of written.slice(0, Math.max(0, end))) dropDangling(blocks, warnings);
  return {
    system: unlessNone(system.map(encodeText)),
    messages: written.map((turn) => {
      const content = [...turn.results, ...turn.blocks];
      const message = { role: turn.role, ...(content.length > 0 && { content }) };
      return withNative(message, turn, "anthropic-messages");
    }),
  };
}

/**
 * Whether instructions were read from within a conversation of this dialect. Those of other dialects go before it,
 * because older models take none in it.
 */
function isWithinConversation({ native }: SystemMessage): boolean {
  return native?.format === "anthropic-messages";
}

function encodeText(part: TextPart): JsonRecord {
  return withNative({ type: "text", text: part.text }, part, "anthropic-messages");
}

/** The provider refuses texts without a letter in them. */
function isBlank(text: string): boolean {
  return text.trim() === "";
}

/**
 * A tool that the provider has begun to run itself, and whose result never came, is refused anywhere but at the end,
 * behind which only instructions may stand.
 */
function dropDangling(blocks: JsonRecord[], warnings: RequestWarnings): void {
  const answered = new Set(blocks.map((block) => block["tool_use_id"]));
  const whole = blocks.filter((block) => block["type"] !== "server_tool_use" || answered.has(block["id"]));
  if (whole.length === blocks.length || whole.length === 0) return;
  warnings.add("messages", "A tool of the provider's own without its result was left out.");
  blocks.splice(0, blocks.length, ...whole);
}

function encodeTurn(
  { value, path }: Placed<Message>,
  warnings: RequestWarnings,
): { readonly [Key in keyof Turn]: Readonly<Turn[Key]> } {
  if (value.role === "tool") {
    return { role: "user", results: [encodeToolResult(value, path, warnings)], blocks: [] };
  }
  if (value.role === "user") return { role: "user", results: [], blocks: encodeSaid(value.content, path, warnings) };
  if (value.role === "system") {
    const texts = withoutEmptyTexts(value.content, path, warnings, isBlank);
    const native = Object.keys(value.native?.fields ?? {}).length === 0 ? undefined : value.native;
    return { role: "system", results: [], blocks: texts.map((text) => encodeText(text.value)), native };
  }
  const parts = withoutEmptyTexts(value.content, path, warnings, isBlank);
  const blocks = parts.flatMap((part) => encodeAssistantPart(part, warnings));
  return { role: "assistant", results: [], blocks };
}

function encodeSaid(content: readonly UserPart[], path: string, warnings: RequestWarnings): readonly JsonRecord[] {
  return withoutEmptyTexts(content, path, warnings, isBlank).flatMap(
    ({ value: part, path: partPath }): readonly JsonRecord[] => {
      if (part.type === "text") return [encodeText(part)];
      if (part.type === "opaque") return encodeOpaque(part, "anthropic-messages", partPath, warnings);
      if (isElsewhere(part.source, "anthropic-messages", partPath, warnings)) return [];
      for (const name of ["detail", "mediaType"] as const) {
        if (part[name] !== undefined) warnings.add(`${partPath}.${name}`, "The dialect cannot say this of an image.");
      }
      return [withNative({ type: "image", source: encodeImageSource(part.source) }, part, "anthropic-messages")];
    },
  );
}

function encodeImageSource(source: ImageSource): JsonRecord {
  if (source.type === "url") return { type: "url", url: source.url };
  if (source.type === "file") return { type: "file", file_id: source.id };
  return { type: "base64", media_type: source.mediaType, data: source.data };
}

function encodeToolResult(message: ToolMessage, path: string, warnings: RequestWarnings): JsonRecord {
  const result = withoutAbsent({
    type: "tool_result",
    tool_use_id: message.callId,
    content: unlessNone(encodeSaid(message.content, path, warnings)),
    is_error: message.isError,
  });
  return withNative(result, message, "anthropic-messages");
}

function encodeAssistantPart(
  { value: part, path }: Placed<AssistantPart>,
  warnings: RequestWarnings,
): readonly JsonRecord[] {
  if (part.type === "text") return [encodeText(part)];
  if (part.type === "opaque") return encodeOpaque(part, "anthropic-messages", path, warnings);
  if (part.type === "tool-call") {
    warnOfCallSignature(part.signature, path, warnings);
    const input = parseArguments(part.json);
    if (input === undefined) {
      warnings.add(`${path}.json`, "The arguments are no JSON object; an empty one was sent.");
    }
    const call = { type: "tool_use", id: part.callId, name: part.name, input: input ?? {} };
    return [withNative(call, part, "anthropic-messages")];
  }
  const { text, redacted } = part;
  const signature = ownSignature(part, "anthropic-messages");
  if (signature === undefined) {
    warnings.add(path, "The dialect takes no thinking without a signature of its own provider; it was left out.");
    return [];
  }
  return [
    redacted === true
      ? { type: "redacted_thinking", data: signature }
      : { type: "thinking", thinking: text, signature },
  ];
}
