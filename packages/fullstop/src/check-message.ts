import { invalidArgument } from "./errors.ts";
import type { Message } from "./request.ts";
import type { Names } from "./request-names.ts";

/** Which parts a message of each role may hold. */
const PARTS: Readonly<Record<Message["role"], Names>> = {
  system: { text: true },
  user: { text: true, image: true, opaque: true },
  assistant: { text: true, reasoning: true, "tool-call": true, opaque: true },
  tool: { text: true, image: true, opaque: true },
};

/** The fields of a part that have to be strings. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  reasoning: ["text"],
  "tool-call": ["callId", "name", "json"],
  opaque: ["format"],
};

/** What native fields have to be. */
export const NATIVE_RULE = "must have a format, such as openai-chat, and fields";

/** Whether a value can be native fields, or there are none. */
export function isNative(native: unknown): boolean {
  return (
    native === undefined || (isObject(native) && typeof native["format"] === "string" && isObject(native["fields"]))
  );
}

/** Refuses a list in which something is no message. */
export function checkMessages(name: string, messages: readonly unknown[]): void {
  for (let index = 0; index < messages.length; index += 1) {
    const problem = problemIn(messages[index]);
    if (problem !== undefined) throw invalidArgument(`${name}[${index}]${problem.at}`, problem.rule, problem.value);
  }
}

/** Refuses what is no message. */
export function checkMessage(name: string, message: unknown): void {
  const problem = problemIn(message);
  if (problem !== undefined) throw invalidArgument(`${name}${problem.at}`, problem.rule, problem.value);
}

/** What is wrong with a message, and where in it. */
interface Problem {
  readonly at: string;
  readonly rule: string;
  readonly value: unknown;
}

/** Long conversations go through here with every request, so that nothing is made for a message that is in order. */
function problemIn(message: unknown): Problem | undefined {
  if (!isObject(message)) return { at: "", rule: "must be a message, such as { role, content }", value: message };
  const { role, content, callId, native } = message;
  if (!isRole(role)) return { at: " role", rule: `must be one of ${Object.keys(PARTS).join(", ")}`, value: role };
  if (!Array.isArray(content)) {
    const rule = 'must be a list of parts, such as [{ type: "text", text: "Hello" }]';
    return { at: " content", rule, value: content };
  }
  if (role === "tool" && typeof callId !== "string") {
    return { at: " callId", rule: "must be the id of the call that it answers", value: callId };
  }
  if (!isNative(native)) return { at: " native", rule: NATIVE_RULE, value: native };
  const parts: readonly unknown[] = content;
  for (let place = 0; place < parts.length; place += 1) {
    const rule = problemOf(parts[place], PARTS[role]);
    if (rule !== undefined) return { at: ` content[${place}]`, rule, value: parts[place] };
  }
  return undefined;
}

/** What is wrong with a part, if something is. */
function problemOf(part: unknown, kinds: Names): string | undefined {
  const type = isObject(part) ? part["type"] : undefined;
  if (!isObject(part) || typeof type !== "string" || !Object.hasOwn(kinds, type)) {
    return `must have a type, one of ${Object.keys(kinds).join(", ")}`;
  }
  if (!isNative(part["native"])) return `has a native, which ${NATIVE_RULE}`;
  if (type === "image") return isObject(part["source"]) ? undefined : "must have a source, such as { type, url }";
  for (const name of TEXTS[type] ?? []) if (typeof part[name] !== "string") return `must have a string as its ${name}`;
  return undefined;
}

function isRole(role: unknown): role is Message["role"] {
  return typeof role === "string" && Object.hasOwn(PARTS, role);
}

/** Whether a value from outside is an object with fields, and no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
