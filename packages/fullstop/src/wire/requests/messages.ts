import type { AssistantMessage, Message, SystemMessage, TextPart, ToolMessage, UserMessage } from "../../request.ts";
import type { RequestWarnings } from "./warnings.ts";

/** One part of what a user says or a tool answers. */
export type UserPart = UserMessage["content"][number];

/** One part of what the model has answered. */
export type AssistantPart = AssistantMessage["content"][number];

/** A message or a part of one, and where it stands in the request. */
export interface Placed<T> {
  readonly value: T;
  readonly path: string;
}

/** A message of the conversation itself. */
export type TurnMessage = Exclude<Message, SystemMessage>;

/** A request whose instructions stand apart from its conversation. */
export interface SeparatedMessages {
  readonly system: readonly TextPart[];
  readonly turns: readonly Placed<TurnMessage>[];
}

/**
 * Takes the instructions out of a conversation, for dialects that keep them in a place of their own. Those that stood
 * in the middle of it move there too. Where there is nothing but instructions, they become what the user says.
 */
export function separateSystem(messages: readonly Message[], warnings: RequestWarnings): SeparatedMessages {
  const system: TextPart[] = [];
  const turns: Placed<TurnMessage>[] = [];
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`;
    if (message.role !== "system") {
      turns.push({ value: message, path });
      continue;
    }
    if (turns.length > 0) warnings.add(path, "Instructions within the conversation were moved before it.");
    for (const { value } of withoutEmptyTexts(message.content, path, warnings)) system.push(value);
  }
  if (turns.length > 0 || system.length === 0) return { system, turns };
  warnings.add("messages", "The dialect wants a conversation; the instructions were sent as the user's words.");
  return { system: [], turns: [{ value: { role: "user", content: system }, path: "messages" }] };
}

/** The parts of a message without texts that are empty, which these dialects refuse. */
export function withoutEmptyTexts<Part extends { readonly type: string }>(
  content: readonly Part[],
  path: string,
  warnings: RequestWarnings,
): readonly Placed<Part>[] {
  return content.flatMap((part, index) => {
    const placed = { value: part, path: `${path}.content[${index}]` };
    if (part.type !== "text" || !("text" in part) || part.text !== "") return [placed];
    warnings.add(placed.path, "The dialect takes no empty text; it was left out.");
    return [];
  });
}

/** Warns of a message with nothing in it, which these dialects refuse. */
export function warnOfEmptyMessage({ value, path }: Placed<TurnMessage>, warnings: RequestWarnings): void {
  if (value.content.length === 0) {
    warnings.add(path, "The dialect takes no message without content; it was left out.");
  }
}

/** Takes apart a user's message that also holds the results of tools, in the order in which they stand in it. */
export function splitResults(parts: readonly (UserPart | ToolMessage)[]): readonly Message[] {
  const messages: Message[] = [];
  let said: UserPart[] | undefined;
  for (const part of parts) {
    if ("role" in part) {
      said = undefined;
      messages.push(part);
    } else if (said === undefined) {
      said = [part];
      messages.push({ role: "user", content: said });
    } else {
      said.push(part);
    }
  }
  return messages.length === 0 ? [{ role: "user", content: [] }] : messages;
}
