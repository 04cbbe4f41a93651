import type { Sink } from "../../stage.ts";
import type { WatchedAnswer } from "./watched-answer.ts";

/** Takes the bytes of an answer and passes on those that may be seen. */
export interface AnswerEditing extends Sink<Uint8Array> {
  /** Passes on what is held back, because the answer broke off. */
  release(): void;
}

/** Passes an answer on as it comes, and only reads along: that of a request that was refused. */
export class AnswerReading implements AnswerEditing {
  readonly #watched: WatchedAnswer;
  readonly #next: (bytes: Uint8Array) => void;

  constructor(watched: WatchedAnswer, next: (bytes: Uint8Array) => void) {
    this.#watched = watched;
    this.#next = next;
  }

  push(bytes: Uint8Array): void {
    this.#next(bytes);
    this.#watched.push(bytes);
  }

  end(): void {
    this.#watched.end();
  }

  release(): void {
    // Nothing is held here.
  }
}
