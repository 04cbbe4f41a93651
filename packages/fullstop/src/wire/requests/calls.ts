import type { Message, ToolMessage } from "../../request.ts";
import { OpenCalls } from "./open-calls.ts";
import type { RequestWarnings } from "./warnings.ts";

/** Gives every tool call of a conversation an id, in dialects where a call and its result may come without one. */
export interface CallIds {
  /** Says that the model's turn is over: what it calls from now on, it calls in another. */
  endTurn(): void;
  /** The id of a call: its own, or one that is made up where it has none or another was made up like it. */
  ofCall(id: string | undefined, name: string): string;
  /** The id of a result: that of the call that it names, or of the nearest call of the tool that has no result yet. */
  ofResult(id: string | undefined, name: string | undefined): string;
}

/** Opens the ids of one conversation, to be asked in its order. What is made up does not change with what follows. */
export function createCallIds(): CallIds {
  const calls = new OpenCalls();
  const known = new Set<string>();
  const invented = new Set<string>();
  let nextNumber = 0;

  function idOf(given: string | undefined): string {
    if (given !== undefined && !invented.has(given)) {
      known.add(given);
      return given;
    }
    nextNumber = Math.max(nextNumber, known.size);
    while (known.has(`call_${nextNumber}`)) nextNumber += 1;
    const id = `call_${nextNumber}`;
    known.add(id);
    invented.add(id);
    return id;
  }

  return {
    endTurn() {
      calls.endTurn();
    },
    ofCall(id, name) {
      const callId = idOf(id);
      calls.add({ id, name }, callId);
      return callId;
    },
    ofResult(id, name) {
      if (id === undefined) return calls.take({ name }) ?? idOf(id);
      // Several calls may have the id: that of the tool has its result now.
      return calls.take({ id, name }) ?? calls.take({ id }) ?? calls.latest(id) ?? idOf(id);
    },
  };
}

/** The arguments of a call as JSON text: those of a call without any are an empty object. */
export function argumentsText(json: string): string {
  return json.trim() === "" ? "{}" : json;
}

/** The ids of calls that a message holds: of those that it makes, or of the one that it brings the result of. */
export function callIdsOf(message: Message): readonly string[] {
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
