import type { Grammar, Message, TextInput, ToolCallPart, ToolDefinition } from "../../request.ts";
import { isRecord, parseJson } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import type { BodyObject } from "./reader.ts";
import { leaveOutType, withoutAbsent } from "./values.ts";

/**
 * Reads the name and the description of a tool that takes plain text, and what that looks like. The dialects differ in
 * where a grammar stands.
 */
export function readTextTool(
  definition: BodyObject,
  grammarOf: (format: BodyObject) => BodyObject,
): ToolDefinition & { readonly textInput: TextInput } {
  return withoutAbsent({
    name: definition.value("name").name(),
    description: definition.field("description")?.string(),
    textInput: readFormat(definition.field("format")?.kind(), grammarOf),
  });
}

function readFormat(format: BodyObject | undefined, grammarOf: (format: BodyObject) => BodyObject): TextInput {
  const type = format?.value("type").string() ?? "text";
  if (format === undefined || type === "text") return {};
  if (type === "grammar") return { grammar: readGrammar(grammarOf(format)) };
  leaveOutType(format, type);
  return {};
}

function readGrammar(grammar: BodyObject): Grammar {
  return { syntax: grammar.value("syntax").name(), definition: grammar.value("definition").string() };
}

/** Writes what the text looks like; nothing where it is free. */
export function writeFormat(
  { grammar }: TextInput,
  holdGrammar: (grammar: Grammar) => JsonRecord,
): JsonRecord | undefined {
  return grammar === undefined ? undefined : { type: "grammar", ...holdGrammar(grammar) };
}

/** Arguments that are a text, as JSON. */
export function writeTextArguments(input: string): string {
  return JSON.stringify({ input });
}

/** What tools that take text were called with in a conversation, by the ids of the calls. */
export type TextCalls = ReadonlyMap<string, string>;

/**
 * The calls of a conversation that brought a tool its text, and of which the provider understands that. The ids of calls
 * have to be distinct by then.
 */
export function textCallsOf(messages: readonly Message[], isKnown: (call: ToolCallPart) => boolean): TextCalls {
  const calls = new Map<string, string>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const part of message.content) {
      if (part.type !== "tool-call" || part.isText !== true || !isKnown(part)) continue;
      const input = inputIn(part.json);
      if (input !== undefined) calls.set(part.callId, input);
    }
  }
  return calls;
}

/** The text in the arguments of a call, unless the model has written something else. */
export function inputIn(json: string): string | undefined {
  const value = parseJson(json);
  const input = isRecord(value) ? value["input"] : undefined;
  return typeof input === "string" ? input : undefined;
}
