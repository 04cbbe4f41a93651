import { getEventListeners } from "node:events";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSkippableEngine, requestsWithoutThinking } from "../../src/engines/index.ts";
import type { LeaveThinking, SkippableEngineOptions } from "../../src/engines/index.ts";
import type { Engine, Generation } from "../../src/engine.ts";
import type { GenerationEvent, GenerationRequest } from "../../src/index.ts";
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
import type { ScriptStep, ScriptedEngine } from "../../src/testing/index.ts";
import { ask, describeEngine } from "../support/engine-contract.ts";
import { finishOf, textOf } from "../support/events.ts";

const MARK: GenerationEvent = { type: "reasoning", text: "", skipped: true };

describeEngine("the skippable engine", async (script) => ({
  engine: createSkippableEngine(createScriptedEngine(script)),
  close: () => Promise.resolve(),
}));

interface Skipped {
  readonly events: readonly GenerationEvent[];
  readonly outcomes: readonly boolean[];
}

/** Reads an answer and does something at its events; whoever returns what came of a wish has it kept. */
async function readWith(
  engine: Engine,
  act: (event: GenerationEvent, generation: Generation) => boolean | undefined | void,
  request: GenerationRequest = ask(),
  signal: AbortSignal = new AbortController().signal,
): Promise<Skipped> {
  const events: GenerationEvent[] = [];
  const outcomes: boolean[] = [];
  const generation = engine.generate(request, signal);
  for await (const event of generation) {
    events.push(event);
    const outcome = act(event, generation);
    if (outcome !== undefined) outcomes.push(outcome);
  }
  expect(events.filter(({ type }) => type === "finish")).toEqual(events.slice(-1));
  expect(events.filter(({ type }) => type === "start").length).toBeLessThan(2);
  return { events, outcomes };
}

/** Skips the thinking at its first piece. */
function skipOnce(): (event: GenerationEvent, generation: Generation) => boolean | undefined {
  let isDone = false;
  return (event, generation) => {
    if (isDone || event.type !== "reasoning") return undefined;
    isDone = true;
    return generation.skipThinking?.();
  };
}

/** Answers at once what has to be answered without thinking, and otherwise thinks for ever. */
function thinker(answer: readonly ScriptStep[], thoughts: readonly string[] = ["Six times ", "seven"]): ScriptedEngine {
  return createScriptedEngine(({ reasoning: wish }) =>
    wish?.effort === "none"
      ? answer
      : [start(), ...thoughts.map((thought) => reasoning(thought)), createGate().pass, text("Late"), finish()],
  );
}

const ANSWER: readonly ScriptStep[] = [start("generation-2"), text("42"), usage(20, 1), finish()];

describe("thinking that is skipped", () => {
  it("becomes one generation of two requests, with the tokens of both", async () => {
    const engine = thinker(ANSWER);
    const { events, outcomes } = await readWith(createSkippableEngine(engine), skipOnce());
    expect(outcomes).toEqual([true]);
    expect(events).toEqual([
      start(),
      reasoning("Six times "),
      MARK,
      text("42"),
      // "Hello" is 2 tokens, and so are "Six times ", as far as anybody can say.
      usage(22, 4, { estimated: true }),
      finish(),
    ]);
    expect(engine.requests).toEqual([ask(), requestsWithoutThinking(ask(), [reasoning("Six times ")])[0]]);
  });

  it("is not asked for either by what only one dialect has: switches are turned off, the rest is taken out", () => {
    const fields = {
      reasoning: { max_tokens: 100 },
      enable_thinking: true,
      chat_template_kwargs: { enable_thinking: true, tone: "kind" },
      extra_body: { google: { thinking_config: { include_thoughts: true } } },
      guided_json: { properties: { reasoning: {} } },
    };
    const asked = { ...ask(), native: { format: "openai-chat", fields } };
    for (const { native } of requestsWithoutThinking(asked, [])) {
      expect(native).toEqual({
        format: "openai-chat",
        fields: {
          enable_thinking: false,
          chat_template_kwargs: { enable_thinking: false, tone: "kind" },
          extra_body: { google: {} },
          guided_json: { properties: { reasoning: {} } },
        },
      });
    }
  });

  const refused = finish("error_termination", { detail: "invalid_request" });

  it.each([1, 2])(
    "is asked to be as short as it can be by a model that refuses to have none, %i times",
    async (times) => {
      const refusals = Array.from({ length: times }, () => [refused]);
      const engine = createScriptedEngine([
        [start(), reasoning("Six times "), createGate().pass],
        ...refusals,
        ANSWER,
        [text("too much"), finish()],
      ]);
      const { events } = await readWith(createSkippableEngine(engine), skipOnce());
      expect(events.map(({ type }) => type)).toEqual(["start", "reasoning", "reasoning", "text", "usage", "finish"]);
      expect(events.at(-1)).toEqual(finish());
      const wishes = [{ effort: "none" }, { effort: "low", budgetTokens: 128 }, undefined];
      expect(engine.requests.slice(1).map(({ reasoning: wish }) => wish)).toEqual(wishes.slice(0, times + 1));
    },
  );

  it("ends as the last refusal says where there is nothing left to try", async () => {
    const engine = createScriptedEngine([
      [start(), reasoning("Six times "), createGate().pass],
      [refused],
      [refused],
      [refused],
      ANSWER,
    ]);
    const { events } = await readWith(createSkippableEngine(engine), skipOnce());
    expect(events.at(-1)).toEqual(refused);
    expect(engine.requests).toHaveLength(4);
  });

  it("is not asked for again where it has failed for another reason", async () => {
    const failed = finish("error_termination", { detail: "overloaded" });
    const engine = createScriptedEngine([[start(), reasoning("Six times "), createGate().pass], [failed], ANSWER]);
    const { events } = await readWith(createSkippableEngine(engine), skipOnce());
    expect(events.at(-1)).toEqual(failed);
    expect(engine.requests).toHaveLength(2);
  });

  it("costs what the provider has counted of it, or more where more has come", async () => {
    const engine = createScriptedEngine([
      [start(), usage(100, 1, { cachedInputTokens: 80 }), reasoning("x".repeat(40)), createGate().pass],
      [text("42"), usage(120, 1, { cachedInputTokens: 90 }), finish()],
    ]);
    const { events } = await readWith(createSkippableEngine(engine), skipOnce());
    expect(events.findLast(({ type }) => type === "usage")).toEqual(
      usage(220, 11, { cachedInputTokens: 170, estimated: true }),
    );
  });

  it("is estimated where nobody counts", async () => {
    const engine = thinker([text("x".repeat(40)), finish()], ["x".repeat(40)]);
    const { events } = await readWith(createSkippableEngine(engine), skipOnce());
    expect(events.at(-2)).toMatchObject({ type: "usage", usage: { outputTokens: 20, estimated: true } });
  });

  it("is skipped before anything has come, because many models do not show it", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([[gate.pass, start(), text("Late"), finish()], ANSWER]);
    const generation = createSkippableEngine(engine).generate(ask(), new AbortController().signal);
    const events: GenerationEvent[] = [];
    const reading = (async () => {
      for await (const event of generation) events.push(event);
    })();
    await gate.reached;
    expect(generation.skipThinking?.()).toBe(true);
    await reading;
    gate.open();
    expect(events.map(({ type }) => type)).toEqual(["start", "reasoning", "text", "usage", "finish"]);
    expect(events.find(({ type }) => type === "usage")).toMatchObject({ usage: { outputTokens: 1, estimated: true } });
    expect(engine.requests[1]?.messages).toEqual(ask().messages);
  });

  it("is skipped before anybody reads, with the tokens of the only request that is made", async () => {
    const generation = createSkippableEngine(thinker(ANSWER)).generate(ask(), new AbortController().signal);
    expect(generation.skipThinking?.()).toBe(true);
    const events: GenerationEvent[] = [];
    for await (const event of generation) events.push(event);
    expect(events).toEqual([start("generation-2"), MARK, text("42"), usage(20, 1), finish()]);
  });

  it("keeps what was thought and lets go of what came after the wish", async () => {
    const engine = createScriptedEngine([
      [start(), reasoning("Six "), reasoning("times"), text("Late"), finish()],
      ANSWER,
    ]);
    // An engine that has more at hand than was read of it when it is given up.
    const eager: Engine = {
      generate: (request) => ({
        [Symbol.asyncIterator]: () => engine.generate(request, new AbortController().signal)[Symbol.asyncIterator](),
      }),
    };
    const { events } = await readWith(createSkippableEngine(eager), skipOnce());
    expect(textOf(events, "reasoning")).toBe("Six times");
    expect(textOf(events)).toBe("42");
    expect(events.indexOf(events.find((event) => "skipped" in event)!)).toBe(3);
  });

  it("is wished for twice and skipped once", async () => {
    const engine = thinker([start("generation-2"), reasoning("Still"), text("42"), finish()]);
    const { events, outcomes } = await readWith(createSkippableEngine(engine), (event, generation) => {
      if (event.type !== "reasoning") return undefined;
      const first = generation.skipThinking?.();
      expect(generation.skipThinking?.()).toBe(first);
      return first;
    });
    // Nothing is left to be skipped when the model thinks although it was asked not to.
    expect(outcomes).toEqual([true, true, false]);
    expect(events.filter((event) => "skipped" in event)).toHaveLength(1);
    expect(engine.requests).toHaveLength(2);
  });

  it.each([
    ["a text has come", [start(), reasoning("Hm"), text("42"), finish()], "text"],
    ["a call has come", [start(), reasoning("Hm"), ...call("c1", "look"), finish()], "tool-call-start"],
    ["it has ended", [start(), reasoning("Hm"), finish()], "finish"],
  ] satisfies readonly [string, readonly ScriptStep[], string][])("is not skipped when %s", async (_, script, type) => {
    const engine = createScriptedEngine([script]);
    const { outcomes } = await readWith(createSkippableEngine(engine), (event, generation) =>
      event.type === type ? generation.skipThinking?.() : undefined,
    );
    expect(outcomes).toEqual([false]);
    expect(engine.requests).toHaveLength(1);
  });

  it.each([{ effort: "none" }, { budgetTokens: 0 }])("is not skipped where there is none: %j", async (wish) => {
    const engine = createScriptedEngine([[start(), text("42"), finish()]]);
    const { outcomes } = await readWith(
      createSkippableEngine(engine),
      (event, generation) => (event.type === "start" ? generation.skipThinking?.() : undefined),
      ask("m", { reasoning: wish }),
    );
    expect(outcomes).toEqual([false]);
  });

  it("ends as the second request has ended, with what came", async () => {
    const failure = finish("error_termination", { detail: "overloaded", message: "Try again" });
    const { events } = await readWith(createSkippableEngine(thinker([failure])), skipOnce());
    expect(textOf(events, "reasoning")).toBe("Six times ");
    expect(events.slice(-2)).toEqual([usage(2, 3, { estimated: true }), failure]);
  });

  it.each(["the first", "the second"])("lets go of %s request when its reader leaves in a silence", async (which) => {
    const gate = createGate();
    const silence = [start(), gate.pass, finish()];
    const engine = which === "the first" ? createScriptedEngine([silence]) : thinker(silence);
    const stop = new AbortController();
    const generation = createSkippableEngine(engine).generate(ask(), stop.signal);
    const events = generation[Symbol.asyncIterator]();
    await events.next();
    if (which === "the second") generation.skipThinking?.();
    const reading = (async () => {
      for (let step = await events.next(); step.done !== true;) step = await events.next();
    })();
    await gate.reached;
    await events.return?.();
    await reading;
    expect(engine.requests).toHaveLength(which === "the first" ? 1 : 2);
    gate.open();
  });

  it("follows nobody's signal when its reader has left before the first event", async () => {
    const { signal } = new AbortController();
    await createSkippableEngine(thinker([])).generate(ask(), signal)[Symbol.asyncIterator]().return?.();
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("waits for the tools that the answer without it has called", async () => {
    const { events } = await readWith(createSkippableEngine(thinker([...call("c1", "look"), finish()])), skipOnce());
    expect(finishOf(events).reason).toBe("tool_calls");
  });
});

describe("a stop", () => {
  it("between the two requests is a stop, and nobody is asked again", async () => {
    const stop = new AbortController();
    const engine = thinker(ANSWER);
    const { events } = await readWith(
      createSkippableEngine(engine),
      (event, generation) => {
        if (event.type !== "reasoning" || event.skipped === true) return;
        expect(generation.skipThinking?.()).toBe(true);
        stop.abort("operator");
        expect(generation.skipThinking?.()).toBe(false);
      },
      ask(),
      stop.signal,
    );
    expect(finishOf(events)).toMatchObject({ reason: "cancelled", detail: "operator" });
    expect(events.at(-2)).toMatchObject({ type: "usage" });
    expect(engine.requests).toHaveLength(1);
  });

  it("in the second request is a stop", async () => {
    const stop = new AbortController();
    const skip = skipOnce();
    const engine = thinker([text("4"), createGate().pass, text("2"), finish()]);
    const { events } = await readWith(
      createSkippableEngine(engine),
      (event, generation) => {
        if (event.type === "text") stop.abort("new_message");
        return skip(event, generation);
      },
      ask(),
      stop.signal,
    );
    expect(textOf(events)).toBe("4");
    expect(finishOf(events)).toMatchObject({ reason: "cancelled", detail: "new_message" });
  });

  it("while the server is being told ends the question", async () => {
    const stop = new AbortController();
    let told: AbortSignal | undefined;
    const options: SkippableEngineOptions = {
      leaveThinking: (_id, _model, signal) => {
        told = signal;
        return new Promise(() => undefined);
      },
    };
    const { events } = await readWith(
      createSkippableEngine(thinker(ANSWER), options),
      (event, generation) => {
        if (event.type !== "reasoning") return undefined;
        const outcome = generation.skipThinking?.();
        stop.abort();
        return outcome;
      },
      ask(),
      stop.signal,
    );
    expect(finishOf(events).reason).toBe("cancelled");
    expect(told?.aborted).toBe(true);
    expect(events.some((event) => "skipped" in event)).toBe(false);
  });
});

describe("a server that can be told", () => {
  it("is not told any more when the reader has left", async () => {
    let told: AbortSignal | undefined;
    const leaveThinking: LeaveThinking = (_id, _model, signal) => {
      told = signal;
      return new Promise(() => undefined);
    };
    const generation = createSkippableEngine(thinker(ANSWER), { leaveThinking }).generate(
      ask(),
      new AbortController().signal,
    );
    for await (const event of generation) if (event.type === "reasoning" && generation.skipThinking?.() === true) break;
    await expect.poll(() => told?.aborted).toBe(true);
  });

  it("answers within the same request", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([
      [start("answer-7", "m"), reasoning("Hm"), gate.pass, reasoning(", well"), text("42"), usage(9, 4), finish()],
    ]);
    const asked: unknown[] = [];
    const leaveThinking = async (id: string, model: string): Promise<boolean> => {
      asked.push([id, model]);
      gate.open();
      return true;
    };
    const { events, outcomes } = await readWith(createSkippableEngine(engine, { leaveThinking }), skipOnce());
    expect(outcomes).toEqual([true]);
    expect(asked).toEqual([["answer-7", "some-model"]]);
    expect(events).toEqual([
      start("answer-7", "m"),
      reasoning("Hm"),
      reasoning(", well"),
      MARK,
      text("42"),
      usage(9, 4),
      finish(),
    ]);
    expect(engine.requests).toHaveLength(1);
  });

  it.each([
    ["says no", () => Promise.resolve(false)],
    ["fails", () => Promise.reject(new Error("no such address"))],
    [
      "fails at once",
      () => {
        throw new Error("broken");
      },
    ],
  ] satisfies readonly [string, () => Promise<boolean>][])("is asked again if it %s", async (_, leaveThinking) => {
    const engine = thinker(ANSWER);
    const { events } = await readWith(createSkippableEngine(engine, { leaveThinking }), skipOnce());
    expect(textOf(events)).toBe("42");
    expect(engine.requests).toHaveLength(2);
  });

  it("is not asked again if it has begun to answer before it says no", async () => {
    const answered = createGate();
    const engine = createScriptedEngine([[start(), reasoning("Hm"), text("4"), text("2"), finish()]]);
    const leaveThinking = async (): Promise<boolean> => {
      await answered.pass();
      return false;
    };
    const skip = skipOnce();
    const { events } = await readWith(createSkippableEngine(engine, { leaveThinking }), (event, generation) => {
      if (event.type === "text") answered.open();
      return skip(event, generation);
    });
    expect(textOf(events)).toBe("42");
    expect(engine.requests).toHaveLength(1);
  });
});

describe("an engine that can skip by itself", () => {
  it("is asked to", async () => {
    const script = [start(), reasoning("Hm"), createGate().pass, reasoning("…"), text("42"), finish()];
    const engine = createScriptedEngine([script], { skipsThinking: true });
    const { events, outcomes } = await readWith(createSkippableEngine(engine), skipOnce());
    expect(outcomes).toEqual([true]);
    expect(events).toEqual([start(), reasoning("Hm"), text("42"), finish()]);
    expect(engine.requests).toHaveLength(1);
  });
});

it("counts tokens where the engine can", async () => {
  const engine: Engine = { ...createScriptedEngine([]), countTokens: async () => ({ inputTokens: 7 }) };
  const { signal } = new AbortController();
  expect(await createSkippableEngine(engine).countTokens?.(ask(), signal)).toEqual({ inputTokens: 7 });
  expect(createSkippableEngine(createScriptedEngine([]))).not.toHaveProperty("countTokens");
});

it("refuses what is no engine and what it does not know", () => {
  expect(() => createSkippableEngine({} as Engine)).toThrow("engine must have a generate function");
  const unknown = { leave: true } as SkippableEngineOptions;
  expect(() => createSkippableEngine(createScriptedEngine([]), unknown)).toThrow("leave");
});

it("gives one start, all thoughts and one finish, whenever somebody skips or stops", async () => {
  const moment = fc.integer({ min: 0, max: 8 });
  await fc.assert(
    fc.asyncProperty(moment, moment, fc.boolean(), async (skipAt, stopAt, isTold) => {
      const stop = new AbortController();
      let count = 0;
      const engine = createScriptedEngine(({ reasoning: wish }) =>
        wish?.effort === "none"
          ? [start("generation-2"), text("4"), text("2"), finish()]
          : [start(), reasoning("a"), reasoning("b"), reasoning("c"), text("L"), text("ate"), finish()],
      );
      const options = isTold ? { leaveThinking: () => Promise.resolve(false) } : {};
      const { events, outcomes } = await readWith(
        createSkippableEngine(engine, options),
        (_, generation) => {
          count += 1;
          if (count === stopAt) stop.abort();
          return count === skipAt ? generation.skipThinking?.() : undefined;
        },
        ask(),
        stop.signal,
      );
      expect("abc").toMatch(new RegExp(`^${textOf(events, "reasoning")}`, "u"));
      const isStopped = finishOf(events).reason === "cancelled";
      const said = textOf(events);
      if (!isStopped) expect(said).toBe(engine.requests.length === 2 ? "42" : "Late");
      expect(["Late", "42"].some((whole) => whole.startsWith(said))).toBe(true);
      if (outcomes[0] !== true) expect(engine.requests).toHaveLength(1);
    }),
  );
});
