import type { AnswerEditing } from "./answer-editing.ts";
import type { AnswerEditor } from "./dialects/editor.ts";
import { DocumentEditing } from "./document-editing.ts";
import { StreamEditing } from "./stream-editing.ts";
import type { WatchedAnswer } from "./watched-answer.ts";

/** The bytes that may stand before an answer: blanks, line ends, and the mark of the byte order. */
const BLANKS: ReadonlySet<number> = new Set([9, 10, 13, 32, 0xef, 0xbb, 0xbf]);

/** The first bytes of JSON and of pages for people. Everything else is an event stream. */
const DOCUMENT_BYTES: ReadonlySet<number> = new Set(["{", "[", "<"].map((character) => character.charCodeAt(0)));

/** Finds out by its first character how an answer is framed, whatever was asked for, and edits it in that way. */
export class FramedEditing implements AnswerEditing {
  readonly #open: (framing: "stream" | "document") => AnswerEditing;
  readonly #watched: WatchedAnswer;
  readonly #next: (bytes: Uint8Array) => void;
  #framing: "stream" | "document";
  #editing: AnswerEditing | undefined;

  /** `expected` is what was asked for, which counts for an answer of which nothing comes. */
  constructor(
    watched: WatchedAnswer,
    editor: AnswerEditor,
    expected: "stream" | "document",
    next: (bytes: Uint8Array) => void,
  ) {
    this.#framing = expected;
    this.#watched = watched;
    this.#next = next;
    this.#open = (framing) => {
      this.#framing = framing;
      return framing === "document"
        ? new DocumentEditing(watched, editor, next)
        : new StreamEditing(watched, editor, next);
    };
  }

  get framing(): "stream" | "document" {
    return this.#framing;
  }

  push(bytes: Uint8Array): void {
    if (this.#editing === undefined) {
      const first = bytes.find((byte) => !BLANKS.has(byte));
      if (first === undefined) {
        // Blank lines that keep the connection alive until the answer is there.
        this.#watched.push(bytes);
        this.#next(bytes);
        return;
      }
      this.#editing = this.#open(DOCUMENT_BYTES.has(first) ? "document" : "stream");
    }
    this.#editing.push(bytes);
  }

  end(): void {
    this.#editing ??= this.#open(this.#framing);
    this.#editing.end();
  }

  release(): void {
    this.#editing?.release();
  }
}
