import type { ImagePart, Message, ReasoningPart, TextPart } from "../../request.ts";
import { recordOf } from "../json.ts";
import type { AssistantPart, UserPart } from "../requests/messages.ts";
import { readImage, readImageUrl, readRefusal } from "../requests/openai.ts";
import { readNative } from "../requests/native.ts";
import { decodeOpaque } from "../requests/opaque.ts";
import type { BodyObject, BodyValue } from "../requests/reader.ts";
import { readConversation } from "../requests/settings.ts";
import { readSignature } from "../requests/signatures.ts";
import { writeTextArguments } from "../requests/text-tools.ts";
import { leaveOutType, readContent, textContent, withoutAbsent } from "../requests/values.ts";
import { isHosted } from "./decode-item.ts";
import { nameOfCall } from "./tool-groups.ts";
import type { FlatNames } from "./tool-groups.ts";

const ROLES = ["system", "developer", "user", "assistant"] as const;

/** How answers that are written here mark thinking that its provider withholds. */
const REDACTED_ID = "rs_redacted_";

/** What one item of the input is: a message of its own, or a piece of what the model has answered. */
type Item = Message | readonly AssistantPart[];

/** Reads the input of a Responses request. Items that the model has made in a row are one message. */
export function decodeMessages(
  input: BodyValue,
  instructions: BodyValue | undefined,
  flatNames: FlatNames,
): readonly Message[] {
  const above = instructions === undefined ? [] : [decodeInstructions(instructions)];
  if (typeof input.raw === "string") return [...above, { role: "user", content: textContent(input.raw) }];
  if (!Array.isArray(input.raw)) throw input.refuse("must be a string or a list of items");
  return [...above, ...decodeItems(input, flatNames)];
}

function decodeInstructions(instructions: BodyValue): Message {
  return { role: "system", content: textContent(instructions.string()) };
}

function decodeItems(input: BodyValue, flatNames: FlatNames): readonly Message[] {
  const messages: Message[] = [];
  let answer: AssistantPart[] | undefined;
  for (const value of readConversation(input)) {
    if (isAddedTools(value.raw)) continue;
    const item = decodeItem(value.object(), flatNames);
    if ("role" in item) {
      answer = undefined;
      messages.push(item);
    } else if (answer === undefined) {
      answer = [...item];
      messages.push({ role: "assistant", content: answer });
    } else {
      for (const part of item) answer.push(part);
    }
  }
  return messages;
}

/** Whether an item of the input holds tools, and nothing that anybody has said. */
export function isAddedTools(item: unknown): boolean {
  return recordOf(item)["type"] === "additional_tools";
}

function decodeItem(item: BodyObject, flatNames: FlatNames): Item {
  // What an item is called and how far it had come says nothing that the rest of the conversation refers to.
  item.ignore("id", "status");
  const type = item.field("type")?.string() ?? "message";
  switch (type) {
    case "message":
      return decodeMessage(item);
    case "function_call":
      return [
        {
          type: "tool-call",
          callId: item.value("call_id").name(),
          json: item.value("arguments").string(),
          ...nameOfCall(item.value("name").name(), readNative(item, "openai-responses"), flatNames),
        },
      ];
    case "custom_tool_call":
      return [decodeTextCall(item, flatNames)];
    case "function_call_output":
    case "custom_tool_call_output":
      return {
        role: "tool",
        callId: item.value("call_id").name(),
        content: readContent(item.value("output"), decodeUserPart),
        ...readNative(item, "openai-responses"),
      };
    case "reasoning":
      return [decodeReasoning(item)];
    default:
      // Searches that the provider has run, references to what it has kept: it wants them back as they were.
      return [decodeOpaque(item, "openai-responses")];
  }
}

/** A call of a tool that takes text, unless the provider has run it itself. */
function decodeTextCall(item: BodyObject, flatNames: FlatNames): AssistantPart {
  const type = "custom_tool_call";
  if (isHosted({ type, name: item.field("name")?.raw })) return decodeOpaque(item, "openai-responses");
  return {
    type: "tool-call",
    callId: item.value("call_id").name(),
    json: writeTextArguments(item.value("input").string()),
    isText: true,
    ...nameOfCall(item.value("name").name(), readNative(item, "openai-responses"), flatNames),
  };
}

function decodeMessage(item: BodyObject): Item {
  const role = item.value("role").word(ROLES);
  const content = item.value("content");
  if (role === "assistant") return readContent(content, decodeText);
  if (role === "user") return { role, content: readContent(content, decodeUserPart) };
  return { role: "system", content: readContent(content, decodeText) };
}

function decodeText(part: BodyObject, type: string): TextPart | undefined {
  switch (type) {
    case "input_text":
    case "text":
      return { type: "text", text: part.value("text").string(), ...readNative(part, "openai-responses") };
    case "output_text":
      // What the provider says about a text of its own is of no use to it.
      part.ignore("annotations", "logprobs");
      return { type: "text", text: part.value("text").string(), ...readNative(part, "openai-responses") };
    case "refusal":
      return readRefusal(part);
    default:
      return leaveOutType(part, type);
  }
}

function decodeUserPart(part: BodyObject, type: string): UserPart | undefined {
  switch (type) {
    case "input_image":
      return { ...decodeImage(part), ...readNative(part, "openai-responses") };
    case "input_text":
    case "output_text":
    case "text":
    case "refusal":
      return decodeText(part, type);
    default:
      // Files and sounds, which some models of the dialect can read.
      return decodeOpaque(part, "openai-responses");
  }
}

function decodeImage(part: BodyObject): ImagePart {
  const detail = part.field("detail");
  const file = part.field("file_id");
  if (file === undefined) return readImageUrl(part.value("image_url"), detail);
  return readImage({ type: "file", id: file.name() }, detail?.string());
}

/** The thinking itself where an open model shows it, else its summary. */
function decodeReasoning(item: BodyObject): ReasoningPart {
  const summary = item.field("summary");
  const summaryText = joinTexts(summary);
  const contentText = joinTexts(item.field("content"));
  if (contentText !== "" && summaryText !== "") {
    summary?.leaveOut("The summary was left out because the thinking itself is there.");
  }
  const proof = readSignature(item.field("encrypted_content")?.string(), "openai-responses");
  const text = contentText === "" ? summaryText : contentText;
  const id = item.field("id")?.raw;
  const isRedacted = typeof id === "string" && id.startsWith(REDACTED_ID);
  if (!isRedacted) return { type: "reasoning", text, ...proof };
  // No thinking is withheld in this dialect, so the proof is another's, even where nobody says whose.
  const signedBy = proof.signedBy === "openai-responses" ? undefined : proof.signedBy;
  return withoutAbsent({ type: "reasoning" as const, text, ...proof, signedBy, redacted: true });
}

function joinTexts(parts: BodyValue | undefined): string {
  const texts = (parts?.list() ?? []).map((item) => {
    const part = item.object();
    part.ignore("type");
    return part.value("text").string();
  });
  return texts.join("\n\n");
}
