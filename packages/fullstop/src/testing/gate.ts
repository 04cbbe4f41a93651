/** A place where a script waits until the test lets it go on. */
export interface Gate {
  /** Waits at the gate; a step of a script. */
  readonly pass: () => Promise<void>;
  /** Resolves when somebody has come to the gate. */
  readonly reached: Promise<void>;
  /** Lets through everybody who waits and who will come. */
  open(): void;
}

/** Creates a gate, closed. It takes the place of sleeping in a test: what happens before and after it is certain. */
export function createGate(): Gate {
  const opened = createLatch();
  const reached = createLatch();
  return {
    reached: reached.promise,
    open: () => opened.resolve(),
    pass() {
      reached.resolve();
      return opened.promise;
    },
  };
}

interface Latch {
  readonly promise: Promise<void>;
  resolve(): void;
}

function createLatch(): Latch {
  let resolve: (() => void) | undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve: () => resolve?.() };
}
