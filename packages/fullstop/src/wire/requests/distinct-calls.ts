import type { AssistantMessage, Message, ToolCallPart, ToolMessage } from "../../request.ts";
import { callIdsOf } from "./calls.ts";
import type { AssistantPart } from "./messages.ts";
import { OpenCalls } from "./open-calls.ts";

/** A result, and where it stands in the conversation. */
interface PlacedResult {
  readonly index: number;
  readonly message: ToolMessage;
}

/**
 * A conversation in which no two calls have the same id. Servers that give calls none, or count them anew in every
 * answer, leave histories in which an id stands for another call in every turn. A call keeps its id unless an earlier
 * one has it, and nothing depends on what the model says later: a provider that reads a turn spelt anew does not find
 * it in its cache.
 */
export function withDistinctCallIds(messages: readonly Message[]): readonly Message[] {
  const ids = messages.flatMap((message) => (message.role === "assistant" ? callIdsOf(message) : []));
  return new Set(ids).size === ids.length ? messages : new DistinctCalls().rename(messages);
}

class DistinctCalls {
  readonly #calls = new OpenCalls();
  /** The ids that calls go by so far. */
  readonly #callIds = new Set<string>();
  /** Those, and the ids of results whose calls are not there any more: none of them is made up. */
  readonly #taken = new Set<string>();
  /** By an id that several have: the number that the next of them gets. */
  readonly #copies = new Map<string, number>();

  rename(messages: readonly Message[]): readonly Message[] {
    const renamed = [...messages];
    let results: PlacedResult[] = [];
    for (const [index, message] of messages.entries()) {
      if (message.role === "assistant") {
        this.#renameResults(results, renamed);
        results = [];
        renamed[index] = this.#renameCalls(message);
      } else {
        this.#calls.endTurn();
        if (message.role === "tool") results.push({ index, message });
      }
    }
    this.#renameResults(results, renamed);
    return renamed;
  }

  #renameCalls(message: AssistantMessage): AssistantMessage {
    const content = message.content.map((part): AssistantPart =>
      part.type === "tool-call" ? this.#renameCall(part) : part,
    );
    return content.every((part, index) => part === message.content[index]) ? message : { ...message, content };
  }

  #renameCall(part: ToolCallPart): ToolCallPart {
    const callId = this.#distinctId(part.callId);
    this.#callIds.add(callId);
    this.#calls.add({ id: part.callId, name: part.name }, callId);
    return callId === part.callId ? part : { ...part, callId };
  }

  /** Finds the calls of all results up to the model's next message. */
  #renameResults(results: readonly PlacedResult[], renamed: Message[]): void {
    // Where an id is of several tools, those that name theirs come first: others would take the calls that they mean.
    const named = results.map(({ message: { callId: id, name } }) =>
      name !== undefined && this.#calls.isOfSeveral(id) ? this.#calls.take({ id, name }) : undefined,
    );
    for (const [place, { index, message }] of results.entries()) {
      const id = message.callId;
      // What is one too many is taken to be of the last, and what is of no call must not seem to be of one.
      const callId = named[place] ?? this.#calls.take({ id }) ?? this.#calls.latest(id) ?? this.#distinctId(id);
      if (callId !== id) renamed[index] = { ...message, callId };
    }
  }

  /** The id itself, or one that is made up where a call goes by it. */
  #distinctId(id: string): string {
    let distinct = id;
    if (this.#callIds.has(id)) {
      // Counted on from the last of the same id: a hundred thousand calls with one id would be compared with each other.
      let number = this.#copies.get(id) ?? 2;
      while (this.#taken.has(`${id}_${number}`)) number += 1;
      this.#copies.set(id, number + 1);
      distinct = `${id}_${number}`;
    }
    this.#taken.add(distinct);
    return distinct;
  }
}
