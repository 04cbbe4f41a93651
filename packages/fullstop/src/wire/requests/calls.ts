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
  const callsOf = new Map<string, string[]>();

  function invent(): string {
    let number = known.size;
    while (known.has(`call_${number}`)) number += 1;
    return `call_${number}`;
  }

  function firstOpen(name: string): string | undefined {
    const calls = callsOf.get(name) ?? [];
    for (let id = calls.shift(); id !== undefined; id = calls.shift()) if (!answered.has(id)) return id;
    return undefined;
  }

  return {
    ofCall(id = invent(), name) {
      known.add(id);
      const calls = callsOf.get(name);
      if (calls === undefined) callsOf.set(name, [id]);
      else calls.push(id);
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
