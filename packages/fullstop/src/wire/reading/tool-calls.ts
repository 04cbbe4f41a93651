import type { GenerationEvent, ToolCallStartEvent } from "../../events.ts";
import type { NativeFields } from "../../request.ts";
import type { Sink } from "../../stage.ts";
import type { WireFormatName } from "../format.ts";
import { hashOf } from "../hash.ts";
import { parseJson } from "../json.ts";
import { JsonBalance } from "./json-balance.ts";

interface Call {
  /** The provider's id, and the one that is passed on, which no other call of the answer has. */
  readonly id: string;
  readonly callId: string;
  /** Whether the arguments are plain text, which is passed on as the field `input` of an object. */
  readonly isText: boolean;
  json: string;
  readonly balance: JsonBalance;
  /** Whether the arguments were found not to be JSON although their brackets close. Nothing that follows mends that. */
  isOdd: boolean;
  /**
   * Open while arguments may come, written when the provider has said that none will, ended when that was passed on,
   * broken when the provider has said that the call is not whole.
   */
  state: "open" | "written" | "ended" | "broken";
  proof: { readonly signature: string; readonly signedBy: string } | undefined;
}

/** How far the calls of an answer have got when it ends. */
export type CallsOutcome = "none" | "complete" | "cut";

/** What a call is told apart by: whatever the provider tells it apart by. */
export type CallKey = string | number;

/**
 * The tool calls of one answer. A call is passed on as ended only when its arguments are whole; a call that was cut
 * must not look like one that can be run.
 */
export class ToolCalls {
  readonly #next: Sink<GenerationEvent>;
  readonly #format: WireFormatName;
  readonly #calls = new Map<CallKey, Call>();
  readonly #callIds = new Set<string>();
  /** By an id that several calls have: the number that the next of them gets. */
  readonly #copies = new Map<string, number>();
  #prefix = "call";

  constructor(next: Sink<GenerationEvent>, format: WireFormatName) {
    this.#next = next;
    this.#format = format;
  }

  /** What tells the answer from every other one. Ids that are made up hold it: a conversation has calls of many answers. */
  distinguish(answer: string): void {
    if (answer !== "") this.#prefix = `call_${hashOf(answer)}`;
  }

  has(key: CallKey): boolean {
    return this.#calls.has(key);
  }

  /** The provider's id of a call. */
  idOf(key: CallKey): string | undefined {
    return this.#calls.get(key)?.id;
  }

  /** What has come of a call's arguments. */
  jsonOf(key: CallKey): string {
    return this.#calls.get(key)?.json ?? "";
  }

  /** Whether nothing can come any more that belongs to a call's arguments. */
  isComplete(key: CallKey): boolean {
    const call = this.#calls.get(key);
    return call !== undefined && isCompleteObject(call);
  }

  /** Begins a call whose arguments are JSON. */
  start(key: CallKey, id: string, name: string, native?: NativeFields): void {
    this.#begin(key, id, { name, ...(native !== undefined && { native }) });
  }

  /** Begins a call whose arguments are plain text. */
  startText(key: CallKey, id: string, name: string, native?: NativeFields): void {
    this.#begin(key, id, { name, isText: true, ...(native !== undefined && { native }) });
    this.#push(key, TEXT_OPENING);
  }

  /**
   * Adds a piece to a call's arguments: of JSON, or of the text if they are text. Tells whether there is a call that it
   * can be a piece of; without it that call may look like one without arguments.
   */
  add(key: CallKey, piece: string): boolean {
    if (piece === "") return true;
    const call = this.#calls.get(key);
    this.#push(key, call?.isText === true ? JSON.stringify(piece).slice(1, -1) : piece);
    return call?.state === "open" || call?.state === "ended";
  }

  /** Keeps the proof that belongs to a call until the call ends. */
  sign(key: CallKey, signature: string, signedBy: string = this.#format): void {
    const call = this.#calls.get(key);
    if (call !== undefined && signature !== "") call.proof = { signature, signedBy };
  }

  /** The provider says that a call's arguments are all there. It says so of a call that the limit has cut as well. */
  finish(key: CallKey): void {
    const call = this.#calls.get(key);
    if (call === undefined || call.state !== "open") return;
    if (call.isText) this.#push(key, TEXT_CLOSING);
    call.state = "written";
    if (isCompleteObject(call)) this.#end(call);
  }

  /** The provider says that a call is not whole, whatever its arguments look like. */
  break(key: CallKey): void {
    const call = this.#calls.get(key);
    if (call?.state === "open") call.state = "broken";
  }

  /** How it stands with the calls: none, all of them whole, or at least one cut. */
  outcome(): CallsOutcome {
    if (this.#calls.size === 0) return "none";
    return [...this.#calls.values()].every((call) => isWhole(call)) ? "complete" : "cut";
  }

  /**
   * Ends the calls that are whole. One without any arguments is whole only in an answer that came to its end: under a
   * limit it may be a call whose arguments were about to come. So is one whose arguments are text.
   */
  endAll(isAnswerWhole: boolean): void {
    for (const [key, call] of this.#calls) {
      if (call.state === "ended" || call.state === "broken") continue;
      if (call.isText && isAnswerWhole && call.state === "open") this.#push(key, TEXT_CLOSING);
      if (isCompleteObject(call) || (isAnswerWhole && isWhole(call))) this.#end(call);
    }
  }

  #begin(key: CallKey, id: string, said: Omit<ToolCallStartEvent, "type" | "callId">): void {
    const earlier = this.#calls.get(key);
    // The same key again is another call; the first one keeps its place under a key nobody else uses.
    if (earlier !== undefined) this.#calls.set(`earlier ${this.#calls.size}`, earlier);
    const callId = this.#uniqueId(id);
    this.#calls.set(key, {
      id,
      callId,
      isText: said.isText === true,
      json: "",
      balance: new JsonBalance(),
      isOdd: false,
      state: "open",
      proof: undefined,
    });
    this.#next.push({ type: "tool-call-start", callId, ...said });
  }

  /** An id that no other call of the answer has: results and pieces are matched by nothing else. */
  #uniqueId(id: string): string {
    const base = id === "" ? `${this.#prefix}_${this.#callIds.size + 1}` : id;
    let unique = base;
    // Counted on from the last of the same id: a hundred thousand calls with one id would be compared with each other.
    let number = this.#copies.get(base) ?? 2;
    for (; this.#callIds.has(unique); number++) unique = `${base}_${number}`;
    if (number > 2) this.#copies.set(base, number);
    this.#callIds.add(unique);
    return unique;
  }

  #push(key: CallKey, json: string): void {
    const call = this.#calls.get(key);
    if (call === undefined || call.state !== "open") return;
    call.json += json;
    call.balance.push(json);
    this.#next.push({ type: "tool-call-delta", callId: call.callId, json });
  }

  #end(call: Call): void {
    call.state = "ended";
    const { callId } = call;
    // A call without arguments has an empty object of them, which is what every reader expects.
    if (call.json.trim() === "") this.#next.push({ type: "tool-call-delta", callId, json: "{}" });
    this.#next.push({ type: "tool-call-end", callId, ...call.proof });
  }
}

const TEXT_OPENING = '{"input":"';
const TEXT_CLOSING = '"}';

function isWhole(call: Call): boolean {
  if (call.state === "broken") return false;
  // Text has no end of its own; whether it is whole is said of the answer.
  if (call.isText) return true;
  return call.state === "ended" || call.json.trim() === "" || hasValue(call.json);
}

/** Only an object tells by itself that it is whole: `12` may have been about to become `123`. */
function isCompleteObject(call: Call): boolean {
  if (!call.balance.isClosed || call.isOdd) return false;
  call.isOdd = !hasValue(call.json);
  return !call.isOdd;
}

/** Whether a text is JSON. Looking at its end first spares most cut texts the price of an exception. */
function hasValue(json: string): boolean {
  const text = json.trim();
  return (!text.startsWith("{") || text.endsWith("}")) && parseJson(text) !== undefined;
}
