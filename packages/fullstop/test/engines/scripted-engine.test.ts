import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { FullstopError } from "../../src/index.ts";
import {
  call,
  createGate,
  createScriptedEngine,
  finish,
  reasoning,
  signature,
  start,
  text,
  usage,
} from "../../src/testing/index.ts";
import type { ScriptedAnswer } from "../../src/testing/index.ts";
import { ask, readAll } from "../support/engine-contract.ts";
import { finishOf, textOf } from "../support/events.ts";

describe("a scripted engine", () => {
  it("gives one answer after the other and remembers what it was asked", async () => {
    const engine = createScriptedEngine([
      [text("one"), finish()],
      ({ model }) => [text(`two for ${model}`), finish("token_limit_reached")],
    ]);
    expect(textOf(await readAll(engine, ask("a")))).toBe("one");
    const second = await readAll(engine, ask("b"));
    expect(textOf(second)).toBe("two for b");
    expect(finishOf(second).reason).toBe("token_limit_reached");
    expect(engine.requests).toEqual([ask("a"), ask("b")]);
  });

  it("says so when there is no answer left", async () => {
    const engine = createScriptedEngine([[finish()]]);
    await readAll(engine);
    expect(finishOf(await readAll(engine))).toMatchObject({
      reason: "error_termination",
      detail: "script_over",
      message: "The script has 1 answers, and this is request 2",
    });
  });

  it("gives its answers in the order of the calls, not of the reading", async () => {
    const engine = createScriptedEngine([
      [text("one"), finish()],
      [text("two"), finish()],
    ]);
    const { signal } = new AbortController();
    const [first, second] = [engine.generate(ask(), signal), engine.generate(ask(), signal)];
    const firstText = async (events: typeof first): Promise<unknown> => {
      for await (const event of events) return event;
      return undefined;
    };
    expect(await firstText(second)).toEqual(text("two"));
    expect(await firstText(first)).toEqual(text("one"));
  });

  it("leaves its thinking where the script allows it, also a step that is waited for", async () => {
    const gates = { thinking: createGate(), answering: createGate() };
    const script = [start(), reasoning("a"), gates.thinking.pass, reasoning("b"), usage(1, 1), text("c")];
    const engine = createScriptedEngine([[...script, gates.answering.pass, reasoning("d"), finish()]], {
      skipsThinking: true,
    });
    const generation = engine.generate(ask(), new AbortController().signal);
    const read: string[] = [];
    void gates.thinking.reached.then(() => expect(generation.skipThinking?.()).toBe(true));
    for await (const event of generation) {
      read.push("text" in event ? event.text : event.type);
      if (event.type !== "text") continue;
      expect(generation.skipThinking?.()).toBe(false);
      gates.answering.open();
    }
    expect(read).toEqual(["start", "a", "usage", "c", "d", "finish"]);
  });

  it("still waits in its answer when its thinking was left", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([[start(), text("a"), gate.pass, finish()]], { skipsThinking: true });
    const generation = engine.generate(ask(), new AbortController().signal);
    const events = generation[Symbol.asyncIterator]();
    expect(await events.next()).toMatchObject({ value: { type: "start" } });
    expect(generation.skipThinking?.()).toBe(true);
    expect(await events.next()).toMatchObject({ value: text("a") });
    let state = "waiting";
    const last = events.next().then((step) => {
      state = "over";
      return step;
    });
    await gate.reached;
    await setImmediate();
    expect(state).toBe("waiting");
    gate.open();
    expect(await last).toMatchObject({ value: { type: "finish" } });
  });

  it("cannot leave its thinking otherwise, nor when it was stopped", () => {
    const stopped = AbortSignal.abort();
    const generation = createScriptedEngine([[finish()]]).generate(ask(), stopped);
    expect(generation).not.toHaveProperty("skipThinking");
    const engine = createScriptedEngine([[finish()]], { skipsThinking: true });
    expect(engine.generate(ask(), stopped).skipThinking?.()).toBe(false);
  });

  it("waits at a gate until it is opened", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([[text("a"), gate.pass, text("b"), finish()]]);
    const read: string[] = [];
    const reading = (async () => {
      for await (const event of engine.generate(ask(), new AbortController().signal)) read.push(event.type);
    })();
    await gate.reached;
    expect(read).toEqual(["text"]);
    gate.open();
    await reading;
    expect(read).toEqual(["text", "text", "finish"]);
  });

  const fail = (): void => {
    throw new TypeError("broken");
  };

  it("makes an error of a step that throws, and a cut of a script without a finish", async () => {
    const engine = createScriptedEngine([[text("a"), fail], [text("a")]]);
    expect(finishOf(await readAll(engine))).toMatchObject({ detail: "exception", message: "broken" });
    expect(finishOf(await readAll(engine))).toMatchObject({ detail: "truncated" });
  });

  it("breaks every promise of an engine when it is not sealed", async () => {
    const engine = createScriptedEngine([[text("a"), fail], [text("a")], [finish(), finish()]], { isSealed: false });
    const read: string[] = [];
    const { signal } = new AbortController();
    const readOn = async (): Promise<void> => {
      for await (const event of engine.generate(ask(), signal)) read.push(event.type);
    };
    await expect(readOn()).rejects.toThrow("broken");
    await readOn();
    await readOn();
    expect(read).toEqual(["text", "text", "finish", "finish"]);
  });

  it("stops between two events when it is cancelled, also when it is not sealed", async () => {
    const engine = createScriptedEngine([[text("a"), text("b"), finish()]], { isSealed: false });
    const controller = new AbortController();
    const read: unknown[] = [];
    for await (const event of engine.generate(ask(), controller.signal)) {
      read.push(event);
      controller.abort();
    }
    expect(read).toEqual([text("a")]);
  });

  it.each<[string, () => unknown, string]>([
    ["a script that is none", () => createScriptedEngine(5 as unknown as ScriptedAnswer[]), "script must be a list"],
    ["a misspelt option", () => createScriptedEngine([], { sealed: false } as object), "has no such option"],
    [
      "a flag that is none",
      () => createScriptedEngine([], { isSealed: 1 } as object),
      "isSealed must be true or false",
    ],
  ])("is refused %s", (_what, create, message) => {
    expect(create).toThrow(FullstopError);
    expect(create).toThrow(message);
  });
});

describe("the builders of events", () => {
  it("build what they are called", () => {
    expect([start(), start("g", "m"), text("a"), reasoning("b"), signature("c")]).toEqual([
      { type: "start", id: "generation-1", model: "some-model" },
      { type: "start", id: "g", model: "m" },
      { type: "text", text: "a" },
      { type: "reasoning", text: "b" },
      { type: "reasoning", text: "", signature: "c" },
    ]);
    expect(call("1", "add", { a: 1 })).toEqual([
      { type: "tool-call-start", callId: "1", name: "add" },
      { type: "tool-call-delta", callId: "1", json: '{"a"' },
      { type: "tool-call-delta", callId: "1", json: ":1}" },
      { type: "tool-call-end", callId: "1" },
    ]);
    expect(usage(1, 2, { reasoningTokens: 1 })).toEqual({
      type: "usage",
      usage: { inputTokens: 1, outputTokens: 2, reasoningTokens: 1 },
    });
    expect(finish("stop_sequence", { stopSequence: "END" }).signal).toMatchObject({
      reason: "stop_sequence",
      stopSequence: "END",
      confidence: "high",
    });
  });
});
