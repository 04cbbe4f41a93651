import type { ToolMessage } from "../request.ts";
import { isRecord } from "../wire/json.ts";

/** What of a tool's message depends on what it has returned. */
type ToolOutput = Pick<ToolMessage, "content" | "isError">;

/** What a tool has returned, as a model can be shown it. Throws where JSON cannot say it. */
export function readOutput(output: unknown): ToolOutput {
  if (output instanceof Error) return problem(messageOf(output));
  if (isRecord(output) && isContent(output["content"])) {
    const { content, isError } = output;
    return { content, ...(isError === true && { isError }) };
  }
  if (typeof output === "string") return { content: textsOf(output) };
  // A file that was read without an encoding would be written number by number, at several tokens each.
  if (ArrayBuffer.isView(output)) return problem(`The tool returned ${output.byteLength} bytes, which are no text.`);
  const json = JSON.stringify(output) ?? "";
  const kind = kindOf(output);
  // JSON has no word for a map, or for a response that nobody has read: an empty object would be a lie.
  if (json === "{}" && kind !== "Object")
    return problem(`The tool returned a value of type ${kind}, which has no JSON.`);
  return { content: textsOf(json) };
}

/** Nothing is no text: some dialects can say an empty one only in a list, which not every server takes of a tool. */
function textsOf(text: string): ToolOutput["content"] {
  return text === "" ? [] : [{ type: "text", text }];
}

/** What a tool says about its failure. Not everything that is thrown is an error, or one of this realm. */
export function messageOf(error: unknown): string {
  const told = isRecord(error) ? [error["message"], error["code"]] : [error];
  const words = told.find((word) => typeof word === "string" && word !== "");
  return typeof words === "string" ? words : "The tool failed and did not say why.";
}

function problem(text: string): ToolOutput {
  return { content: [{ type: "text", text }], isError: true };
}

/** What a value is called by the language, such as `Map` or `Response`; `Object` where it has no name of its own. */
function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

/** Whether a value is a list of parts that a model can be shown, all of them whole. */
function isContent(content: unknown): content is ToolMessage["content"] {
  return Array.isArray(content) && content.length > 0 && content.every(isContentPart);
}

function isContentPart(part: unknown): boolean {
  if (!isRecord(part)) return false;
  if (part["type"] === "text") return typeof part["text"] === "string";
  return part["type"] === "image" && isRecord(part["source"]) && isImageSource(part["source"]);
}

/** Another library's image, whose fields have other names, would be sent without its data, which providers refuse. */
function isImageSource({ type, url, mediaType, data, id }: Readonly<Record<string, unknown>>): boolean {
  if (type === "url") return typeof url === "string";
  if (type === "data") return typeof mediaType === "string" && typeof data === "string";
  return type === "file" && typeof id === "string";
}
