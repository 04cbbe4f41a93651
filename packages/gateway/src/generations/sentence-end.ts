import { cancelledSignal } from "fullstop";
import type { Clock, GenerationEvent, TerminationSignal } from "fullstop";
import { SentenceScanner } from "./sentence-scanner.ts";

/** How long an answer may take to come to the end of its sentence, also while nothing comes at all. */
export const SENTENCE_MILLISECONDS = 3_000;

/** How many of the last characters are looked at to find out where in its sentence a text is. */
const LOOK_BACK = 64;

/** What an answer was in the middle of when it was asked to end. */
type Unfinished =
  | { readonly in: "prose"; readonly type: "text" | "reasoning"; readonly scanner: SentenceScanner }
  /** By the ids of the calls that are not whole yet. */
  | { readonly in: "calls"; readonly open: Set<string> };

type State =
  | { readonly is: "unasked" }
  | { readonly is: "waiting"; readonly reason: string; readonly unfinished: Unfinished }
  | { readonly is: "reached"; readonly reason: string };

const UNASKED: State = { is: "unasked" };

/**
 * The wish that one generation ends with its sentence. It looks at what is on its way to readers, and nothing of that
 * is shown beyond the end of the sentence. A sentence is never in two channels, and a call is one, whole.
 */
export class SentenceEnd {
  readonly #stop: (reason: string) => void;
  readonly #clock: Clock;
  #state: State = UNASKED;
  #clear: (() => void) | undefined;

  /** Stops the generation by a function, when the sentence has ended or takes too long. */
  constructor(stop: (reason: string) => void, clock: Clock) {
    this.#stop = stop;
    this.#clock = clock;
  }

  /** Asks for the end. The reason says who or what asked; what is written tells where in its sentence the answer is. */
  request(reason: string, written: readonly GenerationEvent[]): void {
    if (this.#state.is !== "unasked") return;
    const unfinished = unfinishedIn(written);
    if (unfinished === undefined) {
      this.#reach(reason);
      return;
    }
    this.#state = { is: "waiting", reason, unfinished };
    this.#clear = this.#clock.after(SENTENCE_MILLISECONDS, () => {
      // A plain stop from here on, with whatever is still held back.
      this.#state = UNASKED;
      this.#stop(reason);
    });
  }

  /** What of an event may be shown: mostly all of it. Undefined if nothing. */
  pass(event: GenerationEvent): GenerationEvent | undefined {
    const state = this.#state;
    if (state.is === "unasked" || event.type === "usage") return event;
    if (state.is === "reached") return undefined;
    if (isSilent(event)) return event;
    const { reason, unfinished } = state;
    if (unfinished.in === "calls") return this.#passCall(event, reason, unfinished.open);
    if (event.type !== unfinished.type) {
      this.#reach(reason);
      return undefined;
    }
    const end = unfinished.scanner.read(event.text);
    if (end === undefined) return event;
    this.#reach(reason);
    return end === 0 ? undefined : { ...event, text: event.text.slice(0, end) };
  }

  /** How the generation ends: an answer that was cut here has ended here, whatever came behind the cut. */
  settle(signal: TerminationSignal): TerminationSignal {
    this.#clear?.();
    const state = this.#state;
    return state.is === "reached" && signal.reason !== "cancelled" ? cancelledSignal(state.reason) : signal;
  }

  #passCall(event: GenerationEvent, reason: string, open: Set<string>): GenerationEvent | undefined {
    if (event.type === "tool-call-start") open.add(event.callId);
    else if (event.type === "tool-call-end") open.delete(event.callId);
    else if (event.type !== "tool-call-delta") return undefined;
    if (open.size === 0) this.#reach(reason);
    return event;
  }

  #reach(reason: string): void {
    this.#clear?.();
    this.#state = { is: "reached", reason };
    this.#stop(reason);
  }
}

/** Events that are no part of a sentence. */
const SILENT: ReadonlySet<GenerationEvent["type"]> = new Set(["usage", "opaque", "citation"]);

/** Whether an event says nothing that could be part of a sentence, such as a proof of the thinking. */
function isSilent(event: GenerationEvent): boolean {
  return SILENT.has(event.type) || ("text" in event && event.text === "");
}

/** What an answer is in the middle of; undefined if it has come to an end of something, or has not begun. */
function unfinishedIn(written: readonly GenerationEvent[]): Unfinished | undefined {
  const open = new Set<string>();
  for (const event of written) {
    if (event.type === "tool-call-start") open.add(event.callId);
    else if (event.type === "tool-call-end") open.delete(event.callId);
  }
  if (open.size > 0) return { in: "calls", open };
  let before = "";
  let type: "text" | "reasoning" | undefined;
  for (let index = written.length - 1; index >= 0 && before.length < LOOK_BACK; index -= 1) {
    const event = written[index]!;
    if (isSilent(event)) continue;
    if ((event.type !== "text" && event.type !== "reasoning") || (type !== undefined && event.type !== type)) break;
    ({ type } = event);
    before = event.text + before;
  }
  const scanner = new SentenceScanner(before.slice(-LOOK_BACK));
  return type === undefined || scanner.isBetween ? undefined : { in: "prose", type, scanner };
}
