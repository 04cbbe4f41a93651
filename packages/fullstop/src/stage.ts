/** Where values go. `end` is part of the contract because whatever a stage still holds has to leave there. */
export interface Sink<T> {
  push(value: T): void;
  end(): void;
}

/**
 * One step of a pipeline: given the sink that follows, it makes the sink that comes before. Every call makes
 * fresh state, so one stage value serves any number of generations. Stages are synchronous and do not throw.
 */
export type Stage<In, Out> = (next: Sink<Out>) => Sink<In>;

/** Joins two stages into one; what the first passes on goes into the second in the same synchronous run. */
export function compose<In, Middle, Out>(first: Stage<In, Middle>, second: Stage<Middle, Out>): Stage<In, Out> {
  return (next) => first(second(next));
}

/** Where values come from. */
export type Source<T> = AsyncIterable<T> | Iterable<T> | ReadableStream<T>;

/** How {@link run} deals with the ways in which a run can be cut short. */
export interface RunOptions<In, Out> {
  /** Ends the run even while the source is silent. */
  readonly signal?: AbortSignal | undefined;
  /** The last value to push when `signal` fires. Without it an aborted run throws the signal's reason. */
  readonly onAbort?: ((reason: unknown) => In) | undefined;
  /** The last value to push when the source throws. Without it the error is thrown to the reader. */
  readonly onError?: ((error: unknown) => In) | undefined;
  /** The last value to yield when a stage is broken and nothing passes it any more. Without it that error is thrown. */
  readonly onBroken?: ((error: unknown) => Out) | undefined;
  /** True for an output after which nothing more is wanted: the source is closed at once. */
  readonly isLast?: ((value: Out) => boolean) | undefined;
}

/**
 * The one bridge between stages and `for await`: reads a source, pushes each value through the stage and yields
 * what comes out. Leaving the loop early closes the source.
 */
export async function* run<In, Out>(
  source: Source<In>,
  stage: Stage<In, Out>,
  options: RunOptions<In, Out> = {},
): AsyncGenerator<Out, void, undefined> {
  const { signal, onAbort, onError, onBroken, isLast } = options;
  let ready: Out[] = [];
  const iterator = openSource(source);
  // One listener for the whole run. Racing every read against one long-lived promise would keep a reaction for
  // each value read until the end of the generation.
  let wake: (() => void) | undefined;
  const stop = (): void => wake?.();
  signal?.addEventListener("abort", stop, { once: true });
  const aborted = (): Interruption<In> => ({ cause: signal?.reason, last: onAbort });
  const next = (): Awaitable<IteratorResult<In, unknown> | Interruption<In>> => {
    // Not through an async function of our own, which would cost a tenth of the whole run.
    if (signal === undefined) return iterator.next();
    if (signal.aborted) return aborted();
    return new Promise((resolve, reject) => {
      wake = () => resolve(aborted());
      Promise.resolve(iterator.next()).then(resolve, reject);
    });
  };
  try {
    const sink = stage({ push: (value) => void ready.push(value), end: () => undefined });
    for (let open = true; open;) {
      let read: IteratorResult<In, unknown> | Interruption<In>;
      try {
        read = await next();
        if (!("cause" in read)) {
          open = read.done !== true;
          // A stage that cannot take what a source has made up wrongly throws, and that is then the source's error.
          if (read.done !== true) sink.push(read.value);
        }
      } catch (cause) {
        // A source that was handed the same signal often answers an abort by throwing; that is not its failure.
        read = signal?.aborted === true ? aborted() : { cause, last: onError };
      }
      if ("cause" in read) {
        if (read.last === undefined) throw read.cause;
        sink.push(read.last(read.cause));
        open = false;
      }
      if (!open) sink.end();
      for (const value of ready) {
        yield value;
        if (isLast?.(value) === true) return;
      }
      // A new list costs a quarter of what emptying the old one does.
      if (ready.length > 0) ready = [];
    }
  } catch (error) {
    if (onBroken === undefined) throw error;
    yield onBroken(error);
  } finally {
    signal?.removeEventListener("abort", stop);
    // Also one that was never read: a stream holds its connection until it is cancelled. Not awaited: a source that
    // hangs in `next` would answer `return` only after that, and the reader of a stopped generation must not wait for
    // it. What an abandoned source throws now concerns nobody.
    Promise.resolve()
      .then(() => iterator.return?.())
      .catch(() => undefined);
  }
}

type Awaitable<T> = T | Promise<T>;

/** Why a source is not read any more, and what makes the last value of that. */
interface Interruption<T> {
  readonly cause: unknown;
  readonly last: ((cause: unknown) => T) | undefined;
}

/** What is used of an iterator. */
interface OpenSource<T> {
  next(): Awaitable<IteratorResult<T, unknown>>;
  return?(): unknown;
}

/** Opens a source, once. One that cannot be opened says so when it is read, and has nothing to close. */
function openSource<T>(source: Source<T>): OpenSource<T> {
  try {
    if ("getReader" in source) {
      // Not by iterating, which some browsers cannot, and which closes a silent stream only when its next value comes.
      const reader = source.getReader();
      return { next: () => reader.read(), return: () => reader.cancel().finally(() => reader.releaseLock()) };
    }
    return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  } catch (error) {
    return {
      next() {
        throw error;
      },
    };
  }
}
