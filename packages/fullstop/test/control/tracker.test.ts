import { describe, expect, it } from "vitest";
import { createTracker, generationContext } from "../../src/control/index.ts";
import type { GenerationKey, StopReason, TrackedGeneration, Tracker } from "../../src/control/index.ts";
import { FullstopError } from "../../src/index.ts";
import type { TerminationSignal } from "../../src/index.ts";
import {
  call,
  createGate,
  createScriptedEngine,
  finish,
  reasoning,
  start,
  text,
  usage,
} from "../../src/testing/index.ts";
import type { ScriptStep } from "../../src/testing/index.ts";

const REASONS: readonly StopReason[] = ["user", "new_message", "disconnect", "operator", "deadline", "shutdown"];

const ANSWER: readonly ScriptStep[] = [start(), text("one "), text("two "), finish()];

/** Runs an answer under a tracked generation, and gives its text and its ending. */
async function answer(
  { signal }: TrackedGeneration,
  script: readonly ScriptStep[] = ANSWER,
): Promise<{ readonly text: string; readonly signal: TerminationSignal | undefined }> {
  let said = "";
  let ending: TerminationSignal | undefined;
  for await (const event of createScriptedEngine([script]).generate({ model: "m", messages: [] }, signal)) {
    if (event.type === "text") said += event.text;
    if (event.type === "finish") ending = event.signal;
  }
  return { text: said, signal: ending };
}

function isEmpty(tracker: Tracker, ...keys: readonly GenerationKey[]): boolean {
  return tracker.active().length === 0 && keys.every((key) => tracker.stop({ key }) === "not_found");
}

describe("a tracker", () => {
  it("finds a generation by its id and by its key", () => {
    const tracker = createTracker();
    const one = tracker.start(["chat", 1], { id: "one" });
    const other = tracker.start(["chat", 2]);
    expect(tracker.isActive({ id: "one" })).toBe(true);
    expect(tracker.isActive({ key: ["chat", 1] })).toBe(true);
    expect(tracker.stop({ id: "one" })).toBe("stopped");
    expect([one.signal.aborted, other.signal.aborted]).toEqual([true, false]);
    expect(tracker.isActive({ key: ["chat", 1] })).toBe(false);
    expect(tracker.stop({ key: ["chat", 2] })).toBe("stopped");
    expect(tracker.active().map(({ id }) => id)).toEqual(["one", other.id]);
  });

  it("stops all that run under a key", () => {
    const tracker = createTracker();
    const generations = [tracker.start("chat"), tracker.start("chat"), tracker.start("other")];
    expect(tracker.stop({ key: "chat" })).toBe("stopped");
    expect(generations.map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
  });

  it("says of a second press that it is stopping, and of what is not there that it is not", () => {
    const tracker = createTracker();
    const generation = tracker.start("chat");
    expect(tracker.stop({ key: "chat" }, "user")).toBe("stopped");
    expect(tracker.stop({ key: "chat" }, "operator")).toBe("stopping");
    expect(tracker.stop({ id: generation.id }, "operator")).toBe("stopping");
    expect(generation.signal.reason).toBe("user");
    generation.end();
    expect(tracker.stop({ key: "chat" })).toBe("not_found");
    expect(tracker.stop({ id: generation.id })).toBe("not_found");
  });

  it("leaves a newer generation alone when the older one under its key is cleaned up", () => {
    const tracker = createTracker();
    const older = tracker.start("chat");
    const newer = tracker.start("chat", { interrupts: true });
    expect(older.signal.reason).toBe("new_message");
    older.end();
    older.end();
    expect(newer.signal.aborted).toBe(false);
    expect(tracker.stop({ key: "chat" })).toBe("stopped");
    expect(newer.signal.reason).toBe("user");
  });

  it("leaves a newer generation alone that has taken over the id of the older one", () => {
    const tracker = createTracker();
    const older = tracker.start("chat", { id: "same" });
    older.end();
    tracker.start("other", { id: "same" });
    older.end();
    expect(tracker.isActive({ id: "same" })).toBe(true);
  });

  it("interrupts only when it is asked to, and only its own key", () => {
    const tracker = createTracker();
    const [first, elsewhere] = [tracker.start("chat"), tracker.start("other")];
    tracker.start("chat");
    expect(first.signal.aborted).toBe(false);
    tracker.start("chat", { interrupts: true });
    expect([first.signal.reason, elsewhere.signal.aborted]).toEqual(["new_message", false]);
  });

  it.each(REASONS)("lets a stop by %s win that comes before the engine is asked", async (reason) => {
    const tracker = createTracker();
    const slowStep = createGate();
    const running = generationContext(tracker, "chat", async (generation) => {
      await slowStep.pass();
      expect(generation.signal.aborted).toBe(true);
      return answer(generation);
    });
    await slowStep.reached;
    expect(tracker.stop({ key: "chat" }, reason)).toBe("stopped");
    slowStep.open();
    expect(await running).toMatchObject({ text: "", signal: { reason: "cancelled", detail: reason } });
  });

  it.each(REASONS)("ends an answer with what it said so far when %s stops it", async (reason) => {
    const tracker = createTracker();
    const middle = createGate();
    const running = generationContext(tracker, "chat", (generation) =>
      answer(generation, [start(), text("one "), middle.pass, text("two "), finish()]),
    );
    await middle.reached;
    tracker.stop({ key: "chat" }, reason);
    middle.open();
    expect(await running).toMatchObject({ text: "one ", signal: { reason: "cancelled", detail: reason } });
  });

  it("cannot stop what has ended before", async () => {
    const tracker = createTracker();
    const { signal } = await generationContext(tracker, "chat", (generation) => answer(generation));
    expect(tracker.stop({ key: "chat" })).toBe("not_found");
    expect(signal?.reason).toBe("natural_completion");
  });

  it("skips thinking where there is a way to, and nobody has stopped it", () => {
    const tracker = createTracker();
    let skips = 0;
    const generation = tracker.start("chat");
    expect(tracker.skipThinking({ key: "chat" })).toBe(false);
    generation.onSkipThinking(() => {
      skips += 1;
      return skips === 1;
    });
    expect(tracker.skipThinking({ key: "chat" })).toBe(true);
    expect(tracker.skipThinking({ id: generation.id })).toBe(false);
    tracker.stop({ key: "chat" });
    expect(tracker.skipThinking({ key: "chat" })).toBe(false);
    expect(tracker.skipThinking({ key: "other" })).toBe(false);
    expect(skips).toBe(2);
  });

  it("knows what a generation is doing by the events it is shown", () => {
    const generation = createTracker().start("chat");
    const phases = [start(), reasoning("hm"), usage(1, 1), text("a"), ...call("c", "look_up"), finish()].map(
      (event) => {
        generation.observe(event);
        return generation.phase;
      },
    );
    expect(phases.join(" ")).toBe("waiting thinking thinking answering calling calling calling calling calling");
  });

  const SAME: readonly (readonly [GenerationKey, GenerationKey])[] = [
    ["chat", ["chat"]],
    [
      ["chat", 1, undefined],
      ["chat", 1, undefined],
    ],
    [[0], [-0]],
  ];
  it.each(SAME)("takes %j and %j for one key", (one, other) => {
    const tracker = createTracker();
    tracker.start(one);
    expect(tracker.isActive({ key: other })).toBe(true);
  });

  const DIFFERENT: readonly (readonly [GenerationKey, GenerationKey])[] = [
    [["1"], [1]],
    [["a", "b"], ["ab"]],
    [
      ["a", "b"],
      ["b", "a"],
    ],
    [["a"], ["a", undefined]],
    [[undefined], ["null"]],
    ['["a","b"]', ["a", "b"]],
    [[1.5], [1, 5]],
    ["\ud83d", "\ufffd"],
    ["", []],
  ];
  it.each(DIFFERENT)("takes %j and %j for two keys", (one, other) => {
    const tracker = createTracker();
    tracker.start(one);
    expect([tracker.isActive({ key: one }), tracker.isActive({ key: other })]).toEqual([true, false]);
  });

  it("tracks nothing when all have ended, however they were begun and stopped", () => {
    const tracker = createTracker();
    const generations = Array.from({ length: 300 }, (_, index) =>
      tracker.start(["chat", index % 7], { interrupts: index % 3 === 0 }),
    );
    generations.forEach((generation, index) => index % 5 === 0 && tracker.stop({ id: generation.id }));
    for (const generation of generations.toReversed()) generation.end();
    expect(isEmpty(tracker, ...Array.from({ length: 7 }, (_, index) => ["chat", index]))).toBe(true);
  });

  /** A tracker for a caller without types. */
  const untyped = createTracker as () => {
    start(...options: unknown[]): unknown;
    stop(...options: unknown[]): unknown;
  };
  it.each([
    [() => untyped().start(5), "key must be a word or a list of words and finite numbers, got 5"],
    [() => untyped().start(undefined), "got undefined"],
    [() => untyped().start(["a", null]), `got ["a",null]`],
    [() => untyped().start([Number.NaN]), "key must be a word or a list of words and finite numbers"],
    [() => untyped().start("chat", { id: "" }), `id must be a word that is not empty, got ""`],
    [() => untyped().start("chat", { id: 5 }), "got 5"],
    [() => untyped().start("chat", { interrupt: true }), `got "interrupt"`],
    [() => untyped().start("chat", { interrupts: 1 }), "interrupts must be true or false, got 1"],
    [() => untyped().stop({ key: "chat" }, ""), `reason must be a word that is not empty, got ""`],
    [() => untyped().stop({ key: "chat" }, 3), "got 3"],
    [() => untyped().stop("one"), `target must be { id } or { key }, got "one"`],
    [() => untyped().stop(undefined), "target must be { id } or { key }, got undefined"],
    [() => untyped().stop({ generation: "one" }), "target must be { id } or { key }"],
  ])("refuses what it cannot track: %#", (attempt, message) => {
    expect(attempt).toThrow(FullstopError);
    expect(attempt).toThrow(message);
  });

  it("refuses an id that is taken, and stops nobody for it", () => {
    const tracker = createTracker();
    const first = tracker.start("chat", { id: "one" });
    expect(() => tracker.start("chat", { id: "one", interrupts: true })).toThrow(`got "one"`);
    expect(first.signal.aborted).toBe(false);
  });
});

describe("a generation's context", () => {
  it.each([
    ["returns", async () => "done"],
    ["rejects", async () => Promise.reject(new Error("failed"))],
    [
      "throws",
      (): Promise<string> => {
        throw new Error("thrown");
      },
    ],
    [
      "ends it by itself",
      async (generation: TrackedGeneration) => {
        generation.end();
        return "done";
      },
    ],
  ])("tracks no longer than what runs in it, also if that %s", async (_, run) => {
    const tracker = createTracker();
    await generationContext(tracker, "chat", run).catch((error: unknown) => error);
    expect(isEmpty(tracker, "chat")).toBe(true);
  });

  it("gives what its run gives, and throws what that throws", async () => {
    const tracker = createTracker();
    await expect(generationContext(tracker, "chat", async ({ id }) => id, { id: "one" })).resolves.toBe("one");
    await expect(generationContext(tracker, "chat", async () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  });

  it("is cleaned up after a stop, when the run has taken notice of it", async () => {
    const tracker = createTracker();
    const stopped = createGate();
    const running = generationContext(tracker, "chat", async ({ signal }) => {
      signal.addEventListener("abort", () => stopped.open());
      await stopped.pass();
      return tracker.isActive({ key: "chat" });
    });
    tracker.stop({ key: "chat" }, "shutdown");
    expect(tracker.active()).toHaveLength(1);
    expect(await running).toBe(false);
    expect(isEmpty(tracker, "chat")).toBe(true);
  });
});
