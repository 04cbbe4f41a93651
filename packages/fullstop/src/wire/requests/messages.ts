import { invalidArgument } from "../../errors.ts";
import type { AssistantMessage, Message, SystemMessage, TextPart, ToolMessage, UserMessage } from "../../request.ts";
import type { BodyValue } from "./reader.ts";
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
export interface SeparatedMessages<Turn> {
  readonly system: readonly TextPart[];
  readonly turns: readonly Placed<Turn>[];
}

/** What is special about the instructions of a dialect. */
interface Separation {
  /** Whether a text counts as none. */
  readonly isEmpty?: ((text: string) => boolean) | undefined;
  /** Whether instructions stay where they stand in the conversation, once a user has said something in it. */
  readonly isKept?: ((message: SystemMessage) => boolean) | undefined;
}

/**
 * Takes the instructions out of a conversation, for dialects that keep them in a place of their own. Those that stood
 * in the middle of it move there too. Where there is nothing but instructions, they become what the user says.
 */
export function separateSystem(messages: readonly Message[], warnings: RequestWarnings): SeparatedMessages<TurnMessage>;
export function separateSystem(
  messages: readonly Message[],
  warnings: RequestWarnings,
  separation: Separation,
): SeparatedMessages<Message>;
export function separateSystem(
  messages: readonly Message[],
  warnings: RequestWarnings,
  { isEmpty, isKept }: Separation = {},
): SeparatedMessages<Message> {
  const system: TextPart[] = [];
  const turns: Placed<Message>[] = [];
  let isBegun = false;
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`;
    if (message.role !== "system" || (isBegun && isKept?.(message) === true)) {
      isBegun ||= isSaid(message, isEmpty);
      turns.push({ value: message, path });
      continue;
    }
    if (isKept?.(message) === true) warnOfMovedSettings(message, path, warnings);
    if (turns.length > 0) warnings.add(path, "Instructions within the conversation were moved before it.");
    for (const { value } of withoutEmptyTexts(message.content, path, warnings, isEmpty)) system.push(value);
  }
  if (turns.length > 0 || system.length === 0) return { system, turns };
  warnings.add("messages", "The dialect wants a conversation; the instructions were sent as the user's words.");
  return { system: [], turns: [{ value: { role: "user", content: system }, path: "messages" }] };
}

/** Whether a message is more than nothing from the side of the user. */
function isSaid(message: Message, isEmpty: (text: string) => boolean = isNothing): boolean {
  if (message.role !== "user") return message.role === "tool";
  return message.content.some((part) => part.type !== "text" || !isEmpty(part.text));
}

/** Only a message can hold settings, and what stands before the conversation is none. */
function warnOfMovedSettings({ native }: SystemMessage, path: string, warnings: RequestWarnings): void {
  for (const name of Object.keys(native?.fields ?? {})) {
    warnings.add(`${path}.${name}`, "The dialect takes it only behind what a user says; it was left out.");
  }
}

/** The parts of a message without texts that are empty, which these dialects refuse, each by its own measure. */
export function withoutEmptyTexts<Part extends { readonly type: string }>(
  content: readonly Part[],
  path: string,
  warnings: RequestWarnings,
  isEmpty: (text: string) => boolean = isNothing,
): readonly Placed<Part>[] {
  return content.flatMap((part, index) => {
    const placed = { value: part, path: `${path}.content[${index}]` };
    const text = part.type === "text" && "text" in part ? part.text : undefined;
    if (typeof text !== "string" || !isEmpty(text)) return [placed];
    warnings.add(placed.path, "The dialect takes no empty text; it was left out.");
    return [];
  });
}

function isNothing(text: string): boolean {
  return text === "";
}

/** Refuses a conversation of which nothing is left: no provider answers to nothing. */
export function checkConversation(written: readonly unknown[], messages: readonly Message[]): void {
  if (written.length === 0) throw invalidArgument("messages", "must hold something that can be sent", messages);
}

/** Warns of a message with nothing in it, which these dialects refuse. */
export function warnOfEmptyMessage({ value, path }: Placed<Message>, warnings: RequestWarnings): void {
  if (value.content.length === 0) {
    warnings.add(path, "The dialect takes no message without content; it was left out.");
  }
}

/**
 * Takes apart a user's message that also holds the results of tools. The results come first, because everywhere else
 * they have to follow their calls at once.
 */
export function splitResults(
  parts: readonly (UserPart | ToolMessage)[],
  content: BodyValue | undefined,
): readonly Message[] {
  const results: ToolMessage[] = [];
  const said: UserPart[] = [];
  let isMoved = false;
  for (const part of parts) {
    if (!("role" in part)) said.push(part);
    else {
      isMoved ||= said.length > 0;
      results.push(part);
    }
  }
  if (isMoved) content?.leaveOut("The results of tools were moved before what is said beside them.");
  return said.length === 0 && results.length > 0 ? results : [...results, { role: "user", content: said }];
}
