import type { AnswerEditor, StreamEditor } from "./dialects/editor.ts";
import type { AnswerEditing } from "./answer-editing.ts";
import { FrameSplitter } from "./frame-splitter.ts";
import { PayloadReader } from "./payload-reader.ts";
import type { Ending, WatchedAnswer } from "./watched-answer.ts";

const encoder = new TextEncoder();

/** An event of the provider's, and which of the characters of the answer are in it. */
interface Frame {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
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
    for (const frame of frames) this.#read(frame, () => this.#watched.push(frame));
    // What follows the provider's own end is nobody's to hold.
    if (this.#endedBy() === "provider") this.#passRest();
  }

  end(): void {
    if (this.#endedBy() === undefined) {
      const rest = this.#splitter.end();
      this.#read(rest, () => {
        this.#watched.push(rest);
        this.#watched.end();
      });
    }
    if (this.#endedBy() === "provider") this.release();
  }

  release(): void {
    for (const { bytes } of this.#held) this.#next(bytes);
    this.#held = [];
    this.#passRest();
  }

  /** Whose word has ended the answer, if one has. */
  #endedBy(): Ending["by"] | undefined {
    return this.#watched.ending?.by;
  }

  #passRest(): void {
    const rest = this.#splitter.end();
    if (rest.length > 0) this.#next(rest);
  }

  #read(bytes: Uint8Array, watch: () => void): void {
    // Events that came with the last one, behind the end.
    if (this.#endedBy() !== undefined) {
      if (this.#endedBy() === "provider") this.#next(bytes);
      return;
    }
    const start = this.#watched.received;
    watch();
    this.#held.push({ bytes, start, end: this.#watched.received });
    if (this.#endedBy() === "rule") this.#cut();
    else this.#pass();
  }

  /** Passes on the events of which nothing is held back any more. */
  #pass(): void {
    const { shown } = this.#watched;
    const kept = this.#held.findIndex(({ end }) => end > shown);
    if (kept === 0) return;
    const ready = kept === -1 ? this.#held : this.#held.slice(0, kept);
    this.#held = kept === -1 ? [] : this.#held.slice(kept);
    for (const { bytes } of ready) {
      for (const payload of this.#payloads.read(bytes)) this.#editor.pass(payload);
      this.#next(bytes);
    }
  }

  #cut(): void {
    const { shown, ending } = this.#watched;
    // The event that brought the end may hold an ending of its own, so it is never passed on as it is.
    const last = this.#held.pop();
    this.#pass();
    const partial = this.#held[0] ?? last;
    this.#held = [];
    if (ending === undefined || partial === undefined) return;
    const { bytes, start, end } = partial;
    const cut = this.#payloads.readLast(bytes).map((payload) => this.#editor.cut(payload, shown - start, end - start));
    // No dialect has a finish value for an error: the body fails with it.
    if (ending.signal.reason !== "error_termination") cut.push(this.#editor.end(ending.signal));
    this.#next(encoder.encode(cut.join("")));
  }
}
