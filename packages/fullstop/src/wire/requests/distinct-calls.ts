import type { AssistantMessage, Message, ToolCallPart, ToolMessage } from "../../request.ts";
import { callIdsOf } from "./calls.ts";
import type { AssistantPart } from "./messages.ts";
import { CallsOfId } from "./open-calls.ts";
import type { OpenCalls } from "./open-calls.ts";

/** A result, and where it stands in the conversation. */
interface PlacedResult {
  readonly index: number;
  readonly message: ToolMessage;
}

/** The calls with one id in the latest stretch of answers that has any. */
interface LatestCalls {
  readonly stretch: number;
  readonly calls: CallsOfId;
}

/**
 * A conversation in which no two calls have the same id. Servers that give calls none, or count them anew in every
 * answer, leave histories in which an id stands for another call in every turn. There a result belongs to the nearest
 * call before it that has none, of its tool where it says which. A call keeps its id unless an earlier one has it, so
 * that the next turn is written the same.
 */
export function withDistinctCallIds(messages: readonly Message[]): readonly Message[] {
  const ids = messages.flatMap((message) => (message.role === "assistant" ? callIdsOf(message) : []));
  return new Set(ids).size === ids.length ? messages : new DistinctCalls(messages).rename();
}

class DistinctCalls {
  readonly #messages: readonly Message[];
  readonly #renamed: Message[];
  /** All ids that must not be made up: those that calls have come by so far, and whatever the conversation holds. */
  readonly #taken: Set<string>;
  readonly #seen = new Set<string>();
  readonly #latest = new Map<string, LatestCalls>();
  /** By an id that several calls have: the number that the next of them gets. */
  readonly #copies = new Map<string, number>();
  /** Counts the stretches of answers that nothing stands between. */
  #stretch = 0;

  constructor(messages: readonly Message[]) {
    this.#messages = messages;
    this.#renamed = [...messages];
    this.#taken = new Set(messages.flatMap(callIdsOf));
  }

  rename(): readonly Message[] {
    let results: PlacedResult[] = [];
    for (const [index, message] of this.#messages.entries()) {
      if (message.role === "tool") results.push({ index, message });
      if (message.role !== "assistant") continue;
      this.#renameResults(results);
      results = [];
      if (this.#messages[index - 1]?.role !== "assistant") this.#stretch += 1;
      this.#renamed[index] = this.#renameCalls(message, index);
    }
    this.#renameResults(results);
    return this.#renamed;
  }

  #renameCalls(message: AssistantMessage, turn: number): AssistantMessage {
    const content = message.content.map((part): AssistantPart =>
      part.type === "tool-call" ? this.#renameCall(part, turn) : part,
    );
    return content.every((part, index) => part === message.content[index]) ? message : { ...message, content };
  }

  #renameCall(part: ToolCallPart, turn: number): ToolCallPart {
    const callId = this.#distinctId(part.callId);
    const latest = this.#latest.get(part.callId);
    const call = { callId, name: part.name, turn, isAnswered: false };
    if (latest?.stretch === this.#stretch) latest.calls.add(call);
    else this.#latest.set(part.callId, { stretch: this.#stretch, calls: new CallsOfId(call) });
    return callId === part.callId ? part : { ...part, callId };
  }

  /** Finds the calls of all results up to the next answer. */
  #renameResults(results: readonly PlacedResult[]): void {
    const counts = new Map<OpenCalls | undefined, number>();
    for (const { message } of results) {
      const calls = this.#callsOf(message);
      counts.set(calls, (counts.get(calls) ?? 0) + 1);
    }
    for (const { index, message } of results) {
      const calls = this.#callsOf(message);
      const all = this.#latest.get(message.callId)?.calls.all();
      // What is one too many is taken to be of the last.
      const call = calls?.take(counts.get(calls)) ?? all?.take() ?? all?.last();
      if (call !== undefined && call.callId !== message.callId) {
        this.#renamed[index] = { ...message, callId: call.callId };
      }
    }
  }

  /** The calls that a result can be of: those of the tool that it names, if there are any. */
  #callsOf({ callId, name }: ToolMessage): OpenCalls | undefined {
    const calls = this.#latest.get(callId)?.calls;
    return calls?.ofTool(name) ?? calls?.all();
  }

  #distinctId(id: string): string {
    if (!this.#seen.has(id)) {
      this.#seen.add(id);
      return id;
    }
    // Counted on from the last of the same id: a hundred thousand calls with one id would be compared with each other.
    let number = this.#copies.get(id) ?? 2;
    while (this.#taken.has(`${id}_${number}`)) number += 1;
    this.#copies.set(id, number + 1);
    this.#taken.add(`${id}_${number}`);
    return `${id}_${number}`;
  }
}
