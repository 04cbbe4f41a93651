import type { AssistantMessage, Message, ToolCallPart, ToolMessage } from "../../request.ts";
import type { AssistantPart } from "./messages.ts";

/** The calls with one id in the latest turn that has any: by which ids they go, and how many have their results. */
interface LatestCalls {
  readonly turn: number;
  readonly ids: string[];
  answered: number;
}

/**
 * A conversation in which no two calls have the same id. Servers that give calls none, or count them anew in every
 * answer, leave histories in which an id stands for another call in every turn. There a result belongs to the nearest
 * call before it that has none. A call keeps its id unless an earlier one has it, so that the next turn is written the
 * same.
 */
export function withDistinctCallIds(messages: readonly Message[]): readonly Message[] {
  const calls = new DistinctCalls();
  return messages.map((message) => {
    if (message.role === "assistant") return calls.renameCalls(message);
    return message.role === "tool" ? calls.renameResult(message) : calls.pass(message);
  });
}

class DistinctCalls {
  readonly #taken = new Set<string>();
  readonly #latest = new Map<string, LatestCalls>();
  /** By an id that several calls have: the number that the next of them gets. */
  readonly #copies = new Map<string, number>();
  /** Counts on with everything that is not the model's. */
  #turn = 0;

  pass(message: Message): Message {
    this.#turn += 1;
    return message;
  }

  renameCalls(message: AssistantMessage): AssistantMessage {
    const content = message.content.map((part): AssistantPart =>
      part.type === "tool-call" ? this.#rename(part) : part,
    );
    return content.every((part, index) => part === message.content[index]) ? message : { ...message, content };
  }

  renameResult(message: ToolMessage): ToolMessage {
    this.#turn += 1;
    const calls = this.#latest.get(message.callId);
    if (calls === undefined) return message;
    // What is one too many is taken to be of the last.
    const callId = calls.ids[Math.min(calls.answered, calls.ids.length - 1)] ?? message.callId;
    calls.answered += 1;
    return callId === message.callId ? message : { ...message, callId };
  }

  #rename(part: ToolCallPart): ToolCallPart {
    const callId = this.#distinctId(part.callId);
    const known = this.#latest.get(part.callId);
    if (known?.turn === this.#turn) known.ids.push(callId);
    else this.#latest.set(part.callId, { turn: this.#turn, ids: [callId], answered: 0 });
    return callId === part.callId ? part : { ...part, callId };
  }

  #distinctId(id: string): string {
    let distinct = id;
    // Counted on from the last of the same id: a hundred thousand calls with one id would be compared with each other.
    let number = this.#copies.get(id) ?? 2;
    for (; this.#taken.has(distinct); number++) distinct = `${id}_${number}`;
    if (number > 2) this.#copies.set(id, number);
    this.#taken.add(distinct);
    return distinct;
  }
}
