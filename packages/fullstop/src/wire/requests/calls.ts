import type { Message, ToolMessage } from "../../request.ts";
import type { RequestWarnings } from "./warnings.ts";

/** Gives every tool call of a conversation an id, in dialects where a call and its result may come without one. */
export interface CallIds {
  /** The id of a call: its own, or one that is made up. */
  ofCall(id: string | undefined, name: string): string;
  /** The id of a result: its own, or that of the first call of the tool that has no result yet. */
  ofResult(id: string | undefined, name: string): string;
}

/** Opens the ids of one conversation, to be asked in its order. */
export function createCallIds(): CallIds {
  const known = new Set<string>();
  const answered = new Set<string>();
  // What was looked at once is not looked at again: conversations of a hundred thousand calls take no longer than others.
  const callsOf = new Map<string, { readonly ids: string[]; next: number }>();
  let nextNumber = 0;

  function invent(): string {
    nextNumber = Math.max(nextNumber, known.size);
    while (known.has(`call_${nextNumber}`)) nextNumber += 1;
    return `call_${nextNumber}`;
  }

  function firstOpen(name: string): string | undefined {
    const calls = callsOf.get(name) ?? { ids: [], next: 0 };
    for (let id = calls.ids[calls.next]; id !== undefined; id = calls.ids[calls.next]) {
      calls.next += 1;
      if (!answered.has(id)) return id;
    }
    return undefined;
  }

  return {
    ofCall(id = invent(), name) {
      known.add(id);
      const calls = callsOf.get(name);
      if (calls === undefined) callsOf.set(name, { ids: [id], next: 0 });
      else calls.ids.push(id);
      return id;
    },
    ofResult(id, name) {
      const callId = id ?? firstOpen(name) ?? invent();
      known.add(callId);
      answered.add(callId);
      return callId;
    },
  };
}

/** The arguments of a call as JSON text: those of a call without any are an empty object. */
export function argumentsText(json: string): string {
  return json.trim() === "" ? "{}" : json;
}

/**
 * How the ids of a conversation's calls are spelt for a provider that takes letters, digits, `_` and `-` only. A call
 * and its result stay together, different ids stay different, and the next turn spells them the same.
 */
export function spellCallIds(messages: readonly Message[]): (id: string) => string {
  const ids = new Set(messages.flatMap(callIdsOf));
  const spelt = new Map<string, string>();
  const numbers = new Map<string, number>();
  for (const id of ids) {
    if (/^[\w-]+$/.test(id)) continue;
    const base = id.replaceAll(/[^\w-]/g, "_") || "call";
    let number = numbers.get(base) ?? 1;
    let spelling = base;
    while (ids.has(spelling)) spelling = `${base}_${(number += 1)}`;
    numbers.set(base, number);
    ids.add(spelling);
    spelt.set(id, spelling);
  }
  return (id) => spelt.get(id) ?? id;
}

function callIdsOf(message: Message): readonly string[] {
  if (message.role === "tool") return [message.callId];
  if (message.role !== "assistant") return [];
  return message.content.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));
}

/** The tools that were called in a conversation, by the ids of the calls. */
export function toolNamesOf(messages: readonly Message[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const part of message.content) if (part.type === "tool-call") names.set(part.callId, part.name);
  }
  return names;
}

/** Warns of the name of a result's tool in a dialect that knows the call's id alone, unless the call says it too. */
export function warnOfToolName(
  message: ToolMessage,
  path: string,
  toolNames: ReadonlyMap<string, string>,
  warnings: RequestWarnings,
): void {
  if (message.name === undefined || toolNames.get(message.callId) === message.name) return;
  warnings.add(`${path}.name`, "The dialect has no place for the name of a result's tool; it was left out.");
}

/** Warns of the provider's proof on a tool call in a dialect that has no place for it there. */
export function warnOfCallSignature(signature: string | undefined, path: string, warnings: RequestWarnings): void {
  if (signature === undefined) return;
  warnings.add(`${path}.signature`, "The dialect has no place for a signature on a tool call; it was left out.");
}
