import { describe, expect, it } from "vitest";
import { createAgentRun, defineTool } from "../../src/agent/index.ts";
import type { AgentEvent, AgentOptions, AgentRun } from "../../src/agent/index.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { WIRE_FORMATS } from "../../src/wire/index.ts";
import { call, createGate, createScriptedEngine, finish, reasoning, text, usage } from "../../src/testing/index.ts";
import type { ScriptStep } from "../../src/testing/index.ts";

const request = {
  model: "main",
  maxOutputTokens: 100,
  messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }],
};

function open(script: readonly (readonly ScriptStep[])[], options: Partial<AgentOptions> = {}): AgentRun {
  return createAgentRun({ engine: createScriptedEngine(script), request, ...options });
}

/** Reads a run to its end and does something at the first event of a kind. */
async function readUntil(
  run: AgentRun,
  isMoment: (event: AgentEvent) => boolean,
  act: () => unknown,
): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  let isDone = false;
  for await (const event of run) {
    events.push(event);
    if (!isDone && isMoment(event)) {
      isDone = true;
      act();
    }
  }
  return events;
}

const isPiece =
  (type: string) =>
  (event: AgentEvent): boolean =>
    event.type === "generation" && event.event.type === type;

describe("a stop", () => {
  it("in the middle of a text keeps what came, flags it and will tell the model once", async () => {
    const gate = createGate();
    const run = open([[text("Hello "), gate.pass, text("world"), finish()]]);
    await readUntil(run, isPiece("text"), () => expect(run.stop("user")).toEqual({ stopped: true, surviving: [] }));
    const result = await run.result();
    expect(result).toMatchObject({
      end: "stopped",
      text: "Hello ",
      signals: [{ reason: "cancelled", detail: "user" }],
    });
    expect(result.messages.slice(1)).toMatchObject([
      { role: "assistant", isPartial: true, content: [{ text: "Hello " }] },
      { role: "user", content: [{ text: "The user interrupted the previous answer on purpose." }] },
    ]);
    expect(result.usage).toMatchObject({ estimated: true });
  });

  it("keeps the counts that the provider gave", async () => {
    const gate = createGate();
    const run = open([[usage(7, 2), text("Hello "), gate.pass, finish()]]);
    await readUntil(run, isPiece("text"), () => run.stop());
    expect((await run.result()).usage).toEqual({ inputTokens: 7, outputTokens: 2 });
  });

  it("in the middle of a thought leaves no answer behind", async () => {
    const gate = createGate();
    const run = open([[reasoning("Let me"), gate.pass, text("never"), finish()]]);
    await readUntil(run, isPiece("reasoning"), () => run.stop());
    const result = await run.result();
    expect(result.end).toBe("stopped");
    expect(result.messages.map(({ role }) => role)).toEqual(["user", "user"]);
  });

  it("reaches running tools, waits a moment for them, and gives every call exactly one result", async () => {
    const clock = createManualClock();
    const gate = createGate();
    let heard = "";
    const slow = defineTool({
      name: "slow",
      async execute(_input, { signal }) {
        signal.addEventListener("abort", () => (heard = String(signal.reason)));
        await gate.pass();
        return "too late";
      },
    });
    const quick = defineTool({ name: "quick", execute: () => "done" });
    const run = open([[...call("a", "slow"), ...call("b", "quick"), finish("tool_calls")]], {
      tools: [slow, quick],
      clock,
    });
    const events = await readUntil(
      run,
      (event) => event.type === "tool-end",
      () => {
        run.stop("operator");
        void clock.fire(250);
      },
    );
    gate.open();
    expect(heard).toBe("operator");
    expect(events.filter(({ type }) => type === "tool-end")).toHaveLength(2);
    const { messages, end } = await run.result();
    expect(end).toBe("stopped");
    expect(messages.slice(2, 4)).toMatchObject([
      {
        role: "tool",
        callId: "a",
        isError: true,
        content: [{ text: expect.stringContaining("may have run partly") as string }],
      },
      { role: "tool", callId: "b", content: [{ text: "done" }] },
    ]);
  });

  it("before the tools are run answers them without running them", async () => {
    let ran = 0;
    const tool = defineTool({ name: "tool", execute: () => (ran += 1) });
    const run = open([[...call("a", "tool"), finish("tool_calls")]], { tools: [tool] });
    await readUntil(
      run,
      ({ type }) => type === "decision",
      () => run.stop(),
    );
    expect(ran).toBe(0);
    expect((await run.result()).messages.at(2)).toMatchObject({ role: "tool", callId: "a", isError: true });
  });

  it("leaves a history that every dialect can say", async () => {
    const gate = createGate();
    const half: readonly ScriptStep[] = [
      text("Let me. "),
      ...call("a", "tool", { x: 1 }),
      { type: "tool-call-start", callId: "b", name: "tool" },
      { type: "tool-call-delta", callId: "b", json: '{"x":' },
      gate.pass,
      finish("tool_calls"),
    ];
    const run = open([half], { tools: [defineTool({ name: "tool", execute: () => 1 })] });
    await readUntil(
      run,
      (event) => event.type === "generation" && event.event.type === "tool-call-delta" && event.event.callId === "b",
      () => run.stop(),
    );
    const { messages } = await run.result();
    expect(messages.slice(1)).toMatchObject([
      { role: "assistant", content: [{ type: "text" }, { type: "tool-call", callId: "a" }] },
      { role: "tool", callId: "a", content: [{ text: "The call was not run because the run was stopped." }] },
      { role: "user" },
    ]);
    for (const format of Object.values(WIRE_FORMATS)) {
      const { warnings } = format.encodeRequest({ ...request, messages });
      expect(warnings.filter(({ field }) => !field.endsWith(".isError"))).toEqual([]);
    }
  });

  it("before anything was asked asks nothing", async () => {
    const engine = createScriptedEngine([]);
    const run = createAgentRun({ engine, request });
    expect(run.stop().stopped).toBe(true);
    expect((await run.result()).end).toBe("stopped");
    expect(engine.requests).toEqual([]);
    expect(run.stop()).toEqual({ stopped: false, surviving: [] });
  });

  it("by leaving before the first event asks nothing, and there is no result to wait for", async () => {
    const engine = createScriptedEngine([]);
    const run = createAgentRun({ engine, request });
    await run[Symbol.asyncIterator]().return?.();
    await expect(run.result()).rejects.toThrow("must be read to its end");
    expect(engine.requests).toEqual([]);
    expect(run.stop().stopped).toBe(false);
  });

  it("comes from a signal as well", async () => {
    const gate = createGate();
    const controller = new AbortController();
    const run = open([[text("Hello"), gate.pass, finish()]], { signal: controller.signal });
    const events = await readUntil(run, isPiece("text"), () => controller.abort("disconnect"));
    expect(events.find(({ type }) => type === "stop")).toMatchObject({ detail: "disconnect" });
  });

  it.each([
    { moment: "tools are run", type: "tool-start" },
    { moment: "a retry is waited for", type: "wait" },
  ])("comes from a signal of the machine's time while $moment, and is told as that", async ({ type }) => {
    const controller = new AbortController();
    const clock = createManualClock();
    const never = defineTool({ name: "never", execute: () => createGate().pass() });
    const script =
      type === "wait"
        ? [[finish("error_termination", { detail: "overloaded" })]]
        : [[...call("a", "never"), finish("tool_calls")]];
    const run = open(script, { signal: controller.signal, tools: [never], clock });
    const events = await readUntil(
      run,
      (event) => event.type === type,
      () => {
        // What AbortSignal.timeout gives as its reason.
        controller.abort(new DOMException("The operation timed out", "TimeoutError"));
        if (type === "tool-start") void clock.fire(250);
      },
    );
    expect(events.find((event) => event.type === "stop")).toMatchObject({ detail: "deadline" });
    expect((await run.result()).messages.at(-1)).toMatchObject({
      content: [{ text: "The previous answer was interrupted (deadline)." }],
    });
  });

  it("that an answer has met where it is generated is told like any other", async () => {
    const run = open([[text("Hello"), finish("cancelled", { detail: "operator" })]]);
    const events = await readUntil(
      run,
      () => false,
      () => undefined,
    );
    expect(events.find(({ type }) => type === "stop")).toMatchObject({ detail: "operator" });
    const result = await run.result();
    expect(result).toMatchObject({ end: "stopped", text: "Hello" });
    expect(result.messages.slice(1)).toMatchObject([
      { role: "assistant", isPartial: true },
      { role: "user", content: [{ text: "The previous answer was interrupted (operator)." }] },
    ]);
  });

  it("comes by itself when the time is up", async () => {
    const clock = createManualClock();
    const gate = createGate();
    const run = open([[text("Hello"), gate.pass, finish()]], { clock, limits: { maxMilliseconds: 1_000 } });
    await readUntil(run, isPiece("text"), () => clock.fire(1_000));
    expect((await run.result()).end).toBe("time_limit");
  });
});

describe("messages that come during a run", () => {
  it("steer it at its next step, or follow when it is done", async () => {
    const gate = createGate();
    const tool = defineTool({ name: "tool", execute: () => gate.pass().then(() => "ok") });
    const engine = createScriptedEngine([
      [...call("a", "tool"), finish("tool_calls")],
      [text("First"), finish()],
      [text("Second"), finish()],
    ]);
    const run = createAgentRun({ engine, request, tools: [tool] });
    const events = await readUntil(
      run,
      ({ type }) => type === "tool-start",
      () => {
        run.followUp("and then?", "f1");
        expect(run.steer("faster", "s1").id).toBe("s1");
        expect(run.steer("faster, again", "s1").message.content).toEqual([{ type: "text", text: "faster" }]);
        gate.open();
      },
    );
    expect(
      events.flatMap((event) => (event.type === "message-delivered" ? [`${event.id} ${event.mode}`] : [])),
    ).toEqual(["s1 steer", "f1 follow-up"]);
    const said = (index: number): unknown => engine.requests[index]?.messages.at(-1)?.content;
    expect(said(1)).toEqual([{ type: "text", text: "faster" }]);
    expect(said(2)).toEqual([{ type: "text", text: "and then?" }]);
    expect((await run.result()).text).toBe("Second");
  });

  it("are refused once the result is made, in which they would be missing", async () => {
    const run = open([[text("Done"), finish()]]);
    const early = run.steer("early", "s1");
    await readUntil(
      run,
      ({ type }) => type === "end",
      () => {
        expect(() => run.steer("late")).toThrow("The run is over and hears no more messages");
        expect(() => run.followUp("late")).toThrow(expect.objectContaining({ code: "use_after_end" }));
        // Whoever repeats a message that was taken hears that it was.
        expect(run.steer("early", "s1")).toBe(early);
      },
    );
    expect((await run.result()).queued).toEqual([]);
    expect(run.stop()).toEqual({ stopped: false, surviving: [] });
  });

  it("are refused where the reader has left", async () => {
    const run = open([[text("Done"), finish()]]);
    for await (const event of run) if (event.type === "generation") break;
    expect(() => run.steer("late")).toThrow("The run is over");
  });

  it("survive a stop, and the receipt says which", async () => {
    const gate = createGate();
    const run = open([[text("Hello"), gate.pass, finish()]]);
    run.followUp("later", "f1");
    await readUntil(run, isPiece("text"), () => expect(run.stop().surviving).toMatchObject([{ id: "f1" }]));
    expect((await run.result()).queued).toMatchObject([{ id: "f1", mode: "follow-up" }]);
  });
});

describe("what breaks", () => {
  it("an engine that throws at once fails like one that throws later", async () => {
    const engine = {
      generate: () => {
        throw new Error("no model here");
      },
    };
    const run = createAgentRun({ engine, request, settings: { retryMilliseconds: 0 } });
    expect(await run.result()).toMatchObject({
      end: "failed",
      turns: 3,
      signals: [{ message: "no model here" }, {}, {}],
    });
  });

  it.each<[Partial<AgentOptions>, string]>([
    [{ engine: {} as AgentOptions["engine"] }, "engine must have a generate function"],
    [{ limits: { maxTurns: 0 } }, "limits maxTurns must be a whole number of at least 1, got 0"],
    [{ limits: { maxTruns: 3 } as AgentOptions["limits"] }, "limits has no such option"],
    [{ settings: { graceMilliseconds: -1 } }, "settings graceMilliseconds must be a number of at least 0, got -1"],
    [
      { tools: [defineTool({ name: "a", execute: () => 1 }), defineTool({ name: "a", execute: () => 2 })] },
      'tools must have different names, got "a"',
    ],
  ])("%o is refused at the door", (options, message) => {
    expect(() => open([], options)).toThrow(message);
  });
});
