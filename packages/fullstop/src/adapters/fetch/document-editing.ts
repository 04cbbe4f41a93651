import { isRecord, listOf, parseJson } from "../../wire/json.ts";
import { dataFrame } from "../../wire/writing/frames.ts";
import type { AnswerEditing } from "./answer-editing.ts";
import type { AnswerEditor } from "./dialects/editor.ts";
import { joinBytes } from "./frame-splitter.ts";
import { PayloadReader } from "./payload-reader.ts";
import { StreamEditing } from "./stream-editing.ts";
import type { WatchedAnswer } from "./watched-answer.ts";

const encoder = new TextEncoder();

/** Edits a whole answer, which is kept until all of it is there. One that no rule ends is the same to the byte. */
export class DocumentEditing implements AnswerEditing {
  readonly #watched: WatchedAnswer;
  readonly #editor: AnswerEditor;
  readonly #next: (bytes: Uint8Array) => void;
  #pieces: Uint8Array[] = [];

  constructor(watched: WatchedAnswer, editor: AnswerEditor, next: (bytes: Uint8Array) => void) {
    this.#watched = watched;
    this.#editor = editor;
    this.#next = next;
  }

  push(bytes: Uint8Array): void {
    this.#pieces.push(bytes);
  }

  end(): void {
    const bytes = joinBytes(this.#pieces);
    const body = parseJson(new TextDecoder().decode(bytes));
    const edited = Array.isArray(body) ? this.#editList(body) : this.#editBody(bytes, body);
    if (edited === undefined) this.release();
    else this.#next(encoder.encode(JSON.stringify(edited)));
  }

  #editBody(bytes: Uint8Array, body: unknown): unknown {
    this.#watched.push(bytes);
    this.#watched.end();
    const { ending, shown } = this.#watched;
    if (ending?.by !== "rule" || !isRecord(body)) return undefined;
    // No dialect has a finish value for an error: the body fails with it.
    return ending.signal.reason === "error_termination" ? body : this.#editor.cutAnswer(body, shown, ending.signal);
  }

  /** Gemini sends a stream as one list to those who did not ask for events. */
  #editList(body: unknown): unknown {
    const payloads = new PayloadReader();
    const edited: unknown[] = [];
    const stream = new StreamEditing(this.#watched, this.#editor, (bytes) => edited.push(...payloads.read(bytes)));
    for (const value of listOf(body)) stream.push(encoder.encode(dataFrame(value)));
    stream.end();
    return this.#watched.ending?.by === "rule" ? edited : undefined;
  }

  release(): void {
    for (const piece of this.#pieces) this.#next(piece);
    this.#pieces = [];
  }
}
