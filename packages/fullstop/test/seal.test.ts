import { describe, expect, it } from "vitest";
import {
  cancelledSignal,
  createTerminationSignal,
  defineGuard,
  failedSignal,
  isTerminationSignal,
  runGeneration,
  seal,
  truncatedSignal,
} from "../src/index.ts";
import type { GenerationEvent } from "../src/index.ts";
import { collect, finishOf, textOf } from "./support/events.ts";

const text = (value: string): GenerationEvent => ({ type: "text", text: value });
const natural = createTerminationSignal({
  reason: "natural_completion",
  originalField: "finish_reason",
  originalValue: "stop",
});
const finish: GenerationEvent = { type: "finish", signal: natural };

describe("a sealed generation", () => {
  it("passes a well-behaved source as it is", async () => {
    const events = [{ type: "start", id: "1", model: "m" } as const, text("a"), finish];
    expect(await collect(events)).toEqual(events);
  });

  it("calls a source that ends without a finish truncated, never finished", async () => {
    const signal = finishOf(await collect([text("a")]));
    expect(signal).toMatchObject({ reason: "error_termination", detail: "truncated" });
  });

  it("keeps the first of two finishes and drops what comes after it", async () => {
    const second: GenerationEvent = { type: "finish", signal: truncatedSignal() };
    expect(await collect([text("a"), finish, text("b"), second])).toEqual([text("a"), finish]);
  });

  it("as a stage, lets nothing through after the finish and ends once", () => {
    const out: unknown[] = [];
    const sink = seal({ push: (event) => void out.push(event), end: () => void out.push("end") });
    for (const event of [text("a"), finish, text("b"), finish]) sink.push(event);
    sink.end();
    expect(out).toEqual([text("a"), finish, "end"]);
  });

  it("ends a source that throws with its error, after the text that was held back", async () => {
    async function* source(): AsyncGenerator<GenerationEvent> {
      yield text("a ST");
      throw new TypeError("socket hang up");
    }
    const events = await collect(source(), defineGuard({ stop: ["STOP"] }));
    expect(textOf(events)).toBe("a ST");
    expect(finishOf(events)).toMatchObject({
      reason: "error_termination",
      detail: "exception",
      message: "socket hang up",
      providerSpecific: { originalField: "error", originalValue: "TypeError" },
    });
  });

  it.each([
    { what: "an event that is nothing", source: [text("a ST"), null] },
    { what: "an event without text", source: [text("a ST"), { type: "text" }] },
    { what: "token ids that are no list", source: [text("a ST"), { type: "text", text: "b", tokenIds: null }] },
  ])("ends a source that sends $what with an error, after the text that was held back", async ({ source }) => {
    const events = await collect(source as GenerationEvent[], defineGuard({ stop: ["STOP"] }));
    expect(textOf(events)).toBe("a ST");
    expect(finishOf(events)).toMatchObject({ reason: "error_termination", detail: "exception" });
  });

  it("does not take a finish without a signal for an ending that is known", async () => {
    const events = await collect([text("a"), { type: "finish" } as unknown as GenerationEvent]);
    expect(finishOf(events)).toMatchObject({ reason: "error_termination", detail: "invalid_finish" });
  });

  it("copes with sources that break the rules of iteration", async () => {
    const thrown = {
      [Symbol.iterator]: () => ({
        next: () => {
          throw Object.create(null) as Error;
        },
      }),
    };
    const answer = { [Symbol.iterator]: () => ({ next: () => 5 }) };
    for (const source of [thrown, answer]) {
      const events = await collect(source as unknown as Iterable<GenerationEvent>);
      expect(finishOf(events).reason).toBe("error_termination");
    }
    function* badClose(): Generator<GenerationEvent> {
      try {
        yield finish;
      } finally {
        // oxlint-disable-next-line no-unsafe-finally
        throw new Error("close failed");
      }
    }
    expect(await collect(badClose())).toEqual([finish]);
  });

  it("ends with a finish even when a stage breaks", async () => {
    const broken = () => ({
      push: () => {
        throw new Error("broken stage");
      },
      end: () => undefined,
    });
    expect(finishOf(await collect([text("a")], broken))).toMatchObject({ message: "broken stage" });
  });

  it("ends with a finish, and closes the source, when a stage breaks while it is made", async () => {
    let isClosed = false;
    const source: AsyncIterable<GenerationEvent> = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ done: false, value: text("a") }),
        return: () => {
          isClosed = true;
          return Promise.resolve({ done: true, value: undefined });
        },
      }),
    };
    const broken = (): never => {
      throw new Error("no stage");
    };
    const events = await collect(source, broken);
    expect(events).toHaveLength(1);
    expect(finishOf(events)).toMatchObject({ reason: "error_termination", message: "no stage" });
    expect(isClosed).toBe(true);
  });

  it.each([
    { reason: undefined, detail: "user" },
    { reason: "operator", detail: "operator" },
    { reason: new DOMException("late", "TimeoutError"), detail: "deadline" },
    { reason: new RangeError("odd"), detail: "RangeError" },
  ])("an abort with reason $reason has detail $detail", async ({ reason, detail }) => {
    const controller = new AbortController();
    controller.abort(reason);
    expect(finishOf(await collect([text("a")], undefined, controller.signal))).toMatchObject({
      reason: "cancelled",
      detail,
    });
  });

  it("stops at an abort in the middle of a silence, keeps the text, and says who stopped it", async () => {
    const controller = new AbortController();
    async function* source(): AsyncGenerator<GenerationEvent> {
      yield text("a ST");
      controller.abort("new_message");
      await new Promise(() => undefined);
    }
    const events = await collect(source(), defineGuard({ stop: ["STOP"] }), controller.signal);
    expect(textOf(events)).toBe("a ST");
    expect(finishOf(events)).toMatchObject({ reason: "cancelled", detail: "new_message" });
  });

  it("closes the source as soon as a rule has ended the generation", async () => {
    let closed = false;
    async function* source(): AsyncGenerator<GenerationEvent> {
      try {
        for (;;) yield text("again ");
      } finally {
        closed = true;
      }
    }
    const events = await collect(source(), defineGuard({ maxTokens: 3 }));
    expect(textOf(events)).toBe("again again again ");
    await expect.poll(() => closed).toBe(true);
  });

  it("shows the text before the stop to the reader while the source still runs", async () => {
    const reader = runGeneration([text("a"), text("b"), finish], defineGuard({ stop: ["zz"] }));
    expect((await reader.next()).value).toEqual(text("a"));
    await reader.return();
  });
});

describe("signals", () => {
  it.each([natural, truncatedSignal(), cancelledSignal(), failedSignal("a string"), failedSignal(new Error(""))])(
    "$reason $detail is recognised, also after a trip through JSON",
    (signal) => {
      expect(isTerminationSignal(signal)).toBe(true);
      expect(isTerminationSignal(JSON.parse(JSON.stringify(signal)))).toBe(true);
    },
  );

  it.each([
    null,
    "stop",
    [],
    {},
    { ...natural, reason: "finished" },
    { ...natural, reason: "toString" },
    { ...natural, confidence: "certain" },
    { ...natural, shouldTerminate: "yes" },
    { ...natural, providerSpecific: { originalField: "f" } },
    { ...natural, providerSpecific: { ...natural.providerSpecific, metadata: [] } },
    { ...natural, detail: 4 },
  ])("%j is not taken for one", (value) => {
    expect(isTerminationSignal(value)).toBe(false);
  });

  it("leaves out what is not known", () => {
    expect(Object.keys(natural)).toEqual(["shouldTerminate", "reason", "confidence", "providerSpecific"]);
  });
});
