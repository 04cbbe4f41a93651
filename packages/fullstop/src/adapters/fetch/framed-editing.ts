import { TextDecoding } from "../../wire/framing/text-decoding.ts";
import type { AnswerEditing } from "./answer-editing.ts";
import type { AnswerEditor } from "./dialects/editor.ts";
import { DocumentEditing } from "./document-editing.ts";
import { StreamEditing } from "./stream-editing.ts";
import type { WatchedAnswer } from "./watched-answer.ts";

/** How JSON and pages for people begin, behind blanks. Everything else is an event stream. */
const DOCUMENT = /^\s*[{[<]/u;

const FIRST_NOT_ASCII = 0x80;

/** Finds out by its first character how an answer is framed, whatever was asked for, and edits it in that way. */
export class FramedEditing implements AnswerEditing {
  readonly #open: (framing: "stream" | "document") => AnswerEditing;
  readonly #watched: WatchedAnswer;
  readonly #next: (bytes: Uint8Array) => void;
  /** As decoders read it: what is no character counts as one. */
  readonly #decoding = new TextDecoding();
  /** Bytes behind which a character may not be whole, so that nobody knows what begins there. */
  #begun: Uint8Array[] = [];
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
      const text = this.#decoding.push(bytes);
      const isBlank = text.trim() === "";
      if (isBlank && bytes.length > 0 && bytes.at(-1)! >= FIRST_NOT_ASCII) {
        // A copy, because the caller may use the memory of its bytes again.
        this.#begun.push(bytes.slice());
        return;
      }
      if (isBlank) {
        // Blank lines that keep the connection alive until the answer is there.
        for (const blank of [...this.#takeBegun(), bytes]) {
          this.#watched.push(blank);
          this.#next(blank);
        }
        return;
      }
      this.#begin(DOCUMENT.test(text) ? "document" : "stream");
    }
    this.#editing?.push(bytes);
  }

  end(): void {
    if (this.#editing === undefined) this.#begin(this.#framing);
    this.#editing?.end();
  }

  #begin(framing: "stream" | "document"): void {
    this.#editing = this.#open(framing);
    for (const bytes of this.#takeBegun()) this.#editing.push(bytes);
  }

  #takeBegun(): readonly Uint8Array[] {
    const begun = this.#begun;
    this.#begun = [];
    return begun;
  }

  release(): void {
    this.#editing?.release();
  }
}
