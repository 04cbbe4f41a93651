import type { Usage } from "../../events.ts";
import { openBody } from "../../engines/fetch.ts";
import type { Body } from "../../engines/fetch.ts";
import { networkSignal } from "../../engines/failures.ts";
import { toDetail } from "../../seal.ts";
import { cancelledSignal, failedSignal } from "../../termination.ts";
import type { TerminationSignal } from "../../termination.ts";
import { BrokenAnswerError } from "../broken-answer.ts";
import { AnswerReading } from "./answer-editing.ts";
import type { AnswerEditor } from "./dialects/editor.ts";
import { joinBytes } from "./frame-splitter.ts";
import { FramedEditing } from "./framed-editing.ts";
import type { Ending, WatchedAnswer } from "./watched-answer.ts";

/** What a body is made of. */
export interface GuardedBodyParts {
  readonly body: ReadableStream<Uint8Array>;
  readonly watched: WatchedAnswer;
  /** How the answer is ended early; undefined for one that is not to be changed. */
  readonly editor: AnswerEditor | undefined;
  readonly expected: "stream" | "document";
  /** The caller's own, which tells an abort from a failure. */
  readonly signal: AbortSignal | null | undefined;
  /** Told once how the answer ended. */
  readonly onEnd: (signal: TerminationSignal, usage: Usage | undefined) => void;
}

/** Opens the body of an answer under rules. Reading it reads the provider's; what one read brings goes through at once. */
export function openGuardedBody(parts: GuardedBodyParts): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(new GuardedSource(parts), { highWaterMark: 0 });
}

class GuardedSource implements UnderlyingDefaultSource<Uint8Array> {
  readonly #watched: WatchedAnswer;
  readonly #editing: AnswerReading | FramedEditing;
  readonly #signal: GuardedBodyParts["signal"];
  readonly #onEnd: GuardedBodyParts["onEnd"];
  readonly #upstream = new AbortController();
  readonly #body: Body;
  #ready: Uint8Array[] = [];
  #state: "reading" | "over" = "reading";
  #told: TerminationSignal | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor({ body, watched, editor, expected, signal, onEnd }: GuardedBodyParts) {
    const next = (bytes: Uint8Array): void => void this.#ready.push(bytes);
    this.#watched = watched;
    this.#editing =
      editor === undefined ? new AnswerReading(watched, next) : new FramedEditing(watched, editor, expected, next);
    this.#signal = signal;
    this.#onEnd = onEnd;
    this.#body = openBody(body, this.#upstream.signal);
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    while (this.#state === "reading" && this.#ready.length === 0) await this.#readOn();
    if (this.#ready.length > 0) controller.enqueue(joinBytes(this.#ready));
    // An error would take away what waits to be read, so it comes with the next read.
    else if (this.#failure !== undefined) controller.error(this.#failure.error);
    if (this.#state === "over" && this.#failure === undefined) controller.close();
    this.#ready = [];
  }

  cancel(): void {
    this.#state = "over";
    this.#upstream.abort();
    this.#tell(abortOf(this.#signal) ?? cancelledSignal("disconnect"));
  }

  async #readOn(): Promise<void> {
    let read: IteratorResult<Uint8Array, unknown>;
    try {
      read = await this.#body.next();
    } catch (error) {
      // Everything that came is shown, also what waited for more to come.
      this.#editing.release();
      this.#fail(error, abortOf(this.#signal) ?? networkSignal(error));
      return;
    }
    try {
      this.#take(read);
    } catch (error) {
      // A mistake of ours: what could not be looked at is not passed on.
      this.#ready = [];
      this.#fail(error, failedSignal(error));
      this.#upstream.abort();
    }
  }

  #take(read: IteratorResult<Uint8Array, unknown>): void {
    if (read.done === true) this.#editing.end();
    else this.#editing.push(read.value);
    const { ending } = this.#watched;
    if (ending?.by === "rule") this.#upstream.abort();
    if (ending?.by === "rule" || read.done === true) this.#state = "over";
    if (ending === undefined) return;
    if (isBroken(ending, this.#editing)) this.#failure = { error: new BrokenAnswerError(ending.signal) };
    this.#tell(ending.signal);
  }

  #fail(error: unknown, signal: TerminationSignal): void {
    this.#state = "over";
    this.#failure = { error };
    this.#tell(signal);
  }

  #tell(signal: TerminationSignal): void {
    if (this.#told !== undefined) return;
    this.#told = signal;
    this.#onEnd(signal, this.#watched.usage);
  }
}

/** How an answer ended whose caller has stopped it; undefined if nobody has. */
export function abortOf(signal: AbortSignal | null | undefined): TerminationSignal | undefined {
  return signal?.aborted === true ? cancelledSignal(toDetail(signal.reason)) : undefined;
}

/**
 * Whether readers have to be told that an answer is not whole. What the provider says itself they read themselves, and
 * half a document cannot be read.
 */
function isBroken({ by, signal }: Ending, editing: AnswerReading | FramedEditing): boolean {
  if (signal.reason !== "error_termination") return false;
  return by === "rule" || (signal.detail === "truncated" && "framing" in editing && editing.framing === "stream");
}
