import type { AssistantMessage, Message, ReasoningPart, TextPart, ToolCallPart, ToolMessage } from "../../request.ts";
import { stringOf } from "../json.ts";
import { createCallIds } from "../requests/calls.ts";
import type { CallIds } from "../requests/calls.ts";
import type { UserPart } from "../requests/messages.ts";
import { readNative } from "../requests/native.ts";
import { decodeOpaque } from "../requests/opaque.ts";
import { readImageUrl, readRefusal } from "../requests/openai.ts";
import type { BodyObject, BodyValue } from "../requests/reader.ts";
import { readConversation } from "../requests/settings.ts";
import { readSignature } from "../requests/signatures.ts";
import { writeTextArguments } from "../requests/text-tools.ts";
import { leaveOutType, readContent, textContent, withoutAbsent } from "../requests/values.ts";
import { signThinking } from "./reasoning-details.ts";

/** What is known of the calls of a conversation while it is read. */
interface Calls {
  readonly ids: CallIds;
  /** The ids of calls that were left out, whose results nobody would understand. */
  readonly leftOut: Set<string>;
}

const ROLES = ["system", "developer", "user", "assistant", "tool", "function"] as const;

/** Reads the messages of a Chat Completions request, those of the deprecated function calls included. */
export function decodeMessages(value: BodyValue): readonly Message[] {
  const calls: Calls = { ids: createCallIds(), leftOut: new Set() };
  return readConversation(value).flatMap((item) => decodeMessage(item.object(), calls) ?? []);
}

function decodeMessage(message: BodyObject, calls: Calls): Message | undefined {
  const role = message.value("role").word(ROLES);
  if (role !== "assistant") calls.ids.endTurn();
  if (role === "tool") return decodeToolResult(message, calls);
  if (role === "function") return decodeFunctionResult(message, calls.ids);
  return { ...decodeSpeech(message, role, calls), ...readNative(message, "openai-chat") };
}

/** What somebody says, but for what only this dialect has, such as the name of who it is. */
function decodeSpeech(message: BodyObject, role: "system" | "developer" | "user" | "assistant", calls: Calls) {
  if (role === "user") return { role, content: readContent(message.value("content"), decodeUserPart) };
  if (role === "assistant") return { role, content: decodeAssistantContent(message, calls) };
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
function decodeAssistantContent(message: BodyObject, calls: Calls): AssistantMessage["content"] {
  // Clients send answers back as they got them, and who is quoted in one is of no use to its provider.
  message.ignore("annotations");
  const content = message.field("content");
  return [
    ...decodeThinking(message),
    ...(content === undefined ? [] : readContent(content, decodeText)),
    ...textContent(message.field("refusal")?.string() ?? ""),
    ...decodeToolCalls(message, calls),
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

function decodeToolCalls(message: BodyObject, { ids, leftOut }: Calls): readonly ToolCallPart[] {
  const calls = (message.field("tool_calls")?.list() ?? []).flatMap((item): readonly ToolCallPart[] => {
    const call = item.object();
    // Calls that were put together from a stream often keep the place they had in it.
    call.ignore("index");
    const type = call.field("type")?.string() ?? "function";
    if (type !== "function" && type !== "custom") {
      leftOut.add(stringOf(call.field("id")?.raw));
      leaveOutType(call, type);
      return [];
    }
    const id = call.value("id").name();
    leftOut.delete(id);
    const decode = type === "custom" ? decodeTextCall : decodeCall;
    const decoded = decode(call.value(type).object(), id, ids);
    return [withoutAbsent({ ...decoded, ...decodeThoughtSignature(call), ...readNative(call, "openai-chat") })];
  });
  const legacy = message.field("function_call")?.object();
  return legacy === undefined ? calls : [...calls, decodeCall(legacy, undefined, ids)];
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

function decodeTextCall(call: BodyObject, id: string, callIds: CallIds): ToolCallPart {
  const name = call.value("name").name();
  const json = writeTextArguments(call.value("input").string());
  return { type: "tool-call", callId: callIds.ofCall(id, name), name, json, isText: true };
}

/** A result without its call is refused by every provider. */
function decodeToolResult(message: BodyObject, { ids, leftOut }: Calls): ToolMessage | undefined {
  const id = message.value("tool_call_id").name();
  if (leftOut.has(id)) {
    message.leaveOut("It is the result of a call that was left out; it was left out as well.");
    return undefined;
  }
  const name = message.field("name")?.string();
  return withoutAbsent({
    role: "tool" as const,
    callId: ids.ofResult(id, name),
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
