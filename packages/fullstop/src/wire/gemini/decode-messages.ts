import type { ImagePart, Message, TextPart, ToolMessage } from "../../request.ts";
import { createCallIds } from "../requests/calls.ts";
import type { CallIds } from "../requests/calls.ts";
import { splitResults } from "../requests/messages.ts";
import type { AssistantPart, UserPart } from "../requests/messages.ts";
import { readNative } from "../requests/native.ts";
import { decodeOpaque } from "../requests/opaque.ts";
import type { BodyObject, BodyValue } from "../requests/reader.ts";
import { readConversation } from "../requests/settings.ts";
import { readSignature } from "../requests/signatures.ts";
import { textContent, withoutAbsent, writeJson } from "../requests/values.ts";

/** The role `function` is an old name for the user's turn that brings the results of tools. */
const ROLES = ["user", "model", "function"] as const;

/** Where the provider keeps files that were uploaded to it. */
const FILE_STORE = /^https:\/\/generativelanguage\.googleapis\.com\/[^/]+\/files\//;

/** Reads the contents of a Gemini request. The results of tools become messages of their own. */
export function decodeMessages(contents: BodyValue, systemInstruction: BodyValue | undefined): readonly Message[] {
  const callIds = createCallIds();
  const instructions = partsOf(systemInstruction?.object()).flatMap(decodeInstruction);
  const turns: Message[] = [];
  let answer: AssistantPart[] | undefined;
  for (const item of readConversation(contents)) {
    const content = item.object();
    const role = content.field("role")?.word(ROLES) ?? "user";
    const parts = partsOf(content);
    if (role !== "model") {
      answer = undefined;
      callIds.endTurn();
      const said = parts.flatMap((part) => decodeUserPart(part, callIds));
      for (const message of splitResults(said, content.field("parts"))) turns.push(message);
    } else if (answer === undefined) {
      answer = parts.flatMap((part) => decodeModelPart(part, callIds));
      turns.push({ role: "assistant", content: answer });
    } else {
      continueAnswer(answer, parts, callIds);
    }
  }
  return instructions.length === 0 ? turns : [{ role: "system", content: instructions }, ...turns];
}

/** Clients keep every chunk of a stream as a content of its own, so what was cut in two there is joined. */
function continueAnswer(answer: AssistantPart[], parts: readonly BodyObject[], callIds: CallIds): void {
  for (const [index, part] of parts.entries()) {
    const [first, ...others] = decodeModelPart(part, callIds);
    if (first === undefined) continue;
    const isThought = part.field("thought")?.raw === true;
    const joined = index === 0 ? joinPieces(answer.at(-1), first, isThought) : undefined;
    if (joined === undefined) answer.push(first);
    else answer[answer.length - 1] = joined;
    for (const other of others) answer.push(other);
  }
}

/** Two pieces as one, if they are text, or thinking that has not come to its proof yet. */
function joinPieces(
  last: AssistantPart | undefined,
  next: AssistantPart,
  isThought: boolean,
): AssistantPart | undefined {
  const isPlain = last?.type === "text" && last.native === undefined;
  if (isPlain && next.type === "text" && next.native === undefined) {
    return { type: "text", text: last.text + next.text };
  }
  const isOpen = last?.type === "reasoning" && last.signature === undefined && isThought;
  if (!isOpen || next.type !== "reasoning" || next.redacted === true) return undefined;
  return { ...next, text: last.text + next.text };
}

function partsOf(content: BodyObject | undefined): readonly BodyObject[] {
  // What the instructions call their role says nothing.
  content?.ignore("role");
  return (content?.field("parts")?.list() ?? []).map((part) => part.object());
}

function decodeInstruction(part: BodyObject): readonly TextPart[] {
  const text = part.field("text");
  if (text !== undefined) return decodeText(part, text.string());
  part.leaveOut();
  return [];
}

function decodeText(part: BodyObject, text: string): readonly TextPart[] {
  return text === "" ? [] : [{ type: "text", text, ...readNative(part, "gemini") }];
}

function decodeUserPart(part: BodyObject, callIds: CallIds): readonly (UserPart | ToolMessage)[] {
  const response = part.field("functionResponse");
  if (response !== undefined) {
    return [{ ...decodeFunctionResponse(response.object(), callIds), ...readNative(part, "gemini") }];
  }
  const text = part.field("text");
  if (text !== undefined) return decodeText(part, text.string());
  return [decodeImage(part) ?? decodeOpaque(part, "gemini")];
}

/** An image that is in the request or at an address. Whatever else can be there is for the provider to read. */
function decodeImage(part: BodyObject): ImagePart | undefined {
  const inline = part.field("inlineData")?.object();
  const file = part.field("fileData")?.object();
  const mediaType = (inline ?? file)?.field("mimeType")?.string();
  const isImage = mediaType === undefined ? inline === undefined && file !== undefined : mediaType.startsWith("image/");
  if (!isImage) return undefined;
  const detail = decodeResolution(part.field("mediaResolution")?.object());
  if (inline !== undefined && mediaType !== undefined) {
    const source = { type: "data", mediaType, data: inline.value("data").string() } as const;
    return withoutAbsent({ type: "image" as const, source, detail, ...readNative(part, "gemini") });
  }
  const uri = file?.value("fileUri").name() ?? "";
  const isAddress = /^https?:/i.test(uri) && !FILE_STORE.test(uri);
  const source = isAddress ? ({ type: "url", url: uri } as const) : ({ type: "file", id: uri } as const);
  return withoutAbsent({ type: "image" as const, source, mediaType, detail, ...readNative(part, "gemini") });
}

function decodeResolution(resolution: BodyObject | undefined): string | undefined {
  const level = resolution?.field("level")?.string();
  return level === undefined || level === "MEDIA_RESOLUTION_UNSPECIFIED"
    ? undefined
    : level.replace("MEDIA_RESOLUTION_", "").toLowerCase();
}

function decodeModelPart(part: BodyObject, callIds: CallIds): readonly AssistantPart[] {
  const thoughtSignature = part.field("thoughtSignature")?.string();
  const proof = readSignature(thoughtSignature === "" ? undefined : thoughtSignature, "gemini");
  const call = part.field("functionCall")?.object();
  if (call !== undefined) {
    const { signature, signedBy } = proof;
    const called = { ...decodeFunctionCall(call, callIds), signature, signedBy };
    return [withoutAbsent({ ...called, ...readNative(part, "gemini") })];
  }
  const isThought = part.field("thought")?.flag() ?? false;
  const text = part.field("text")?.string() ?? (part.hasUnread ? undefined : "");
  // Code that the service runs and what comes of it, images and whatever else there may be.
  if (text === undefined) return [decodeOpaque(part, "gemini")];
  if (isThought) return text === "" && proof.signature === undefined ? [] : [{ type: "reasoning", text, ...proof }];
  // A text has no signature of its own: it is that of thinking that was not shown.
  return [
    ...decodeText(part, text),
    ...(proof.signature === undefined ? [] : [{ type: "reasoning" as const, text: "", ...proof }]),
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
  const shown = partsOf(response).map((part) => decodeImage(part) ?? decodeOpaque(part, "gemini"));
  const { text, isError } = decodeResult(response.field("response"));
  return withoutAbsent({
    role: "tool" as const,
    callId: callIds.ofResult(response.field("id")?.name(), name),
    name,
    content: [...textContent(text), ...shown],
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
