import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createAgentRun, createClient, defineAgentSettings, defineTool, judgeCalls } from "../../src/agent/index.ts";
import type { AgentEvent, AgentOptions, AgentResult } from "../../src/agent/index.ts";
import { definePolicy } from "../../src/decide/index.ts";
import type { GenerationRequest } from "../../src/index.ts";
import { call, createGate, createScriptedEngine, finish, start, text, usage } from "../../src/testing/index.ts";
import type { ScriptStep } from "../../src/testing/index.ts";
import { WIRE_FORMATS } from "../../src/wire/index.ts";
import { createManualClock } from "../support/manual-clock.ts";

const request: GenerationRequest = {
  model: "m",
  messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
};
const cut = finish("token_limit_reached");

async function play(
  script: readonly (readonly ScriptStep[])[],
  options: Partial<AgentOptions> = {},
): Promise<{ result: AgentResult; events: AgentEvent[]; requests: readonly GenerationRequest[] }> {
  const engine = createScriptedEngine(script);
  const run = createAgentRun({ engine, request, settings: { retryMilliseconds: 0 }, ...options });
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return { result: await run.result(), events, requests: engine.requests };
}

const lastText = ({ messages }: GenerationRequest): string => JSON.stringify(messages.at(-1));

describe("a result", () => {
  it("is never an answer from before the run", async () => {
    const messages: GenerationRequest["messages"] = [
      ...request.messages,
      { role: "assistant", content: [{ type: "text", text: "OLD" }] },
      ...request.messages,
    ];
    const failed = [finish("error_termination", { detail: "authentication" })];
    expect((await play([failed], { request: { ...request, messages } })).result).toMatchObject({
      end: "failed",
      text: "",
    });
  });

  it("keeps what was shown when the run may not go on in the middle of an answer", async () => {
    const { result } = await play([[text("Hello wor"), cut]], { limits: { maxTurns: 1 } });
    expect(result).toMatchObject({ end: "turn_limit", text: "Hello wor" });
    expect(result.messages.at(-1)).toMatchObject({ role: "assistant", isPartial: true });
  });

  it("comes to whoever asks, beside somebody who reads", async () => {
    const engine = createScriptedEngine([[text("a"), text("b"), text("c"), finish()]]);
    const run = createAgentRun({ engine, request });
    const seen: string[] = [];
    const reading = (async () => {
      for await (const event of run)
        if (event.type === "generation" && event.event.type === "text") seen.push(event.event.text);
    })();
    expect((await run.result()).text).toBe("abc");
    await reading;
    expect(seen).toEqual(["a", "b", "c"]);
    expect((await run.result()).text).toBe("abc");
  });

  it("is refused to whoever has broken the run off, and its tools are told", async () => {
    const gate = createGate();
    let heard: unknown;
    const slow = defineTool({
      name: "slow",
      execute: (_input, { signal }) => {
        signal.addEventListener("abort", () => (heard = String(signal.reason)));
        return gate.pass();
      },
    });
    const quick = defineTool({ name: "quick", execute: () => 1 });
    const engine = createScriptedEngine([[...call("a", "slow"), ...call("b", "quick"), finish("tool_calls")]]);
    const run = createAgentRun({ engine, request, tools: [slow, quick] });
    for await (const event of run) if (event.type === "tool-end") break;
    gate.open();
    expect(heard).toBe("disconnect");
    await expect(run.result()).rejects.toThrow("broken off");
    expect(run.stop().stopped).toBe(false);
  });
});

describe("raising the limit", () => {
  it("is not tried where it would lower it", async () => {
    const { requests } = await play([
      [text("long"), usage(1, 65_536), cut],
      [text("er"), usage(1, 1), finish()],
    ]);
    expect(requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([undefined, undefined]);
  });

  it("does not cost the answer it was raised for when the provider refuses it", async () => {
    const refused = [finish("error_termination", { detail: "invalid_request" })];
    const { result, requests, events } = await play([[text("Hello wor"), cut], refused, [text("ld"), finish()]]);
    expect(result).toMatchObject({ end: "completed", text: "Hello world" });
    expect(requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([undefined, 16_384, undefined]);
    expect(events.some(({ type }) => type === "rewind")).toBe(false);
  });
});

describe("calls that nobody can read", () => {
  const bad = (id: string): readonly ScriptStep[] => [
    { type: "tool-call-start", callId: id, name: "add" },
    { type: "tool-call-delta", callId: id, json: `{"x": ${id.length},,}` },
    { type: "tool-call-end", callId: id },
    finish("tool_calls"),
  ];

  it("are answered with what is wrong, a few times, and the model sees it", async () => {
    const add = defineTool({ name: "add", execute: () => 1 });
    const { result, requests } = await play(
      Array.from({ length: 9 }, (_, index) => bad("c".repeat(index + 1))),
      { tools: [add] },
    );
    expect(lastText(requests[1]!)).toContain("could not be read");
    expect(lastText(requests[1]!)).toContain("The problem:");
    expect(lastText(requests[1]!)).not.toContain("cut off");
    expect([result.end, requests.length]).toEqual(["incomplete", 4]);
  });

  it("are not run, with no arguments, where another call takes their id before they have ended", async () => {
    const ran: unknown[] = [];
    const add = defineTool({ name: "add", execute: (input) => void ran.push(input) });
    const { requests } = await play(
      [
        [{ type: "tool-call-start", callId: "", name: "add" }, ...call("", "add", { x: 2 }), finish("tool_calls")],
        [text("ok"), finish()],
      ],
      { tools: [add] },
    );
    expect(ran).toEqual([{ x: 2 }]);
    expect(lastText(requests[1]!)).toContain("could not be read");
  });
});

describe("tools", () => {
  const once = (...steps: readonly ScriptStep[]): readonly (readonly ScriptStep[])[] => [
    [...steps, finish("tool_calls")],
    [text("ok"), finish()],
  ];

  it("are not run after a stop that came while their arguments were checked", async () => {
    const gate = createGate();
    let ran = 0;
    const clock = createManualClock();
    const tool = {
      definition: { name: "t" },
      prepare: async () => {
        await gate.pass();
        return { execute: () => (ran += 1) };
      },
    };
    const run = createAgentRun({
      engine: createScriptedEngine(once(...call("a", "t"))),
      request,
      tools: [tool],
      clock,
    });
    const reading = run.result();
    await gate.reached;
    run.stop();
    await clock.fire(250);
    const result = await reading;
    gate.open();
    expect(result.end).toBe("stopped");
    expect(ran).toBe(0);
  });

  it.each<[string, unknown, string]>([
    ["a list that is no content", { content: ["a"], next: 2 }, '{\\"content\\":[\\"a\\"],\\"next\\":2}'],
    ["an error", new Error("it broke"), "it broke"],
    ["nothing", undefined, '"content":[]'],
    ["a failure with its content", { content: [{ type: "text", text: "no" }], isError: true }, '"isError":true'],
  ])("may return %s", async (_name, output, expected) => {
    const { requests } = await play(once(...call("a", "t")), {
      tools: [defineTool({ name: "t", execute: () => output })],
    });
    expect(lastText(requests[1]!)).toContain(expected);
  });

  it("may throw anything", async () => {
    for (const thrown of [Object.create(null), "text", 3, undefined]) {
      const tool = defineTool({
        name: "t",
        execute: () => {
          // oxlint-disable-next-line no-throw-literal
          throw thrown;
        },
      });
      const { requests, result } = await play(once(...call("a", "t")), { tools: [tool] });
      expect(lastText(requests[1]!)).toContain('"isError":true');
      expect(result.end).toBe("completed");
    }
  });

  it("of one turn that are all the same are no loop", async () => {
    const same = Array.from({ length: 6 }, (_, index) => call(`c${index}`, "t", {})).flat();
    const tool = defineTool({ name: "t", execute: () => "same" });
    expect((await play(once(...same), { tools: [tool] })).result.end).toBe("completed");
  });

  it("are asked for once where they have to be called", async () => {
    const tool = defineTool({ name: "t", execute: () => 1 });
    const { requests } = await play(once(...call("a", "t")), {
      tools: [tool],
      request: { ...request, toolChoice: "required" },
    });
    expect(requests.map(({ toolChoice }) => toolChoice)).toEqual(["required", undefined]);
  });

  it("stay the only ones that may be called where one of some had to be", async () => {
    const tool = defineTool({ name: "t", execute: () => 1 });
    const { requests } = await play(once(...call("a", "t")), {
      tools: [tool],
      request: { ...request, toolChoice: { allowed: ["t"], mode: "required" } },
    });
    expect(requests.map(({ toolChoice }) => toolChoice)).toEqual([
      { allowed: ["t"], mode: "required" },
      { allowed: ["t"], mode: "auto" },
    ]);
  });
});

describe("waiting", () => {
  it("is done as the provider asks also when there is something to go on from, and not for longer than anybody would", async () => {
    const busy = finish("error_termination", { detail: "rate_limited", metadata: { retryAfterMilliseconds: 5 } });
    const { events } = await play([
      [text("Hello "), busy],
      [text("world"), finish()],
    ]);
    expect(events.find(({ type }) => type === "wait")).toMatchObject({ milliseconds: 5 });
    const long = finish("error_termination", { detail: "rate_limited", metadata: { retryAfterMilliseconds: 120_000 } });
    expect((await play([[long]])).result).toMatchObject({ end: "failed", turns: 1 });
    expect((await play([[text("Hello "), long]])).result).toMatchObject({ end: "failed", text: "Hello " });
    expect((await play([[text("Hello "), cut], [long]])).result).toMatchObject({ end: "failed", text: "Hello " });
  });
});

describe("what breaks in a run", () => {
  const answer = [start(), text("Paid for"), usage(1, 1), finish()];

  it.each<[string, Partial<AgentOptions>]>([
    [
      "a strategy that throws",
      {
        policy: definePolicy({
          strategies: [
            () => {
              throw new Error("oops");
            },
          ],
        }),
      },
    ],
    [
      "a stage that throws",
      {
        stage: () => {
          throw new Error("oops");
        },
      },
    ],
  ])("%s ends it with an event", async (_name, options) => {
    const { result, events } = await play([answer], options);
    expect(result).toMatchObject({ end: "failed" });
    expect(result.signals.at(-1)).toMatchObject({ reason: "error_termination" });
    expect(events.at(-1)?.type).toBe("end");
  });

  it("counts that are none count as nothing", async () => {
    const odd = { type: "usage", usage: { inputTokens: Number.NaN, outputTokens: 1.5 } } as const;
    expect((await play([[text("x"), odd, finish()]])).result).toMatchObject({
      end: "completed",
      usage: { inputTokens: 0, outputTokens: 1 },
    });
  });

  it("a price that is no number is too much", async () => {
    const limits = { maxCost: { limit: 1, price: () => Number.NaN } };
    expect((await play([answer], { limits })).result.end).toBe("cost_limit");
  });

  it("a listener that throws is warned of, and the answer is kept", async () => {
    const client = createClient({
      providers: { engine: createScriptedEngine([answer]) },
      onEvent: () => {
        throw new Error("no disk");
      },
    });
    expect((await client.chat({ model: "m", messages: "Hi" })).text).toBe("Paid for");
  });

  it("a listener that fails later is warned of, and not waited for", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const client = createClient({
      providers: { engine: createScriptedEngine([answer]) },
      onEvent: ({ type }) =>
        type === "signal" ? Promise.reject(new Error("no disk")) : new Promise<void>(() => undefined),
    });
    expect((await client.chat({ model: "m", messages: "Hi" })).text).toBe("Paid for");
    expect(warn.mock.calls).toEqual([[expect.stringContaining("listener"), new Error("no disk")]]);
    warn.mockRestore();
  });

  it.each<[Partial<AgentOptions>, string]>([
    [{ policy: "chat" as unknown as AgentOptions["policy"] }, "policy must be made by definePolicy"],
    [{ request: { model: "m" } as GenerationRequest }, "request messages must be a list, got undefined"],
  ])("%o is refused before anything is paid for", (options, message) => {
    expect(() => createAgentRun({ engine: createScriptedEngine([]), request, ...options })).toThrow(message);
  });
});

describe("a report", () => {
  it("says why the run ended, and not only the last answer", async () => {
    const engine = createScriptedEngine(() => [...call("a", "t"), finish("tool_calls")]);
    const tool = defineTool({ name: "t", execute: () => "same" });
    const { report } = await createClient({ providers: { engine }, tools: [tool] }).chat({
      model: "m",
      messages: "Hi",
    });
    expect(report).toMatchObject({ end: "repeated_calls" });
    expect(report?.summary).toContain("repeated_calls");
  });
});

describe("a search that the provider never finished", () => {
  it("is not sent back in the middle of a conversation", () => {
    const search = {
      type: "opaque",
      format: "anthropic-messages",
      value: { type: "server_tool_use", id: "s" },
    } as const;
    const { body } = WIRE_FORMATS["anthropic-messages"].encodeRequest({
      ...request,
      maxOutputTokens: 5,
      messages: [
        ...request.messages,
        { role: "assistant", content: [{ type: "text", text: "Looking" }, search] },
        ...request.messages,
      ],
    });
    expect(JSON.stringify(body)).not.toContain("server_tool_use");
  });
});

describe("the table of bounds in the documentation", () => {
  it("has the values that are used", () => {
    const page = readFileSync(path.resolve(import.meta.dirname, "../../../../docs/automatic-actions.md"), "utf8");
    const boundOf = (setting: string): number => {
      const row = page.split("\n").find((line) => line.includes(`\`${setting}\``));
      return Number(row?.split("|")[2]?.replaceAll(/[^\d]/g, ""));
    };
    const { raisedOutputTokens, retryMilliseconds, maxRetryMilliseconds, graceMilliseconds } = defineAgentSettings();
    expect(boundOf("settings.raisedOutputTokens")).toBe(raisedOutputTokens);
    expect(boundOf("settings.retryMilliseconds")).toBe(retryMilliseconds);
    expect(boundOf("settings.maxRetryMilliseconds")).toBe(maxRetryMilliseconds);
    expect(boundOf("settings.graceMilliseconds")).toBe(graceMilliseconds);
    const repeated = Array.from({ length: 5 }, () => ({ name: "t", json: "{}", result: "same" }));
    const verdicts = repeated.map((_, index) => judgeCalls(repeated.slice(0, index + 1)).verdict);
    expect(verdicts.indexOf("nudge") + 1).toBe(boundOf("repetition.nudge"));
    expect(verdicts.indexOf("halt") + 1).toBe(boundOf("repetition.halt"));
  });
});
