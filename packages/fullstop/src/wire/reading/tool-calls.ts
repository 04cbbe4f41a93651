import type { GenerationEvent } from "../../events.ts";
import type { Sink } from "../../stage.ts";
import { parseJson } from "../json.ts";

interface Call {
  readonly callId: string;
  json: string;
  /** Open while arguments may come, written when the provider has said that none will, ended when that was passed on. */
  state: "open" | "written" | "ended";
  signature: string | undefined;
}

/** How far the calls of an answer have got when it ends. */
export type CallsOutcome = "none" | "complete" | "cut";

/**
 * The tool calls of one answer, told apart by whatever the provider tells them apart by. A call is passed on as ended
 * only when its arguments are whole; a call that was cut must not look like one that can be run.
 */
export class ToolCalls {
  readonly #next: Sink<GenerationEvent>;
  readonly #calls = new Map<string | number, Call>();
  #made = 0;

  constructor(next: Sink<GenerationEvent>) {
    this.#next = next;
  }

  has(key: string | number): boolean {
    return this.#calls.has(key);
  }

  /** The id of a call under way. */
  idOf(key: string | number): string | undefined {
    return this.#calls.get(key)?.callId;
  }

  /** What has come of a call's arguments. */
  jsonOf(key: string | number): string {
    return this.#calls.get(key)?.json ?? "";
  }

  /** Begins a call. Without an id from the provider it gets one that is unique within the answer. */
  start(key: string | number, id: string, name: string): void {
    this.#made += 1;
    const callId = id === "" ? `call_${this.#made}` : id;
    const earlier = this.#calls.get(key);
    // The same key again is another call; the first one keeps its place under a key nobody else uses.
    if (earlier !== undefined) this.#calls.set(`earlier ${this.#made}`, earlier);
    this.#calls.set(key, { callId, json: "", state: "open", signature: undefined });
    this.#next.push({ type: "tool-call-start", callId, name });
  }

  /** Adds a piece to a call's arguments. */
  add(key: string | number, json: string): void {
    const call = this.#calls.get(key);
    if (call === undefined || call.state !== "open" || json === "") return;
    call.json += json;
    this.#next.push({ type: "tool-call-delta", callId: call.callId, json });
  }

  /** Keeps the proof that belongs to a call until the call ends. */
  sign(key: string | number, signature: string): void {
    const call = this.#calls.get(key);
    if (call !== undefined && signature !== "") call.signature = signature;
  }

  /** The provider says that a call's arguments are all there. It says so of a call that the limit has cut as well. */
  finish(key: string | number): void {
    const call = this.#calls.get(key);
    if (call === undefined || call.state !== "open") return;
    call.state = "written";
    if (isCompleteObject(call.json)) this.#end(call);
  }

  /** How it stands with the calls: none, all of them whole, or at least one cut. */
  outcome(): CallsOutcome {
    if (this.#calls.size === 0) return "none";
    return [...this.#calls.values()].every((call) => isWhole(call)) ? "complete" : "cut";
  }

  /**
   * Ends the calls that are whole. One without any arguments is whole only in an answer that came to its end: under a
   * limit it may be a call whose arguments were about to come.
   */
  endAll(isAnswerWhole: boolean): void {
    for (const call of this.#calls.values()) {
      if (call.state !== "ended" && (isCompleteObject(call.json) || (isAnswerWhole && isWhole(call)))) this.#end(call);
    }
  }

  #end(call: Call): void {
    call.state = "ended";
    const { callId, signature } = call;
    this.#next.push({ type: "tool-call-end", callId, ...(signature !== undefined && { signature }) });
  }
}

function isWhole(call: Call): boolean {
  return call.state === "ended" || call.json.trim() === "" || hasValue(call.json);
}

/** Only an object tells by itself that it is whole: `12` may have been about to become `123`. */
function isCompleteObject(json: string): boolean {
  return json.trimStart().startsWith("{") && hasValue(json);
}

/** Whether a text is JSON. Looking at its end first spares most cut texts the price of an exception. */
function hasValue(json: string): boolean {
  const text = json.trim();
  return (!text.startsWith("{") || text.endsWith("}")) && parseJson(text) !== undefined;
}
