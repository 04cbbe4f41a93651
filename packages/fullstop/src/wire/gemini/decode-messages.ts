import type { ImagePart, Message, TextPart, ToolMessage } from "../../request.ts";
import { createCallIds } from "../requests/calls.ts";
import type { CallIds } from "../requests/calls.ts";
import { splitResults } from "../requests/messages.ts";
import type { AssistantPart, UserPart } from "../requests/messages.ts";
import type { BodyObject, BodyValue } from "../requests/reader.ts";
import { readConversation } from "../requests/settings.ts";
import { textContent, withoutAbsent, writeJson } from "../requests/values.ts";

/** The role `function` is an old name for the user's turn that brings the results of tools. */
const ROLES = ["user", "model", "function"] as const;

/** Where the provider keeps files that were uploaded to it. */
const FILE_STORE = /^https:\/\/generativelanguage\.googleapis\.com\/[^/]+\/files\//;

/** Reads the contents of a Gemini request. The results of tools become messages of their own. */
export function decodeMessages(contents: BodyValue, systemInstruction: BodyValue | undefined): readonly Message[] {
  const callIds = createCallIds();
  const instructions = partsOf(systemInstruction?.object()).flatMap(decodeInstruction);
  const turns = readConversation(contents).flatMap((item) => decodeContent(item.object(), callIds));
  return instructions.length === 0 ? turns : [{ role: "system", content: instructions }, ...turns];
}

function decodeContent(content: BodyObject, callIds: CallIds): readonly Message[] {
  const role = content.field("role")?.word(ROLES) ?? "user";
  const parts = partsOf(content);
  if (role !== "model") return splitResults(parts.flatMap((part) => decodeUserPart(part, callIds)));
  return [{ role: "assistant", content: parts.flatMap((part) => decodeModelPart(part, callIds)) }];
}

function partsOf(content: BodyObject | undefined): readonly BodyObject[] {
  // What the instructions call their role says nothing.
  content?.ignore("role");
  return (content?.field("parts")?.list() ?? []).map((part) => part.object());
}

function decodeInstruction(part: BodyObject): readonly TextPart[] {
  const text = part.field("text");
  if (text !== undefined) return textContent(text.string());
  part.leaveOut();
  return [];
}

function decodeUserPart(part: BodyObject, callIds: CallIds): readonly (UserPart | ToolMessage)[] {
  const response = part.field("functionResponse");
  if (response !== undefined) return [decodeFunctionResponse(response.object(), callIds)];
  const text = part.field("text");
  if (text !== undefined) return textContent(text.string());
  return decodeImage(part);
}

/** An image that is in the request or at an address. Whatever else can be there has no counterpart. */
function decodeImage(part: BodyObject): readonly ImagePart[] {
  const inline = part.field("inlineData")?.object();
  const file = part.field("fileData")?.object();
  const mediaType = (inline ?? file)?.field("mimeType")?.string();
  const isImage = mediaType === undefined ? inline === undefined && file !== undefined : mediaType.startsWith("image/");
  if (!isImage) {
    part.leaveOut();
    return [];
  }
  const detail = decodeResolution(part.field("mediaResolution")?.object());
  if (inline !== undefined && mediaType !== undefined) {
    const source = { type: "data", mediaType, data: inline.value("data").string() } as const;
    return [withoutAbsent({ type: "image" as const, source, detail })];
  }
  const uri = file?.value("fileUri").name() ?? "";
  const isAddress = /^https?:/i.test(uri) && !FILE_STORE.test(uri);
  const source = isAddress ? ({ type: "url", url: uri } as const) : ({ type: "file", id: uri } as const);
  return [withoutAbsent({ type: "image" as const, source, mediaType, detail })];
}

function decodeResolution(resolution: BodyObject | undefined): string | undefined {
  const level = resolution?.field("level")?.string();
  return level === undefined || level === "MEDIA_RESOLUTION_UNSPECIFIED"
    ? undefined
    : level.replace("MEDIA_RESOLUTION_", "").toLowerCase();
}

function decodeModelPart(part: BodyObject, callIds: CallIds): readonly AssistantPart[] {
  const signature = part.field("thoughtSignature")?.string();
  const call = part.field("functionCall")?.object();
  if (call !== undefined) return [withoutAbsent({ ...decodeFunctionCall(call, callIds), signature })];
  const isThought = part.field("thought")?.flag() ?? false;
  const text = part.field("text")?.string();
  if (text === undefined) {
    part.leaveOut();
    return [];
  }
  if (isThought) return [withoutAbsent({ type: "reasoning" as const, text, signature })];
  // A text has no signature of its own: it is that of thinking that was not shown.
  return [
    ...textContent(text),
    ...(signature === undefined ? [] : [{ type: "reasoning" as const, text: "", signature }]),
  ];
}

function decodeFunctionCall(call: BodyObject, callIds: CallIds): AssistantPart {
  const name = call.value("name").name();
  const args = call.field("args");
  // Only an object can be arguments.
  args?.json();
  return {
    type: "tool-call",
    callId: callIds.ofCall(call.field("id")?.name(), name),
    name,
    json: args === undefined ? "{}" : writeJson(args),
  };
}

function decodeFunctionResponse(response: BodyObject, callIds: CallIds): ToolMessage {
  const name = response.value("name").name();
  const images = partsOf(response).flatMap(decodeImage);
  const { text, isError } = decodeResult(response.field("response"));
  return withoutAbsent({
    role: "tool" as const,
    callId: callIds.ofResult(response.field("id")?.name(), name),
    name,
    content: [...textContent(text), ...images],
    isError: isError ? true : undefined,
  });
}

/** What a tool has returned: under `output` or `error` where one of them stands alone, else the whole of it. */
function decodeResult(response: BodyValue | undefined): { readonly text: string; readonly isError: boolean } {
  const entries = response?.object().entries() ?? [];
  const [first, ...others] = entries;
  if (response === undefined || first === undefined) return { text: "", isError: false };
  const [key, value] = first;
  if (others.length > 0 || (key !== "output" && key !== "error")) return { text: writeJson(response), isError: false };
  return { text: typeof value.raw === "string" ? value.raw : writeJson(value), isError: key === "error" };
}
