import { describe, expect, it } from "vitest";
import { createAgentRun, createClient, defineTool } from "../../src/agent/index.ts";
import type { AgentEvent, AgentRun } from "../../src/agent/index.ts";
import { createSkippableEngine } from "../../src/engines/index.ts";
import type { Engine } from "../../src/engine.ts";
import { defineGuard } from "../../src/index.ts";
import { call, createGate, createScriptedEngine, finish, reasoning, start, text } from "../../src/testing/index.ts";
import type { ScriptStep } from "../../src/testing/index.ts";

const request = {
  model: "main",
  messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }],
};

/** Thinks until it is told not to, and would go on for ever. */
const ponder = (then: readonly ScriptStep[] = [text("42"), finish()]): readonly ScriptStep[] => [
  start(),
  reasoning("Let me see"),
  createGate().pass,
  reasoning(" for ever"),
  ...then,
];

const skippable = (script: readonly (readonly ScriptStep[])[]): Engine =>
  createScriptedEngine(script, { skipsThinking: true });

/** Reads a run and wishes at every event of a kind that the thinking be skipped. Returns what came of each wish. */
async function skipAt(run: AgentRun, isMoment: (event: AgentEvent) => boolean): Promise<readonly boolean[]> {
  const outcomes: boolean[] = [];
  for await (const event of run) if (isMoment(event)) outcomes.push(run.skipThinking());
  return outcomes;
}

const isPiece =
  (type: string) =>
  (event: AgentEvent): boolean =>
    event.type === "generation" && event.event.type === type;

describe("thinking that is skipped in a run", () => {
  it("gives way to the answer, in the same turn", async () => {
    const run = createAgentRun({ engine: skippable([ponder()]), request });
    expect(await skipAt(run, isPiece("reasoning"))).toEqual([true]);
    expect(await run.result()).toMatchObject({ end: "completed", turns: 1, text: "42" });
  });

  it("gives way to a call, and again after it", async () => {
    const look = defineTool({ name: "look", execute: () => "7 degrees" });
    const engine = skippable([ponder([...call("c1", "look"), finish()]), ponder()]);
    const run = createAgentRun({ engine, request, tools: [look] });
    expect(await skipAt(run, isPiece("reasoning"))).toEqual([true, true]);
    expect(await run.result()).toMatchObject({ end: "completed", turns: 2, text: "42" });
  });

  it("is skipped for whoever streams from a client", async () => {
    const run = createClient({ providers: { local: skippable([ponder()]) } }).stream({ model: "main", messages: "Hi" });
    expect(await skipAt(run, isPiece("reasoning"))).toEqual([true]);
    expect((await run.result()).text).toBe("42");
  });

  it("is skipped in two requests where the engine cannot skip it in one", async () => {
    const engine = createScriptedEngine([ponder(), [start("generation-2"), text("42"), finish()]]);
    const run = createAgentRun({ engine: createSkippableEngine(engine), request });
    const [first] = await skipAt(run, isPiece("reasoning"));
    expect(first).toBe(true);
    expect(await run.result()).toMatchObject({ end: "completed", turns: 1, text: "42" });
    expect(engine.requests[1]?.reasoning).toEqual({ effort: "none" });
  });
});

describe("a wish to skip the thinking is refused", () => {
  it("before the run and after it", async () => {
    const run = createAgentRun({ engine: skippable([[text("42"), finish()]]), request });
    expect(run.skipThinking()).toBe(false);
    await run.result();
    expect(run.skipThinking()).toBe(false);
  });

  it("when the answer has begun", async () => {
    const run = createAgentRun({ engine: skippable([[reasoning("Hm"), text("4"), text("2"), finish()]]), request });
    expect(await skipAt(run, isPiece("text"))).toEqual([false, false]);
  });

  it("while a tool runs, whose call came of an answer that is over", async () => {
    const outcomes: boolean[] = [];
    const engine = skippable([
      [reasoning("Hm"), ...call("c1", "look"), finish()],
      [text("42"), finish()],
    ]);
    const look = defineTool({ name: "look", execute: () => void outcomes.push(run.skipThinking()) });
    const run = createAgentRun({ engine, request, tools: [look] });
    await run.result();
    expect(outcomes).toEqual([false]);
  });

  it("when the run was stopped, whatever its engine says", async () => {
    const script = createScriptedEngine([ponder()]);
    const sure: Engine = {
      generate(asked, signal) {
        const generation = script.generate(asked, signal);
        return { skipThinking: () => true, [Symbol.asyncIterator]: () => generation[Symbol.asyncIterator]() };
      },
    };
    const run = createAgentRun({ engine: sure, request });
    const outcomes: boolean[] = [];
    for await (const event of run) {
      if (!isPiece("reasoning")(event)) continue;
      run.stop();
      outcomes.push(run.skipThinking());
    }
    expect(outcomes).toEqual([false]);
    expect((await run.result()).end).toBe("stopped");
  });

  it("by an engine that cannot", async () => {
    const run = createAgentRun({ engine: createScriptedEngine([[reasoning("Hm"), text("42"), finish()]]), request });
    expect(await skipAt(run, isPiece("reasoning"))).toEqual([false]);
  });

  it("of an answer that a rule has ended, although its engine does not let go", async () => {
    const deaf: Engine = {
      generate: () => ({
        skipThinking: () => true,
        async *[Symbol.asyncIterator]() {
          yield text("Hm");
          await new Promise<never>(() => undefined);
        },
      }),
    };
    const outcomes: boolean[] = [];
    const run = createAgentRun({ engine: deaf, request, stage: defineGuard({ stop: "m" }) });
    for await (const event of run) if (event.type === "signal") outcomes.push(run.skipThinking());
    expect(outcomes).toEqual([false]);
    expect((await run.result()).signals).toMatchObject([{ reason: "stop_sequence" }]);
  });
});
