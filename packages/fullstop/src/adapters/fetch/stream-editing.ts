import type { AnswerEditor, StreamEditor, Unread } from "./dialects/editor.ts";
import type { AnswerEditing } from "./answer-editing.ts";
import type { JsonRecord } from "../../wire/json.ts";
import { FrameSplitter } from "./frame-splitter.ts";
import { PayloadReader } from "./payload-reader.ts";
import type { Ending, WatchedAnswer } from "./watched-answer.ts";

const encoder = new TextEncoder();

/** An event of the provider's, and which of the characters of the answer are in it. */
interface Frame {
  readonly bytes: Uint8Array;
  readonly payloads: readonly JsonRecord[];
  readonly start: number;
  readonly end: number;
  /** What is read only when its end has come, and has a piece in it. */
  readonly unread: readonly Unread[];
}

/**
 * Edits a stream. Each event goes out as the bytes that came, as soon as all of its text may be shown; so an answer that
 * no rule ends is the same to the byte. Where a rule ends it, the event in which that falls is cut, and the ending is
 * written in the provider's place.
 */
export class StreamEditing implements AnswerEditing {
  readonly #watched: WatchedAnswer;
  readonly #next: (bytes: Uint8Array) => void;
  readonly #editor: StreamEditor;
  readonly #splitter = new FrameSplitter();
  readonly #payloads: PayloadReader;
  #held: Frame[] = [];

  constructor(watched: WatchedAnswer, editor: AnswerEditor, next: (bytes: Uint8Array) => void) {
    this.#watched = watched;
    this.#editor = editor.openStream();
    this.#payloads = new PayloadReader();
    this.#next = next;
  }

  push(bytes: Uint8Array): void {
    if (this.#endedBy() !== undefined) {
      if (this.#endedBy() === "provider") this.#next(bytes);
      return;
    }
    const frames = this.#splitter.push(bytes);
    for (const frame of frames) this.#read(frame, "more");
    // What follows the provider's own end is nobody's to hold.
    if (this.#endedBy() === "provider") this.#passRest();
  }

  end(): void {
    if (this.#endedBy() === undefined) this.#read(this.#splitter.end(), "last");
    if (this.#endedBy() === "provider") this.release();
  }

  release(): void {
    this.#releaseHeld();
    this.#passRest();
  }

  /** Whose word has ended the answer, if one has. */
  #endedBy(): Ending["by"] | undefined {
    return this.#watched.ending?.by;
  }

  #releaseHeld(): void {
    for (const { bytes } of this.#held) this.#next(bytes);
    this.#held = [];
  }

  #passRest(): void {
    const rest = this.#splitter.end();
    if (rest.length > 0) this.#next(rest);
  }

  #read(bytes: Uint8Array, turn: "more" | "last"): void {
    // Events that came with the last one, behind the end.
    if (this.#endedBy() !== undefined) {
      if (this.#endedBy() === "provider") this.#next(bytes);
      return;
    }
    const payloads = turn === "last" ? this.#payloads.readLast(bytes) : this.#payloads.read(bytes);
    const start = this.#watched.received;
    this.#watched.push(bytes);
    if (turn === "last") this.#watched.end();
    const { received: end, callRead } = this.#watched;
    const counts = { all: end, call: callRead };
    const unread = payloads.map((payload) => this.#editor.follow(payload, counts)).filter((one) => one !== undefined);
    this.#held.push({ bytes, payloads, start, end, unread });
    if (this.#endedBy() === "rule") this.#cut();
    // No rule will look at what was to be read later, and what follows must not overtake it.
    else if (this.#endedBy() === "provider") this.#releaseHeld();
    else this.#pass();
  }

  /** Passes on the events of which nothing is held back any more. */
  #pass(): void {
    const kept = this.#held.findIndex((frame) => !this.#isShown(frame));
    if (kept === 0) return;
    const ready = kept === -1 ? this.#held : this.#held.slice(0, kept);
    this.#held = kept === -1 ? [] : this.#held.slice(kept);
    for (const frame of ready) this.#passFrame(frame);
  }

  #isShown({ end, unread }: Frame): boolean {
    const { shown } = this.#watched;
    return end <= shown && unread.every(({ readBy }) => readBy <= shown);
  }

  #passFrame({ bytes, payloads }: Frame): void {
    for (const payload of payloads) this.#editor.pass(payload);
    this.#next(bytes);
  }

  #cut(): void {
    const { shown, ending } = this.#watched;
    const frames = this.#held;
    this.#held = [];
    // The event that brought the end may hold an ending of its own, so it is never passed on as it is.
    const last = frames.pop();
    if (ending === undefined || last === undefined) return;
    const partial = frames.find(({ end }) => end > shown) ?? last;
    for (const frame of frames) {
      if (frame === partial) break;
      if (this.#isShown(frame)) this.#passFrame(frame);
      else this.#cutFrame(frame);
    }
    this.#cutFrame(partial);
    // No dialect has a finish value for an error: the body fails with it.
    if (ending.signal.reason !== "error_termination") this.#write(this.#editor.end(ending.signal));
  }

  #cutFrame(frame: Frame): void {
    const { payloads, start, end } = frame;
    const { shown } = this.#watched;
    // All that was read of it may be shown, and what was to be read later may not.
    const isUnread = end <= shown && !this.#isShown(frame);
    const fresh = isUnread ? Infinity : end - start;
    // With several objects in one event nobody knows which of them holds what may be shown, so nothing of it is.
    const keep = payloads.length > 1 ? 0 : shown - start;
    for (const payload of payloads) this.#write(this.#editor.cut(payload, keep, fresh));
  }

  #write(frames: string): void {
    if (frames !== "") this.#next(encoder.encode(frames));
  }
}
