import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEventStream, createGuardStream } from "../../src/adapters/web-streams/index.ts";
import { compose, createTextGuard, defineGuard, seal } from "../../src/index.ts";
import type { GenerationEvent } from "../../src/index.ts";
import { openaiChat } from "../../src/wire/index.ts";
import { cutAt, cutBytesAt } from "../support/cuts.ts";
import { chatChunk, chatStream, toBytes } from "../support/wire-bodies.ts";

/** A source of values that notes whether it was given up. */
function sourceOf<T>(values: readonly T[]) {
  const source = { isCancelled: false, given: 0 };
  const stream = new ReadableStream<T>(
    {
      pull(controller) {
        const value = values[source.given++];
        if (value === undefined) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        source.isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { source, stream };
}

async function collect<T>(stream: ReadableStream<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of stream as unknown as AsyncIterable<T>) values.push(value);
  return values;
}

describe("a guard as a web stream", () => {
  it("shows what the text guard shows, however the text is cut", async () => {
    const text = "The answer is 42</answer> and</an";
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 8 }), fc.boolean(), async (positions, isStopped) => {
        const rules = { stop: [isStopped ? "</answer>" : "</answers>"] };
        const plain = createTextGuard(rules);
        const expected = plain.push(text) + plain.end();
        const { stream } = sourceOf(cutAt(text, positions));
        const guard = createGuardStream(rules);
        expect((await collect(stream.pipeThrough(guard))).join("")).toBe(expected);
        expect(guard.signal?.stopSequence).toBe(plain.signal?.stopSequence);
      }),
    );
  });

  it("cancels its source at a stop", async () => {
    const { source, stream } = sourceOf(["one STOP", "two", "three"]);
    const guard = createGuardStream({ stop: ["STOP"] });
    expect(await collect(stream.pipeThrough(guard))).toEqual(["one "]);
    expect(guard.signal?.reason).toBe("stop_sequence");
    await expect.poll(() => source.isCancelled).toBe(true);
    expect(source.given).toBeLessThan(3);
  });

  it("ends at a limit of nothing, without waiting for a source that is silent", async () => {
    let isCancelled = false;
    const silent = new ReadableStream<string>({ cancel: () => void (isCancelled = true) });
    const guard = createGuardStream({ maxTokens: 0 });
    expect(await collect(silent.pipeThrough(guard))).toEqual([]);
    expect(guard.signal?.reason).toBe("token_limit_reached");
    await expect.poll(() => isCancelled).toBe(true);
  });

  it("keeps what it held back when its source fails", async () => {
    const failure = new Error("broken");
    let turn = 0;
    const stream = new ReadableStream<string>({
      pull: (controller) => (turn++ === 0 ? controller.enqueue("one ST") : controller.error(failure)),
    });
    const guard = createGuardStream({ stop: ["STOP"] });
    await expect(collect(stream.pipeThrough(guard))).rejects.toBe(failure);
    expect([guard.held, guard.signal]).toEqual(["ST", undefined]);
  });

  it("refuses rules that cannot be", () => {
    expect(() => createGuardStream({ stop: [""] })).toThrow("empty string");
  });
});

describe("a stage as a web stream", () => {
  it("is refused if it is none", () => {
    expect(() => createEventStream(undefined as never)).toThrow("stage must be a stage");
  });

  const chat = chatStream(chatChunk({ content: ", wörld STOP more" }), chatChunk({}, { finish_reason: "stop" }));

  it("reads bytes into guarded events, however they are cut, and cancels its source at the end", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 8 }), async (positions) => {
        const { stream } = sourceOf(cutBytesAt(toBytes(chat), positions));
        const stage = compose(openaiChat.decodeStream(), defineGuard({ stop: ["STOP"] }));
        const events = await collect(stream.pipeThrough(createEventStream(stage)));
        expect(events.map((event) => (event.type === "text" ? event.text : "")).join("")).toBe("Hello, wörld ");
        expect(events.at(-1)).toMatchObject({ type: "finish", signal: { reason: "stop_sequence" } });
      }),
    );
    const { source, stream } = sourceOf([toBytes(chat), toBytes("more"), toBytes("more")]);
    await collect(stream.pipeThrough(createEventStream(openaiChat.decodeStream())));
    await expect.poll(() => source.isCancelled).toBe(true);
  });

  it("lets a stage say its last word when the source ends", async () => {
    const { stream } = sourceOf<GenerationEvent>([{ type: "text", text: "half" }]);
    const events = await collect(stream.pipeThrough(createEventStream(seal)));
    expect(events.at(-1)).toMatchObject({ type: "finish", signal: { detail: "truncated" } });
  });
});
