import type { AssistantMessage, ImagePart, Message, ToolCallPart, ToolMessage } from "../../request.ts";
import { parseArguments } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { toolNamesOf, warnOfCallSignature } from "../requests/calls.ts";
import { checkConversation } from "../requests/messages.ts";
import type { UserPart } from "../requests/messages.ts";
import { warnOfFailure } from "../requests/openai.ts";
import { encodeOpaque } from "../requests/opaque.ts";
import { unlessNone, withoutAbsent } from "../requests/values.ts";
import type { RequestWarnings } from "../requests/warnings.ts";

/** Writes messages as those of Ollama's chat route: each is one text, with its images and calls beside it. */
export function encodeMessages(messages: readonly Message[], warnings: RequestWarnings): readonly JsonRecord[] {
  checkConversation(messages, messages);
  const toolNames = toolNamesOf(messages);
  return messages.map((message, index) => {
    const path = `messages[${index}]`;
    if (message.role === "assistant") return encodeAssistant(message, path, warnings);
    const said = encodeContent(message.content, path, warnings);
    if (message.role !== "tool") return { role: message.role, ...said };
    return encodeToolResult(message, said, path, toolNames, warnings);
  });
}

function encodeContent(content: readonly UserPart[], path: string, warnings: RequestWarnings): JsonRecord {
  const texts: string[] = [];
  const images: string[] = [];
  for (const [index, part] of content.entries()) {
    const at = `${path}.content[${index}]`;
    if (part.type === "text") {
      if (texts.length > 0) warnings.add(at, "The dialect takes one text from a message; it was added to the first.");
      texts.push(part.text);
    } else if (part.type === "opaque") {
      encodeOpaque(part, "ollama-chat", at, warnings);
    } else {
      images.push(...encodeImage(part, at, warnings));
    }
  }
  return withoutAbsent({ content: texts.join("\n"), images: unlessNone(images) });
}

function encodeImage({ source, detail }: ImagePart, path: string, warnings: RequestWarnings): readonly string[] {
  if (source.type !== "data") {
    warnings.add(path, "The dialect takes images that are in the request only; it was left out.");
    return [];
  }
  if (detail !== undefined && detail !== "auto") {
    warnings.add(`${path}.detail`, "The dialect cannot say how closely to look at an image; it was left out.");
  }
  return [source.data];
}

function encodeAssistant({ content }: AssistantMessage, path: string, warnings: RequestWarnings): JsonRecord {
  const texts: string[] = [];
  const thoughts: string[] = [];
  const calls: JsonRecord[] = [];
  for (const [index, part] of content.entries()) {
    const at = `${path}.content[${index}]`;
    switch (part.type) {
      case "text":
        if (calls.length > 0) warnings.add(at, "A text after a tool call was moved before it.");
        texts.push(part.text);
        break;
      case "reasoning":
        if (part.text === "") warnings.add(at, "The dialect takes no such thinking back; it was left out.");
        else thoughts.push(part.text);
        if (part.text !== "" && part.signature !== undefined) {
          warnings.add(`${at}.signature`, "The dialect has no place for a signature on thinking; it was left out.");
        }
        break;
      case "opaque":
        // The dialect has no parts of its own that an answer could hold.
        encodeOpaque(part, "ollama-chat", at, warnings);
        break;
      case "tool-call":
        calls.push(encodeCall(part, at, warnings));
        break;
    }
  }
  return withoutAbsent({
    role: "assistant",
    // What a model has written piece by piece is one text: nothing stood between the pieces.
    content: texts.join(""),
    thinking: thoughts.length === 0 ? undefined : thoughts.join("\n\n"),
    tool_calls: unlessNone(calls),
  });
}

function encodeCall(
  { callId, name, json, signature }: ToolCallPart,
  path: string,
  warnings: RequestWarnings,
): JsonRecord {
  warnOfCallSignature(signature, path, warnings);
  const input = parseArguments(json);
  if (input === undefined) warnings.add(`${path}.json`, "The arguments are no JSON object; an empty one was sent.");
  return { id: callId, function: { name, arguments: input ?? {} } };
}

/** Models know the tool's name, newer servers the id of the call as well. */
function encodeToolResult(
  message: ToolMessage,
  said: JsonRecord,
  path: string,
  toolNames: ReadonlyMap<string, string>,
  warnings: RequestWarnings,
): JsonRecord {
  warnOfFailure(message, path, warnings);
  const name = message.name ?? toolNames.get(message.callId);
  return withoutAbsent({ role: "tool", ...said, tool_name: name, tool_call_id: message.callId });
}
