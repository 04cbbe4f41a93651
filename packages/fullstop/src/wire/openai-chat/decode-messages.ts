import type { AssistantMessage, Message, ReasoningPart, TextPart, ToolCallPart, ToolMessage } from "../../request.ts";
import { createCallIds } from "../requests/calls.ts";
import type { CallIds } from "../requests/calls.ts";
import type { UserPart } from "../requests/messages.ts";
import { readNative } from "../requests/native.ts";
import { decodeOpaque } from "../requests/opaque.ts";
import { readImageUrl, readRefusal } from "../requests/openai.ts";
import type { BodyObject, BodyValue } from "../requests/reader.ts";
import { readConversation } from "../requests/settings.ts";
import { readSignature } from "../requests/signatures.ts";
import { leaveOutType, readContent, textContent, withoutAbsent } from "../requests/values.ts";
import { signThinking } from "./reasoning-details.ts";

const ROLES = ["system", "developer", "user", "assistant", "tool", "function"] as const;

/** Reads the messages of a Chat Completions request, those of the deprecated function calls included. */
export function decodeMessages(value: BodyValue): readonly Message[] {
  const callIds = createCallIds();
  return readConversation(value).map((item) => decodeMessage(item.object(), callIds));
}

function decodeMessage(message: BodyObject, callIds: CallIds): Message {
  const role = message.value("role").word(ROLES);
  if (role !== "assistant") callIds.endTurn();
  if (role === "tool") return decodeToolResult(message, callIds);
  if (role === "function") return decodeFunctionResult(message, callIds);
  return { ...decodeSpeech(message, role, callIds), ...readNative(message, "openai-chat") };
}

/** What somebody says, but for what only this dialect has, such as the name of who it is. */
function decodeSpeech(message: BodyObject, role: "system" | "developer" | "user" | "assistant", callIds: CallIds) {
  if (role === "user") return { role, content: readContent(message.value("content"), decodeUserPart) };
  if (role === "assistant") return { role, content: decodeAssistantContent(message, callIds) };
  return { role: "system" as const, content: readContent(message.value("content"), decodeText) };
}

function decodeText(part: BodyObject, type: string): TextPart | undefined {
  return type === "text" ? decodeSaid(part) : type === "refusal" ? readRefusal(part) : leaveOutType(part, type);
}

function decodeSaid(part: BodyObject): TextPart {
  return { type: "text", text: part.value("text").string(), ...readNative(part, "openai-chat") };
}

function decodeUserPart(part: BodyObject, type: string): UserPart | undefined {
  switch (type) {
    case "text":
      return decodeSaid(part);
    case "refusal":
      return readRefusal(part);
    case "image_url": {
      const image = part.value("image_url").object();
      return { ...readImageUrl(image.value("url"), image.field("detail")), ...readNative(part, "openai-chat") };
    }
    default:
      // Files and sounds, which some models of the dialect can read.
      return decodeOpaque(part, "openai-chat");
  }
}

/** The parts of an answer in the order in which the model gives them: thinking, words, calls. */
function decodeAssistantContent(message: BodyObject, callIds: CallIds): AssistantMessage["content"] {
  // Clients send answers back as they got them, and who is quoted in one is of no use to its provider.
  message.ignore("annotations");
  const content = message.field("content");
  return [
    ...decodeThinking(message),
    ...(content === undefined ? [] : readContent(content, decodeText)),
    ...textContent(message.field("refusal")?.string() ?? ""),
    ...decodeToolCalls(message, callIds),
  ];
}

/** Thinking of an earlier turn, with whatever proofs there are for it. */
function decodeThinking(message: BodyObject): readonly ReasoningPart[] {
  // Servers disagree on the name of the field; some fill both with the same text.
  const text = [message.field("reasoning_content"), message.field("reasoning")]
    .map((field) => field?.string() ?? "")
    .find((said) => said !== "");
  const details = (message.field("reasoning_details")?.list() ?? []).map((item) => item.json());
  return signThinking(text, details);
}

function decodeToolCalls(message: BodyObject, callIds: CallIds): readonly ToolCallPart[] {
  const calls = (message.field("tool_calls")?.list() ?? []).flatMap((item): readonly ToolCallPart[] => {
    const call = item.object();
    // Calls that were put together from a stream often keep the place they had in it.
    call.ignore("index");
    const type = call.field("type")?.string() ?? "function";
    if (type !== "function") {
      leaveOutType(call, type);
      return [];
    }
    const decoded = decodeCall(call.value("function").object(), call.value("id").name(), callIds);
    return [withoutAbsent({ ...decoded, ...decodeThoughtSignature(call), ...readNative(call, "openai-chat") })];
  });
  const legacy = message.field("function_call")?.object();
  return legacy === undefined ? calls : [...calls, decodeCall(legacy, undefined, callIds)];
}

/** Where Google keeps the proof of the thinking before a call, in its own route for this dialect. */
function decodeThoughtSignature(call: BodyObject): Pick<ToolCallPart, "signature" | "signedBy"> {
  const google = call.field("extra_content")?.object().field("google")?.object();
  const { signature, signedBy } = readSignature(google?.field("thought_signature")?.string(), "gemini");
  return { signature, signedBy };
}

function decodeCall(call: BodyObject, id: string | undefined, callIds: CallIds): ToolCallPart {
  const name = call.value("name").name();
  return { type: "tool-call", callId: callIds.ofCall(id, name), name, json: call.value("arguments").string() };
}

function decodeToolResult(message: BodyObject, callIds: CallIds): ToolMessage {
  const name = message.field("name")?.string();
  return withoutAbsent({
    role: "tool" as const,
    callId: callIds.ofResult(message.value("tool_call_id").name(), name),
    name,
    content: readContent(message.value("content"), decodeUserPart),
    ...readNative(message, "openai-chat"),
  });
}

function decodeFunctionResult(message: BodyObject, callIds: CallIds): ToolMessage {
  const name = message.value("name").name();
  const content = message.field("content");
  return {
    role: "tool",
    callId: callIds.ofResult(undefined, name),
    name,
    content: content === undefined ? [] : readContent(content, decodeUserPart),
  };
}
