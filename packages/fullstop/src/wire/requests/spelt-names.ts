import type { GenerationRequest, Message, ToolMessage } from "../../request.ts";

/** The most characters of a name that every provider takes. */
const MOST_CHARACTERS = 64;

/** What every provider takes as the name of a tool, if it is no longer. */
const PLAIN_NAME = /^[\w-]+$/u;

/**
 * The conversation of a request with names of calls that providers take. A model may call a tool that there is not, by
 * a name that no tool could have, such as `multi_tool_use.parallel`: it is told so, and its own provider would refuse
 * every later request in which the call still stands. The name of a tool of the request stays, whatever it is: whoever
 * takes the tool takes its name.
 */
export function withSpeltCallNames({ messages, tools = [] }: GenerationRequest): readonly Message[] {
  const known = new Set(tools.map(({ name }) => name));
  const takes = (name: string): boolean => isPlain(name) || known.has(name);
  return messages.every((message) => namesOf(message).every(takes))
    ? messages
    : messages.map((message) => renamed(message, (name) => (takes(name) ? name : spell(name))));
}

function isPlain(name: string): boolean {
  return name.length <= MOST_CHARACTERS && PLAIN_NAME.test(name);
}

function spell(name: string): string {
  return name.replaceAll(/[^\w-]/gu, "_").slice(0, MOST_CHARACTERS) || "unnamed";
}

/** Whether a result says which tool it is of. One that does not is named after its call. */
function hasName(message: ToolMessage): message is ToolMessage & { readonly name: string } {
  return message.name !== undefined && message.name !== "";
}

function namesOf(message: Message): readonly string[] {
  if (message.role === "tool") return hasName(message) ? [message.name] : [];
  if (message.role !== "assistant") return [];
  return message.content.flatMap((part) => (part.type === "tool-call" ? [part.name] : []));
}

function renamed(message: Message, rename: (name: string) => string): Message {
  if (message.role === "tool") return hasName(message) ? { ...message, name: rename(message.name) } : message;
  if (message.role !== "assistant") return message;
  return {
    ...message,
    content: message.content.map((part) => (part.type === "tool-call" ? { ...part, name: rename(part.name) } : part)),
  };
}
