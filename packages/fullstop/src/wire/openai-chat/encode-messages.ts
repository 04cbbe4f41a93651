import type { AssistantMessage, Message, TextPart, ToolCallPart, ToolMessage } from "../../request.ts";
import type { JsonRecord } from "../json.ts";
import { toolNamesOf, warnOfCallSignature, warnOfToolName } from "../requests/calls.ts";
import type { UserPart } from "../requests/messages.ts";
import { warnOfFailure, warnOfImage, writeImageUrl } from "../requests/openai.ts";
import { encodeOpaque } from "../requests/opaque.ts";
import { withoutAbsent, writeContent } from "../requests/values.ts";
import type { RequestWarnings } from "../requests/warnings.ts";

/** Writes messages as those of a Chat Completions request. */
export function encodeMessages(messages: readonly Message[], warnings: RequestWarnings): readonly JsonRecord[] {
  const toolNames = toolNamesOf(messages);
  return messages.map((message, index) => {
    const path = `messages[${index}]`;
    if (message.role === "assistant") return encodeAssistant(message, path, warnings);
    if (message.role === "tool") {
      warnOfToolName(message, path, toolNames, warnings);
      return encodeToolResult(message, path, warnings);
    }
    const content = writeContent<UserPart>(message.content, (part, at) =>
      encodeUserPart(part, `${path}.content[${at}]`, warnings),
    );
    return { role: message.role, content };
  });
}

function encodeText({ text }: TextPart): JsonRecord {
  return { type: "text", text };
}

function encodeUserPart(part: UserPart, path: string, warnings: RequestWarnings): JsonRecord | undefined {
  if (part.type === "text") return encodeText(part);
  const url = writeImageUrl(part.source);
  if (url === undefined) {
    warnings.add(path, "The dialect takes no image from a file store; it was left out.");
    return undefined;
  }
  warnOfImage(part, path, warnings);
  return { type: "image_url", image_url: withoutAbsent({ url, detail: part.detail }) };
}

function encodeAssistant({ content }: AssistantMessage, path: string, warnings: RequestWarnings): JsonRecord {
  const texts: TextPart[] = [];
  const calls: ToolCallPart[] = [];
  for (const [index, part] of content.entries()) {
    const partPath = `${path}.content[${index}]`;
    switch (part.type) {
      case "text":
        if (calls.length > 0) warnings.add(partPath, "A text after a tool call was moved before it.");
        texts.push(part);
        break;
      case "reasoning":
        warnings.add(partPath, "The dialect takes no thinking back; it was left out.");
        break;
      case "opaque":
        // The dialect has no parts of its own that an answer could hold.
        encodeOpaque(part, "openai-chat", partPath, warnings);
        break;
      case "tool-call":
        warnOfCallSignature(part.signature, partPath, warnings);
        calls.push(part);
        break;
    }
  }
  const written = writeContent(texts, encodeText);
  if (calls.length === 0) return { role: "assistant", content: written };
  return { role: "assistant", content: texts.length === 0 ? null : written, tool_calls: calls.map(encodeCall) };
}

function encodeCall({ callId, name, json }: ToolCallPart): JsonRecord {
  return { id: callId, type: "function", function: { name, arguments: json } };
}

function encodeToolResult(message: ToolMessage, path: string, warnings: RequestWarnings): JsonRecord {
  warnOfFailure(message, path, warnings);
  const content = writeContent(message.content, (part, index) => {
    if (part.type === "text") return encodeText(part);
    warnings.add(`${path}.content[${index}]`, "The dialect takes no image from a tool; it was left out.");
    return undefined;
  });
  return { role: "tool", tool_call_id: message.callId, content };
}
