import type { ImagePart, Message, TextPart, ToolMessage } from "../../request.ts";
import { isRecord, parseArguments, parseJson } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { toolNamesOf } from "../requests/calls.ts";
import { isElsewhere } from "../requests/files.ts";
import { checkConversation, separateSystem, warnOfEmptyMessage, withoutEmptyTexts } from "../requests/messages.ts";
import type { AssistantPart, Placed, TurnMessage, UserPart } from "../requests/messages.ts";
import { withNative } from "../requests/native.ts";
import { encodeOpaque } from "../requests/opaque.ts";
import { ownSignature, warnOfForeignSignature } from "../requests/signatures.ts";
import { unlessNone, withoutAbsent } from "../requests/values.ts";
import type { RequestWarnings } from "../requests/warnings.ts";
import { readContinuation } from "./continuation.ts";

/** Media types by the ending of an address, for images of which nothing else is known. */
const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["gif", "image/gif"],
  ["webp", "image/webp"],
]);

/** How closely an image can be looked at. */
const RESOLUTIONS = new Set(["low", "medium", "high", "ultra_high"]);

/** What is said and done in a Gemini request. */
export interface EncodedMessages {
  readonly systemInstruction: JsonRecord | undefined;
  readonly contents: readonly Content[];
}

/** What one side says and does in a row. */
export interface Content {
  readonly role: "model" | "user";
  readonly parts: readonly JsonRecord[];
}

/** Writes messages as the system instruction and the contents of a Gemini request. */
export function encodeMessages(messages: readonly Message[], warnings: RequestWarnings): EncodedMessages {
  const toolNames = toolNamesOf(messages);
  const { system, turns } = separateSystem(messages, warnings);
  const contents: (Content & { readonly parts: JsonRecord[] })[] = [];
  let lastRole: TurnMessage["role"] | undefined;
  for (const turn of turns) {
    const { value, path } = turn;
    const parts =
      value.role === "tool"
        ? [encodeToolResult(value, path, toolNames, warnings)]
        : encodeParts({ value, path }, warnings);
    if (parts.length === 0) {
      warnOfEmptyMessage(turn, warnings);
      continue;
    }
    const { role } = value;
    // What the model does in a row is one turn. The provider counts the results of a turn's calls, so they stay together.
    const last = role === lastRole && role !== "user" ? contents.at(-1) : undefined;
    if (last === undefined) contents.push({ role: role === "assistant" ? "model" : "user", parts: [...parts] });
    else for (const part of parts) last.parts.push(part);
    lastRole = role;
  }
  checkConversation(contents, messages);
  return {
    systemInstruction: system.length === 0 ? undefined : { parts: system.map(encodeText) },
    contents,
  };
}

function encodeText(part: TextPart): JsonRecord {
  return withNative({ text: part.text }, part, "gemini");
}

function encodeParts(
  { value, path }: Placed<Exclude<TurnMessage, ToolMessage>>,
  warnings: RequestWarnings,
): readonly JsonRecord[] {
  if (value.role === "user") {
    return withoutEmptyTexts(value.content, path, warnings).flatMap((part) => encodeUserPart(part, warnings));
  }
  return withoutEmptyTexts(value.content, path, warnings).flatMap((part) => encodeModelPart(part, warnings));
}

function encodeUserPart({ value, path }: Placed<UserPart>, warnings: RequestWarnings): readonly JsonRecord[] {
  if (value.type === "text") return [encodeText(value)];
  if (value.type === "opaque") return encodeOpaque(value, "gemini", path, warnings);
  const image = encodeImage(value, path, warnings);
  if (image === undefined) return [];
  const shown = withoutAbsent({ ...image, mediaResolution: encodeDetail(value.detail, path, warnings) });
  return [withNative(shown, value, "gemini")];
}

function encodeModelPart(
  { value: part, path }: Placed<AssistantPart>,
  warnings: RequestWarnings,
): readonly JsonRecord[] {
  if (part.type === "text") return [encodeText(part)];
  if (part.type === "opaque") {
    // A token within a conversation has done its work: the answer has gone on, or nobody wants it to.
    const isUsedUp = part.format === "gemini" && readContinuation(part.value) !== undefined;
    return isUsedUp ? [] : encodeOpaque(part, "gemini", path, warnings);
  }
  const signature = ownSignature(part, "gemini");
  if (part.type === "tool-call") {
    const args = parseArguments(part.json);
    if (args === undefined) warnings.add(`${path}.json`, "The arguments are no JSON object; an empty one was sent.");
    const functionCall = { id: part.callId, name: part.name, args: args ?? {} };
    warnOfForeignSignature(part, "gemini", path, warnings);
    return [withNative(withoutAbsent({ functionCall, thoughtSignature: signature }), part, "gemini")];
  }
  if (part.text === "" && signature === undefined) {
    warnings.add(
      path,
      "Nothing is left of thinking that shows no text and has no signature of the dialect's provider.",
    );
    return [];
  }
  warnOfForeignSignature(part, "gemini", path, warnings);
  if (part.redacted === true) {
    warnings.add(`${path}.redacted`, "The dialect does not tell thinking that is withheld from thinking unseen.");
  }
  // A signature alone comes with an empty text that is no thought, and goes back like that.
  const isAlone = part.text === "" && signature !== undefined;
  return [withoutAbsent({ text: part.text, thought: isAlone ? undefined : true, thoughtSignature: signature })];
}

/** The dialect wants a media type for whatever is not in the request itself. */
function encodeImage(image: ImagePart, path: string, warnings: RequestWarnings): JsonRecord | undefined {
  const { source } = image;
  if (isElsewhere(source, "gemini", path, warnings)) return undefined;
  if (source.type === "data") return { inlineData: { mimeType: source.mediaType, data: source.data } };
  const fileUri = source.type === "url" ? source.url : source.id;
  const mimeType = image.mediaType ?? guessMediaType(fileUri, path, warnings);
  return { fileData: withoutAbsent({ fileUri, mimeType }) };
}

function guessMediaType(uri: string, path: string, warnings: RequestWarnings): string | undefined {
  const ending = /\.(?<ending>[a-z]{3,4})(?:[?#]|$)/i.exec(uri)?.groups?.["ending"];
  const guess = ending === undefined ? undefined : MEDIA_TYPES.get(ending.toLowerCase());
  const outcome = guess === undefined ? "none was sent" : `it was taken to be ${guess}`;
  warnings.add(`${path}.mediaType`, `The dialect asks for the media type of an image at an address; ${outcome}.`);
  return guess;
}

function encodeDetail(detail: string | undefined, path: string, warnings: RequestWarnings): JsonRecord | undefined {
  // Left to the model is what it is anyway.
  if (detail === undefined || detail === "auto") return undefined;
  if (RESOLUTIONS.has(detail)) return { level: `MEDIA_RESOLUTION_${detail.toUpperCase()}` };
  warnings.add(`${path}.detail`, "The dialect has no such resolution; it was left out.");
  return undefined;
}

function encodeToolResult(
  message: ToolMessage,
  path: string,
  toolNames: ReadonlyMap<string, string>,
  warnings: RequestWarnings,
): JsonRecord {
  const given = message.name === "" ? undefined : message.name;
  const name = given ?? toolNames.get(message.callId);
  if (name === undefined) {
    warnings.add(`${path}.name`, "The dialect wants the name of a result's tool; the id of the call was sent for it.");
  }
  const texts: string[] = [];
  const images: JsonRecord[] = [];
  for (const [index, part] of message.content.entries()) {
    const partPath = `${path}.content[${index}]`;
    if (part.type === "image") {
      const image = encodeImage(part, partPath, warnings);
      if (image === undefined) continue;
      if (part.detail !== undefined && part.detail !== "auto") {
        warnings.add(`${partPath}.detail`, "The dialect cannot say how closely to look at an image of a tool's.");
      }
      images.push(withNative(image, part, "gemini"));
      continue;
    }
    if (part.type === "opaque") {
      images.push(...encodeOpaque(part, "gemini", partPath, warnings));
      continue;
    }
    if (images.length > 0) warnings.add(partPath, "A text after an image of a tool's was moved before it.");
    if (texts.length > 0) warnings.add(partPath, "The dialect takes one text from a tool; it was added to the first.");
    texts.push(part.text);
  }
  const text = texts.join("\n");
  const functionResponse = withoutAbsent({
    id: message.callId,
    name: name ?? message.callId,
    response: message.isError === true ? { error: text } : (asResult(text) ?? { output: text }),
    parts: unlessNone(images),
  });
  return withNative({ functionResponse }, message, "gemini");
}

/** The JSON object that a tool has returned, if nothing is lost by not sending its text. */
function asResult(text: string): JsonRecord | undefined {
  if (!text.startsWith("{")) return undefined;
  const value = parseJson(text);
  const names = isRecord(value) ? Object.keys(value) : [];
  const isMistakable = names.length === 1 && (names[0] === "output" || names[0] === "error");
  if (!isRecord(value) || names.length === 0 || isMistakable) return undefined;
  return isWritten(value, text) ? value : undefined;
}

/** Whether a value becomes this very text as JSON, without other spaces, repeated names or rounded numbers. */
function isWritten(value: JsonRecord, text: string): boolean {
  try {
    return JSON.stringify(value) === text;
  } catch {
    // Only what is nested by the thousand has no JSON text.
    return false;
  }
}
