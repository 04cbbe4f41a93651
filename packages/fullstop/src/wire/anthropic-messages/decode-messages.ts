import type { ImagePart, ImageSource, Message, SystemMessage, TextPart, ToolMessage } from "../../request.ts";
import { splitResults } from "../requests/messages.ts";
import type { AssistantPart, UserPart } from "../requests/messages.ts";
import { readNative } from "../requests/native.ts";
import { decodeOpaque } from "../requests/opaque.ts";
import type { BodyObject, BodyValue } from "../requests/reader.ts";
import { readConversation } from "../requests/settings.ts";
import { readSignature } from "../requests/signatures.ts";
import { leaveOutType, readContent, withoutAbsent, writeJson } from "../requests/values.ts";
import { withoutForeignCitations } from "./encode-citations.ts";

const ROLES = ["user", "assistant", "system"] as const;

/** Reads the messages of a Messages request. The results of tools become messages of their own. */
export function decodeMessages(messages: BodyValue, system: BodyValue | undefined): readonly Message[] {
  const instructions = system === undefined ? [] : readContent(system, decodeText);
  const turns = readConversation(messages).flatMap((item) => decodeMessage(item.object()));
  return instructions.length === 0 ? turns : [{ role: "system", content: instructions }, ...turns];
}

function decodeMessage(message: BodyObject): readonly Message[] {
  const role = message.value("role").word(ROLES);
  if (role === "system") return [decodeInstructions(message)];
  const content = message.value("content");
  if (role === "user") return splitResults(readContent(content, decodeUserPart), content);
  return [{ role, content: readContent(content, decodeAssistantPart) }];
}

/** Instructions within the conversation, which may also be nothing but settings, and are marked to stay in it. */
function decodeInstructions(message: BodyObject): SystemMessage {
  const content = message.field("content");
  const texts = content === undefined ? [] : readContent(content, decodeText);
  return {
    role: "system",
    content: texts,
    native: { format: "anthropic-messages", fields: message.takeUnread() },
  };
}

function decodeText(part: BodyObject, type: string): TextPart | undefined {
  return type === "text" ? decodeSaid(part) : leaveOutType(part, type);
}

function decodeSaid(part: BodyObject): TextPart {
  return { type: "text", text: part.value("text").string(), ...readNative(part, "anthropic-messages") };
}

function decodeUserPart(part: BodyObject, type: string): UserPart | ToolMessage | undefined {
  return type === "tool_result" ? decodeToolResult(part) : decodeShown(part, type);
}

/** Whatever is neither text nor an image is a document of some kind, which the provider reads. */
function decodeShown(part: BodyObject, type: string): UserPart | undefined {
  if (type === "text") return decodeSaid(part);
  return type === "image" ? decodeImage(part) : decodeOpaque(part, "anthropic-messages");
}

function decodeToolResult(part: BodyObject): ToolMessage {
  const content = part.field("content");
  return withoutAbsent({
    role: "tool" as const,
    callId: part.value("tool_use_id").name(),
    content: content === undefined ? [] : readContent(content, decodeShown),
    isError: part.field("is_error")?.flag(),
    ...readNative(part, "anthropic-messages"),
  });
}

function decodeImage(part: BodyObject): ImagePart | undefined {
  const source = decodeImageSource(part.value("source").object());
  return source === undefined ? undefined : { type: "image", source, ...readNative(part, "anthropic-messages") };
}

function decodeImageSource(source: BodyObject): ImageSource | undefined {
  const type = source.value("type").string();
  switch (type) {
    case "url":
      return { type, url: source.value("url").name() };
    case "base64":
      return { type: "data", mediaType: source.value("media_type").name(), data: source.value("data").string() };
    case "file":
      return { type, id: source.value("file_id").name() };
    default:
      return leaveOutType(source, type);
  }
}

function decodeAssistantPart(part: BodyObject, type: string): AssistantPart | undefined {
  switch (type) {
    case "thinking":
      return withoutAbsent({
        type: "reasoning" as const,
        text: part.value("thinking").string(),
        ...readSignature(part.field("signature")?.string(), "anthropic-messages"),
      });
    case "redacted_thinking":
      return {
        type: "reasoning",
        text: "",
        ...readSignature(part.value("data").string(), "anthropic-messages"),
        redacted: true,
      };
    case "tool_use":
      // Answers say of every call that the model itself has made it, and clients send that back.
      part.ignoreDefaults({ caller: { type: "direct" } });
      return {
        type: "tool-call",
        callId: part.value("id").name(),
        name: part.value("name").name(),
        json: decodeInput(part.field("input")),
        ...readNative(part, "anthropic-messages"),
      };
    case "text":
      return withoutForeignCitations(decodeSaid(part));
    default:
      // Searches that the provider has run, and their results: it wants them back as they were.
      return decodeOpaque(part, "anthropic-messages");
  }
}

function decodeInput(input: BodyValue | undefined): string {
  return input === undefined ? "{}" : writeJson(input);
}
