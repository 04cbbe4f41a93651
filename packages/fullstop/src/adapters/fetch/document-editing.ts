import { decodeNdjson } from "../../wire/framing/json-values.ts";
import { isRecord, listOf, parseJson } from "../../wire/json.ts";
import { dataFrame } from "../../wire/writing/frames.ts";
import type { AnswerEditing } from "./answer-editing.ts";
import type { AnswerEditor } from "./dialects/editor.ts";
import { joinBytes } from "./frame-splitter.ts";
import { MAX_EVENT_SIZE, PayloadReader } from "./payload-reader.ts";
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
    const edited = this.#edit(bytes, parseJson(new TextDecoder().decode(bytes)));
    if (edited === undefined) this.release();
    else this.#next(encoder.encode(edited));
  }

  /** What goes out in place of the answer; nothing if it goes out as it came. */
  #edit(bytes: Uint8Array, body: unknown): string | undefined {
    // Gemini sends a stream as one list to those who did not ask for events.
    if (Array.isArray(body)) return toJson(this.#editEvents(listOf(body)));
    if (isRecord(body) && this.#editor.isEvent(body)) {
      const edited = this.#editEvents([body]);
      // An event that ends the answer itself stays alone; behind any other stand those that do.
      return toJson(edited?.length === 1 ? edited[0] : edited);
    }
    this.#watched.push(bytes);
    this.#watched.end();
    const { ending, shown } = this.#watched;
    if (ending?.by !== "rule") return undefined;
    const answer = body ?? onlyObjectIn(bytes);
    // A decoder finds text also in what is no JSON as a whole, and no client reads that: better nothing than a match.
    if (!isRecord(answer) || this.#editor.isEvent(answer)) return "";
    // No dialect has a finish value for an error: the body fails with it.
    if (ending.signal.reason === "error_termination") return toJson(answer);
    return toJson(this.#editor.cutAnswer(answer, shown, ending.signal));
  }

  /** What goes out in place of events that came as JSON. */
  #editEvents(values: readonly unknown[]): readonly unknown[] | undefined {
    const payloads = new PayloadReader();
    const edited: unknown[] = [];
    const stream = new StreamEditing(this.#watched, this.#editor, (bytes) => edited.push(...payloads.read(bytes)));
    for (const value of values) stream.push(encoder.encode(dataFrame(value)));
    stream.end();
    return this.#watched.ending?.by === "rule" ? edited : undefined;
  }

  release(): void {
    for (const piece of this.#pieces) this.#next(piece);
    this.#pieces = [];
  }
}

function toJson(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

/** The object that a text holds beside things that are no JSON; undefined if it holds several or none. */
function onlyObjectIn(bytes: Uint8Array): unknown {
  const objects: unknown[] = [];
  const reader = decodeNdjson({ maxEventSize: MAX_EVENT_SIZE })({
    push: (value) => void objects.push(value),
    end: () => undefined,
  });
  reader.push(bytes);
  reader.end();
  return objects.length === 1 ? objects[0] : undefined;
}
