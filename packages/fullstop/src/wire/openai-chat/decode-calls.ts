import { jsonTextOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import type { CallKey, ToolCalls } from "../reading/tool-calls.ts";

/** A call that has no name yet, or whose name may go on. */
interface PendingCall {
  readonly id: string;
  name: string;
  readonly isText: boolean;
}

/** How long a name in pieces can get, and how many calls may wait for their arguments. More is no honest server's. */
const LONGEST_NAME = 65_536;
const MOST_PENDING = 10_000;

/**
 * Reads the calls of a chat, which servers number in many ways: by an index, by an id without one, by nothing at all,
 * with the same index for all of them, with a name in pieces or in every piece. A call begins when its arguments do,
 * because only then its name is whole; one that never gets a name is a placeholder and no call.
 */
export class ChatCallReader {
  readonly #calls: ToolCalls;
  readonly #pending = new Map<CallKey, PendingCall>();
  /** Places that another call is about to take over. */
  readonly #taken = new Set<CallKey>();

  constructor(calls: ToolCalls) {
    this.#calls = calls;
  }

  /** Reads a piece of a call that stands at a place in its list. */
  read(call: JsonRecord, position: number): void {
    const id = stringOf(call["id"]);
    const isText = "custom" in call;
    const { name, arguments: json, input } = recordOf(call["function"] ?? call["custom"]);
    const key = this.#keyOf(call["index"], id, stringOf(name), position);
    this.#name(key, id, stringOf(name), isText);
    const piece = isText ? stringOf(input) : jsonTextOf(json);
    if (piece !== "") this.#begin(key);
    this.#calls.add(key, piece);
    this.#sign(key, call["extra_content"]);
  }

  /** Google's proof for the thinking that led to a call, in the place that its own route has for it. */
  #sign(key: CallKey, extra: unknown): void {
    const signature = stringOf(recordOf(recordOf(extra)["google"])["thought_signature"]);
    if (signature === "") return;
    this.#begin(key);
    this.#calls.sign(key, signature, "gemini");
  }

  /** Begins what has a name and has not begun. */
  flush(): void {
    for (const key of this.#pending.keys()) this.#begin(key);
  }

  /** What tells the call apart. Some servers give every call the index 0, so that only its id or its name is new. */
  #keyOf(index: unknown, id: string, name: string, position: number): CallKey {
    const key = typeof index === "number" ? index : id === "" ? position : `id ${id}`;
    const known = this.#pending.get(key)?.id ?? this.#calls.idOf(key);
    if (known === undefined || name === "") return key;
    const isOther = id === "" ? this.#calls.isComplete(key) : known !== "" && known !== id;
    if (!isOther) return key;
    // The earlier call is whole or will not go on; its place is taken over.
    this.#begin(key);
    this.#taken.add(key);
    return key;
  }

  #name(key: CallKey, id: string, name: string, isText: boolean): void {
    const pending = this.#pending.get(key);
    if (pending !== undefined) {
      // A name that is sent with every piece is not a name in pieces.
      if (name !== pending.name && pending.name.length < LONGEST_NAME) pending.name += name;
      return;
    }
    if (this.#calls.has(key) && !this.#taken.has(key)) return;
    this.#taken.delete(key);
    this.#pending.set(key, { id, name, isText });
    // Whoever counts how large an answer gets has to see them.
    if (this.#pending.size > MOST_PENDING) this.flush();
  }

  #begin(key: CallKey): void {
    const pending = this.#pending.get(key);
    if (pending === undefined) return;
    this.#pending.delete(key);
    const { id, name, isText } = pending;
    if (name === "") return;
    if (isText) this.#calls.startText(key, id, name);
    else this.#calls.start(key, id, name);
  }
}
