import { describe, expect, it } from "vitest";
import { compose, run } from "../src/index.ts";
import type { Stage } from "../src/index.ts";

/** A stage that holds the last value back until the next one or the end. */
const delay: Stage<number, number> = (next) => {
  let held: number | undefined;
  return {
    push(value) {
      if (held !== undefined) next.push(held);
      held = value;
    },
    end() {
      if (held !== undefined) next.push(held);
      next.end();
    },
  };
};

const double: Stage<number, number> = (next) => ({ push: (value) => next.push(value * 2), end: () => next.end() });

async function read<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const value of values) all.push(value);
  return all;
}

/** A source that says what became of it. */
function createSource(values: readonly number[], atEnd: "finish" | "hang" | "throw" = "finish") {
  const seen = { read: 0, closed: false };
  async function* generate(): AsyncGenerator<number> {
    try {
      for (const value of values) {
        seen.read += 1;
        yield value;
      }
      if (atEnd === "hang") await new Promise(() => undefined);
      if (atEnd === "throw") throw new Error("the source broke");
    } finally {
      seen.closed = true;
    }
  }
  return { source: generate(), seen };
}

describe("compose", () => {
  it("joins stages in reading order and ends both", async () => {
    const plusOne: Stage<number, number> = (next) => ({ push: (value) => next.push(value + 1), end: () => next.end() });
    expect(await read(run([1, 2, 3], compose(double, plusOne)))).toEqual([3, 5, 7]);
    expect(await read(run([1, 2, 3], compose(delay, double)))).toEqual([2, 4, 6]);
  });

  it("makes fresh state for each use", async () => {
    const stage = compose(delay, double);
    expect(await read(run([1], stage))).toEqual([2]);
    expect(await read(run([5], stage))).toEqual([10]);
  });
});

describe("run", () => {
  it("yields what a stage still held at the end of the source", async () => {
    expect(await read(run(createSource([1, 2]).source, delay))).toEqual([1, 2]);
  });

  it("closes the source when the reader leaves early", async () => {
    const { source, seen } = createSource([1, 2, 3]);
    for await (const value of run(source, double)) {
      expect(value).toBe(2);
      break;
    }
    await expect.poll(() => seen.closed).toBe(true);
    expect(seen.read).toBe(1);
  });

  it("closes the source after the last value that is wanted", async () => {
    const { source, seen } = createSource([1, 2, 3]);
    expect(await read(run(source, double, { isLast: (value) => value === 4 }))).toEqual([2, 4]);
    await expect.poll(() => seen.closed).toBe(true);
    expect(seen.read).toBe(2);
  });

  it("throws what the source throws, or turns it into a last value", async () => {
    await expect(read(run(createSource([1], "throw").source, delay))).rejects.toThrow("the source broke");
    const { source } = createSource([1], "throw");
    expect(await read(run(source, delay, { onError: () => 9 }))).toEqual([1, 9]);
  });

  it("turns even a source that cannot be opened into a last value, and tries that once", async () => {
    let opened = 0;
    const source: Iterable<number> = {
      [Symbol.iterator]: () => {
        opened += 1;
        throw new Error("no such source");
      },
    };
    expect(await read(run(source, delay, { onError: () => 9 }))).toEqual([9]);
    const { signal } = new AbortController();
    await expect(read(run(source, delay, { signal }))).rejects.toThrow("no such source");
    // Sources are closed in a task of their own.
    await new Promise((resolve) => void setImmediate(resolve));
    expect(opened).toBe(2);
  });

  it("ends at an abort although the source is silent, and lets held values out first", async () => {
    const controller = new AbortController();
    const { source } = createSource([1, 2], "hang");
    const values: number[] = [];
    const reading = run(source, delay, { signal: controller.signal, onAbort: () => 9 });
    for await (const value of reading) {
      values.push(value);
      if (value === 1) controller.abort();
    }
    expect(values).toEqual([1, 2, 9]);
  });

  it("cancels a stream at an abort although it is silent, and gives it back", async () => {
    const controller = new AbortController();
    let isCancelled = false;
    const source = new ReadableStream<number>({
      start: (stream) => stream.enqueue(1),
      cancel: () => {
        isCancelled = true;
      },
    });
    const values: number[] = [];
    for await (const value of run(source, double, { signal: controller.signal, onAbort: () => 9 })) {
      values.push(value);
      // By then the next value is being waited for.
      if (value === 2) setImmediate(() => controller.abort());
    }
    expect(values).toEqual([2, 18]);
    await expect.poll(() => isCancelled).toBe(true);
    expect(source.locked).toBe(false);
  });

  it("reads a stream that cannot be iterated over, as in some browsers", async () => {
    const source = new ReadableStream<number>({
      start(stream) {
        stream.enqueue(1);
        stream.close();
      },
    });
    Object.defineProperty(source, Symbol.asyncIterator, { value: undefined });
    expect(await read(run(source, double))).toEqual([2]);
  });

  it("closes a source that it was never to read, because the abort came first", async () => {
    let isCancelled = false;
    const source = new ReadableStream<number>({
      cancel: () => {
        isCancelled = true;
      },
    });
    const signal = AbortSignal.abort();
    expect(await read(run(source, delay, { signal, onAbort: () => 9 }))).toEqual([9]);
    await expect.poll(() => isCancelled).toBe(true);
  });

  it("closes a source that runs already, and was not read because the abort came first", async () => {
    let isClosed = false;
    const source: AsyncIterable<number> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => undefined),
        return: () => {
          isClosed = true;
          return Promise.resolve({ done: true, value: undefined });
        },
      }),
    };
    const signal = AbortSignal.abort();
    expect(await read(run(source, delay, { signal, onAbort: () => 9 }))).toEqual([9]);
    await expect.poll(() => isClosed).toBe(true);
  });

  it("throws the reason of an abort that nobody turns into a value", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(read(run([1], double, { signal }))).rejects.toThrow("enough");
  });

  it("takes a source that throws because it was aborted for aborted, not for broken", async () => {
    const controller = new AbortController();
    async function* source(): AsyncGenerator<number> {
      yield 1;
      controller.abort("user");
      throw new Error("aborted");
    }
    const options = { signal: controller.signal, onAbort: () => 8, onError: () => 9 };
    expect(await read(run(source(), double, options))).toEqual([2, 16]);
  });
});
