import { checkMessages } from "../check-message.ts";
import { checkNames } from "../check.ts";
import { invalidArgument } from "../errors.ts";
import type { AssistantMessage, Message, ToolCallPart, ToolMessage } from "../request.ts";
import { parseJson } from "../wire/json.ts";

/** What a tool call is answered with when its result is missing. */
export const INTERRUPTED_RESULT =
  "There is no result, because the run was interrupted. The tool may have run partly; check before you call it again.";

/** How a conversation is repaired. */
export interface RepairOptions {
  /**
   * What a tool call is answered with when its result is missing. Default {@link INTERRUPTED_RESULT}. Answers with
   * either text give way to a real result that comes late; those with a text of an earlier setting do not.
   */
  readonly interruptedText?: string | undefined;
}

/**
 * Makes a conversation valid for every provider again after a stop, a crash or a cut stream. Afterwards every tool
 * call has exactly one result, directly behind the message of the call and in the order of the calls. Late results are
 * moved, doubled ones and those without a call dropped, missing ones filled in; calls whose arguments were cut are
 * removed, and with them what is then left without meaning. Everything else stays as it is and where it is.
 *
 * It is meant to be run on every send. A conversation that needs no repair is returned as the same object.
 */
export function repairHistory(messages: readonly Message[], options: RepairOptions = {}): readonly Message[] {
  const { interruptedText } = toSettings(options);
  if (!Array.isArray(messages)) throw invalidArgument("messages", "must be a list of messages", messages);
  checkMessages("messages", messages);
  return repairMessages(messages, interruptedText);
}

/** Repairs messages that are known to be some. */
export function repairMessages(
  messages: readonly Message[],
  interruptedText: string = INTERRUPTED_RESULT,
): readonly Message[] {
  const turns = assignResults(messages, new Set([INTERRUPTED_RESULT, interruptedText]));
  const repaired = messages.flatMap((message, index): readonly Message[] => {
    // Results leave with the message of their calls, so nothing can stand between them.
    if (message.role === "tool") return [];
    if (message.role !== "assistant") return [message];
    const whole = withoutFragments(message);
    if (isHollow(whole)) return [];
    const kept = new Set<unknown>(whole.content);
    const slots = (turns.get(index) ?? []).filter(({ call }) => kept.has(call));
    return [whole, ...slots.map(({ call, result }) => result ?? interruptedResult(call, interruptedText))];
  });
  const isUnchanged =
    repaired.length === messages.length && repaired.every((message, index) => message === messages[index]);
  return isUnchanged ? messages : repaired;
}

/** A call and the result that was found for it. */
interface Slot {
  readonly call: ToolCallPart;
  result: ToolMessage | undefined;
}

function toSettings(options: RepairOptions): { readonly interruptedText: string } {
  checkNames("repair", options, { interruptedText: true });
  const { interruptedText = INTERRUPTED_RESULT } = options;
  if (typeof interruptedText !== "string" || interruptedText.trim() === "") {
    throw invalidArgument("interruptedText", "must be a text", interruptedText);
  }
  return { interruptedText };
}

/**
 * Finds the result of every call, by the place of the message in which it was called. Ids alone do not tell: some
 * providers use the same ones again in every turn, so a result belongs to the nearest call that still waits for it.
 */
function assignResults(
  messages: readonly Message[],
  interruptedTexts: ReadonlySet<string>,
): ReadonlyMap<number, readonly Slot[]> {
  const turns = new Map<number, readonly Slot[]>();
  const turnsOf = new Map<string, (readonly Slot[])[]>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant") {
      const slots = slotsOf(message);
      turns.set(index, slots);
      for (const callId of new Set(slots.map(({ call }) => call.callId))) {
        const others = turnsOf.get(callId);
        if (others === undefined) turnsOf.set(callId, [slots]);
        else others.push(slots);
      }
    } else if (message.role === "tool") {
      const slot = findSlot(turnsOf.get(message.callId) ?? [], message, interruptedTexts);
      if (slot !== undefined) slot.result = message;
    }
  }
  return turns;
}

function slotsOf(message: AssistantMessage): readonly Slot[] {
  return message.content.flatMap((part) => (part.type === "tool-call" ? [{ call: part, result: undefined }] : []));
}

/** The place of a result in the nearest turn that has one for it, be it that of a made-up result. */
function findSlot(
  turns: readonly (readonly Slot[])[],
  { callId, name }: ToolMessage,
  interruptedTexts: ReadonlySet<string>,
): Slot | undefined {
  for (let index = turns.length - 1; index >= 0; index--) {
    // Calls of one message that share an id are answered in their order, those of the tool that a result names first.
    const slots = turns[index]!.filter(({ call }) => call.callId === callId);
    const slot =
      slots.find(({ call, result }) => result === undefined && call.name === name) ??
      slots.find(({ result }) => result === undefined) ??
      slots.find(({ result }) => result !== undefined && isInterrupted(result, interruptedTexts));
    if (slot !== undefined) return slot;
  }
  return undefined;
}

function isInterrupted({ isError, content }: ToolMessage, interruptedTexts: ReadonlySet<string>): boolean {
  const [part] = content;
  return isError === true && content.length === 1 && part?.type === "text" && interruptedTexts.has(part.text);
}

/** The name goes along because an id that was used twice does not lead every dialect to the right tool. */
function interruptedResult({ callId, name }: ToolCallPart, text: string): ToolMessage {
  return { role: "tool", callId, name, content: [{ type: "text", text }], isError: true };
}

/** Whether a part is a call whose arguments broke off. A tool without any is often called with no text at all. */
function isCut(part: AssistantMessage["content"][number]): boolean {
  return part.type === "tool-call" && part.json.trim() !== "" && parseJson(part.json) === undefined;
}

/** The message without calls that were cut and, where it was broken off, without thinking that led to nothing. */
function withoutFragments(message: AssistantMessage): AssistantMessage {
  const parts = message.content.filter((part) => !isCut(part));
  const isBroken = message.isPartial === true || parts.at(-1) !== message.content.at(-1);
  const end = isBroken ? parts.findLastIndex(({ type }) => type !== "reasoning") + 1 : parts.length;
  return end === message.content.length ? message : { ...message, content: parts.slice(0, end) };
}

/** Whether a message says and does nothing. Thinking alone counts as nothing: providers refuse it without an answer. */
function isHollow({ content }: AssistantMessage): boolean {
  return content.every((part) => part.type === "reasoning" || (part.type === "text" && part.text === ""));
}
