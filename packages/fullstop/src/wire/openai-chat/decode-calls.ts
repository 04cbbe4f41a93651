import { jsonTextOf, recordOf, stringOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import type { CallKey, ToolCalls } from "../reading/tool-calls.ts";

/** A call that has no name yet, or whose name may go on. */
interface PendingCall {
  id: string;
  name: string;
  readonly isText: boolean;
  /** The arguments that have come before the name. */
  json: string;
  /** Whether some of them were more than may wait, so that the call will never be whole. */
  isBroken: boolean;
}

/** How long a name in pieces can get, and how many calls may wait for their arguments. More is no honest server's. */
const LONGEST_NAME = 65_536;
const MOST_PENDING = 10_000;

/** How much of the arguments of all calls may wait for names, in characters. */
const MOST_HELD = 1_048_576;

/** What stands for arguments where there are none, or no call. */
const PLACEHOLDERS: ReadonlySet<string> = new Set(["", "{}", "null"]);
const LONGEST_PLACEHOLDER = 8;

/** Whether arguments only fill their place. */
export function isPlaceholder(json: string): boolean {
  // Longer ones are not looked at, which would be done for every piece that is added to them.
  return json.length <= LONGEST_PLACEHOLDER && PLACEHOLDERS.has(json.trim());
}

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
  /** By their ids, and by their places in a list: the calls that had them last. */
  readonly #byId = new Map<string, CallKey>();
  readonly #byPosition = new Map<number, CallKey>();
  /** The call that came last. */
  #last: CallKey | undefined;
  #held = 0;
  #isLost = false;

  constructor(calls: ToolCalls) {
    this.#calls = calls;
  }

  /** Whether arguments have come that belong to no call, so that they are missing in some. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Reads a piece of a call that stands at a place in its list. */
  read(call: JsonRecord, position: number): void {
    const id = stringOf(call["id"]);
    const isText = "custom" in call;
    const { name, arguments: json, input } = recordOf(call["function"] ?? call["custom"]);
    const key = this.#keyOf(call["index"], id, stringOf(name), position);
    this.#name(key, id, stringOf(name), isText);
    this.#remember(key, id, stringOf(name), position);
    this.#add(key, isText ? stringOf(input) : jsonTextOf(json));
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
    const given = typeof index === "number" ? index : id === "" ? undefined : `id ${id}`;
    const earlier = given !== undefined && this.#isKnown(given) ? undefined : this.#earlier(given, id, name, position);
    if (earlier !== undefined) return earlier;
    const key = given ?? position;
    const known = this.#pending.get(key)?.id ?? this.#calls.idOf(key);
    if (known === undefined || name === "") return key;
    const isOther = id === "" ? this.#calls.isComplete(key) : known !== "" && known !== id;
    if (!isOther) return key;
    // The earlier call is whole or will not go on; its place is taken over.
    this.#begin(key);
    this.#taken.add(key);
    return key;
  }

  /**
   * The call that a piece goes on with which names none, or none that is known. Some servers leave out what tells the
   * pieces apart, or count on with every piece: without a name such a piece is one of the call that came before it.
   * Taken for a call of its own it would be lost, and the other one run with what came until then.
   */
  #earlier(given: CallKey | undefined, id: string, name: string, position: number): CallKey | undefined {
    const atPosition = this.#byPosition.get(position);
    if (name !== "") {
      const isWaiting = given === undefined && atPosition !== undefined && this.#pending.get(atPosition)?.name === "";
      return isWaiting ? atPosition : undefined;
    }
    if (id !== "") return this.#byId.get(id);
    const earlier = given === undefined ? atPosition : this.#last;
    return earlier === undefined || this.#isOver(earlier) ? undefined : earlier;
  }

  /** Whether no more arguments can come for a call. One that waits for its name may have taken over a place. */
  #isOver(key: CallKey): boolean {
    return !this.#pending.has(key) && this.#calls.isComplete(key);
  }

  #isKnown(key: CallKey): boolean {
    return this.#pending.has(key) || this.#calls.has(key);
  }

  #remember(key: CallKey, id: string, name: string, position: number): void {
    if (id === "" && name === "") return;
    if (id !== "") this.#byId.set(id, key);
    this.#byPosition.set(position, key);
    this.#last = key;
  }

  /** Adds a piece of the arguments, or keeps it until the name comes, which some servers send later. */
  #add(key: CallKey, piece: string): void {
    if (piece === "") return;
    const pending = this.#pending.get(key);
    // What has filled the place of arguments is no part of them.
    if (pending !== undefined && isPlaceholder(pending.json)) {
      this.#held -= pending.json.length;
      pending.json = "";
    }
    if (pending === undefined || pending.name !== "" || pending.isText) {
      this.#begin(key);
      this.#calls.add(key, piece);
    } else if (this.#held + piece.length > MOST_HELD) pending.isBroken = true;
    else {
      pending.json += piece;
      this.#held += piece.length;
    }
  }

  #name(key: CallKey, id: string, name: string, isText: boolean): void {
    const pending = this.#pending.get(key);
    if (pending !== undefined) {
      // A name that is sent with every piece is not a name in pieces.
      if (name !== pending.name && pending.name.length < LONGEST_NAME) pending.name += name;
      if (pending.id === "") pending.id = id;
      return;
    }
    if (this.#calls.has(key) && !this.#taken.has(key)) return;
    this.#taken.delete(key);
    this.#pending.set(key, { id, name, isText, json: "", isBroken: false });
    // Whoever counts how large an answer gets has to see them.
    if (this.#pending.size <= MOST_PENDING) return;
    this.flush();
    this.#byId.clear();
  }

  #begin(key: CallKey): void {
    const pending = this.#pending.get(key);
    if (pending === undefined) return;
    this.#pending.delete(key);
    const { id, name, isText, json, isBroken } = pending;
    this.#held -= json.length;
    if (name === "") {
      this.#isLost ||= isBroken || !isPlaceholder(json);
      return;
    }
    if (isText) this.#calls.startText(key, id, name);
    else this.#calls.start(key, id, name);
    this.#calls.add(key, json);
    if (isBroken) this.#calls.break(key);
  }
}
