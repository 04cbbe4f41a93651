import type { ImagePart, Message, OpaquePart, ToolMessage } from "../../request.ts";
import { parseArguments } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { toolNamesOf } from "../requests/calls.ts";
import { separateSystem, warnOfEmptyMessage, withoutEmptyTexts } from "../requests/messages.ts";
import type { AssistantPart, Placed, TurnMessage, UserPart } from "../requests/messages.ts";
import { encodeOpaque } from "../requests/opaque.ts";
import { unlessNone, withoutAbsent } from "../requests/values.ts";
import type { RequestWarnings } from "../requests/warnings.ts";

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
  readonly contents: readonly JsonRecord[];
}

/** Writes messages as the system instruction and the contents of a Gemini request. */
export function encodeMessages(messages: readonly Message[], warnings: RequestWarnings): EncodedMessages {
  const toolNames = toolNamesOf(messages);
  const { system, turns } = separateSystem(messages, warnings);
  const contents: JsonRecord[] = [];
  let results: JsonRecord[] | undefined;
  for (const turn of turns) {
    const { value, path } = turn;
    if (value.role === "tool") {
      const part = { functionResponse: encodeToolResult(value, path, toolNames, warnings) };
      // The provider counts the results of one turn's calls, so those that follow each other stay together.
      if (results === undefined) contents.push({ role: "user", parts: (results = [part]) });
      else results.push(part);
      continue;
    }
    results = undefined;
    const parts = encodeParts({ value, path }, warnings);
    if (parts.length > 0) contents.push({ role: value.role === "user" ? "user" : "model", parts });
    else warnOfEmptyMessage(turn, warnings);
  }
  return {
    systemInstruction: system.length === 0 ? undefined : { parts: system.map(({ text }) => ({ text })) },
    contents,
  };
}

function encodeParts(
  { value, path }: Placed<Exclude<TurnMessage, ToolMessage>>,
  warnings: RequestWarnings,
): readonly JsonRecord[] {
  if (value.role === "user") {
    return withoutEmptyTexts(value.content, path, warnings).map((part) => encodeUserPart(part, warnings));
  }
  return withoutEmptyTexts(value.content, path, warnings).flatMap(({ value: part, path: partPath }) =>
    part.type === "opaque"
      ? encodeOpaque(part, "gemini", partPath, warnings)
      : [encodeModelPart({ value: part, path: partPath }, warnings)],
  );
}

function encodeUserPart({ value, path }: Placed<UserPart>, warnings: RequestWarnings): JsonRecord {
  return value.type === "text" ? { text: value.text } : encodeImage(value, path, warnings);
}

function encodeModelPart(
  { value: part, path }: Placed<Exclude<AssistantPart, OpaquePart>>,
  warnings: RequestWarnings,
): JsonRecord {
  if (part.type === "text") return { text: part.text };
  const { signature } = part;
  if (part.type === "tool-call") {
    const args = parseArguments(part.json);
    if (args === undefined) warnings.add(`${path}.json`, "The arguments are no JSON object; an empty one was sent.");
    const functionCall = { id: part.callId, name: part.name, args: args ?? {} };
    return withoutAbsent({ functionCall, thoughtSignature: signature });
  }
  if (part.redacted === true) {
    warnings.add(`${path}.redacted`, "The dialect does not tell thinking that is withheld from thinking unseen.");
  }
  // A signature alone comes with an empty text that is no thought, and goes back like that.
  const isAlone = part.text === "" && signature !== undefined;
  return withoutAbsent({ text: part.text, thought: isAlone ? undefined : true, thoughtSignature: signature });
}

/** The dialect wants a media type for whatever is not in the request itself. */
function encodeImage(image: ImagePart, path: string, warnings: RequestWarnings): JsonRecord {
  const { source } = image;
  const mediaResolution = encodeDetail(image.detail, path, warnings);
  if (source.type === "data") {
    return withoutAbsent({ inlineData: { mimeType: source.mediaType, data: source.data }, mediaResolution });
  }
  const fileUri = source.type === "url" ? source.url : source.id;
  const mimeType = image.mediaType ?? guessMediaType(fileUri, path, warnings);
  return withoutAbsent({ fileData: withoutAbsent({ fileUri, mimeType }), mediaResolution });
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
  const name = message.name ?? toolNames.get(message.callId);
  if (name === undefined) {
    warnings.add(`${path}.name`, "The dialect wants the name of a result's tool; the id of the call was sent for it.");
  }
  const texts: string[] = [];
  const images: JsonRecord[] = [];
  for (const [index, part] of message.content.entries()) {
    const partPath = `${path}.content[${index}]`;
    if (part.type === "image") {
      images.push(encodeImage(part, partPath, warnings));
      continue;
    }
    if (images.length > 0) warnings.add(partPath, "A text after an image of a tool's was moved before it.");
    if (texts.length > 0) warnings.add(partPath, "The dialect takes one text from a tool; it was added to the first.");
    texts.push(part.text);
  }
  const key = message.isError === true ? "error" : "output";
  return withoutAbsent({
    id: message.callId,
    name: name ?? message.callId,
    response: { [key]: texts.join("\n") },
    parts: unlessNone(images),
  });
}
