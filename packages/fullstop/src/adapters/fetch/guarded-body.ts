import type { Usage } from "../../events.ts";
import { openBody } from "../../engines/fetch.ts";
import { networkSignal } from "../../engines/failures.ts";
import { toDetail } from "../../seal.ts";
import { cancelledSignal } from "../../termination.ts";
import type { TerminationSignal } from "../../termination.ts";
import { AnswerReading } from "./answer-editing.ts";
import type { AnswerEditor } from "./dialects/editor.ts";
import { joinBytes } from "./frame-splitter.ts";
import { FramedEditing } from "./framed-editing.ts";
import type { Ending, WatchedAnswer } from "./watched-answer.ts";

/**
 * What the body of an answer fails with when the answer did not come to its end: the connection was closed as if all
 * were well, or a rule of the caller's own has called it an error.
 *
 * Clients take a stream that just ends for one that is whole, except where they look for the last word themselves. An
 * error of the body is what all of them report.
 */
export class BrokenAnswerError extends Error {
  readonly signal: TerminationSignal;

  constructor(signal: TerminationSignal) {
    super(signal.message ?? "The answer did not come to its end");
    this.name = "BrokenAnswerError";
    this.signal = signal;
  }
}

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
  const { watched, onEnd } = parts;
  const upstream = new AbortController();
  const source = openBody(parts.body, upstream.signal);
  let ready: Uint8Array[] = [];
  const next = (bytes: Uint8Array): void => void ready.push(bytes);
  const editing =
    parts.editor === undefined
      ? new AnswerReading(watched, next)
      : new FramedEditing(watched, parts.editor, parts.expected, next);
  let failure: { readonly error: unknown } | undefined;
  let isTold = false;

  const tell = (signal: TerminationSignal): void => {
    if (isTold) return;
    isTold = true;
    onEnd(signal, watched.usage);
  };

  /** Reads once. Returns whether there is more to read. */
  const readOn = async (): Promise<boolean> => {
    let isDone = false;
    try {
      const read = await source.next();
      isDone = read.done === true;
      if (read.done === true) editing.end();
      else editing.push(read.value);
    } catch (error) {
      // Everything that came is shown, also what waited for more to come.
      editing.release();
      failure = { error };
      tell(abortOf(parts.signal) ?? networkSignal(error));
      return false;
    }
    const { ending } = watched;
    if (ending === undefined) return !isDone;
    if (ending.by === "rule") upstream.abort();
    if (isBroken(ending, editing)) failure = { error: new BrokenAnswerError(ending.signal) };
    tell(ending.signal);
    return ending.by === "provider" && !isDone;
  };

  let isOpen = true;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (isOpen && ready.length === 0) isOpen = await readOn();
        if (ready.length > 0) controller.enqueue(joinBytes(ready));
        // An error would take away what waits to be read, so it comes with the next read.
        else if (failure !== undefined) controller.error(failure.error);
        if (!isOpen && failure === undefined) controller.close();
        ready = [];
      },
      cancel() {
        isOpen = false;
        upstream.abort();
        tell(abortOf(parts.signal) ?? cancelledSignal("disconnect"));
      },
    },
    { highWaterMark: 0 },
  );
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
