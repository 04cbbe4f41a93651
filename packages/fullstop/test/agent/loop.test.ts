import { describe, expect, it } from "vitest";
import { createAgentRun, defineTool } from "../../src/agent/index.ts";
import type { AgentEvent, AgentOptions, AgentResult } from "../../src/agent/index.ts";
import type { Clock, GenerationRequest, Message } from "../../src/index.ts";
import { createScriptedEngine } from "../../src/testing/index.ts";
import type { ScriptStep } from "../../src/testing/index.ts";
import { show } from "../support/viewer.ts";
import { call, finish, reasoning, start, text, usage } from "../../src/testing/index.ts";

const hello: GenerationRequest = {
  model: "main",
  messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
};

/** A clock that does not wait, and remembers how long it would have. */
function createTestClock(): Clock & { readonly waits: number[] } {
  const waits: number[] = [];
  let now = 0;
  return {
    waits,
    now: () => now,
    after(milliseconds, callback) {
      waits.push(milliseconds);
      now += milliseconds;
      queueMicrotask(callback);
      return () => undefined;
    },
  };
}

interface Played {
  readonly result: AgentResult;
  readonly events: readonly AgentEvent[];
  readonly requests: readonly GenerationRequest[];
  /** What a viewer who obeys the events has on the screen at the end. */
  readonly shown: string;
  readonly waits: readonly number[];
}

/** Plays a run against scripted answers. */
async function play(script: readonly (readonly ScriptStep[])[], options: Partial<AgentOptions> = {}): Promise<Played> {
  const engine = createScriptedEngine(script);
  const clock = createTestClock();
  const run = createAgentRun({ engine, request: hello, clock, ...options });
  const events: AgentEvent[] = [];
  let shown = "";
  for await (const event of run) {
    events.push(event);
    shown = show(shown, event);
  }
  return { result: await run.result(), events, requests: engine.requests, shown, waits: clock.waits };
}

const add = defineTool({
  name: "add",
  execute: (input) => {
    const { a, b } = input as { a: number; b: number };
    return a + b;
  },
});

const typesOf = (events: readonly AgentEvent[]): string[] =>
  events.filter(({ type }) => type !== "generation").map(({ type }) => type);
const textsOf = (messages: readonly Message[]): string[] =>
  messages.map(({ content }) => content.map((part) => ("text" in part ? part.text : part.type)).join(""));

describe("an agent", () => {
  it("answers", async () => {
    const { result, events } = await play([[start(), text("Hello"), usage(3, 1), finish()]]);
    expect(result).toMatchObject({
      end: "completed",
      text: "Hello",
      turns: 1,
      usage: { inputTokens: 3, outputTokens: 1 },
    });
    expect(result.messages).toHaveLength(2);
    expect(typesOf(events)).toEqual(["turn-start", "signal", "decision", "end"]);
  });

  it("sends citations back with their text to the provider who wants them", async () => {
    const value = { type: "page_location", cited_text: "x", document_index: 0 };
    const cited = { type: "citation", start: 4, end: 8, format: "anthropic-messages", value } as const;
    const elsewhere = { type: "citation", url: "https://example.org", format: "openai-chat", value: {} } as const;
    const answer = [text("So: "), text("blue"), cited, cited, text(" it is"), elsewhere, finish()];
    const { result } = await play([[start(), ...answer]]);
    expect(result.text).toBe("So: blue it is");
    expect(result.messages.at(-1)?.content).toEqual([
      {
        type: "text",
        text: "So: blue",
        native: { format: "anthropic-messages", fields: { citations: [value, value] } },
      },
      { type: "text", text: " it is" },
    ]);
  });

  it("runs tools and goes on with their results", async () => {
    const { result, requests } = await play(
      [
        [start(), ...call("a", "add", { a: 1, b: 2 }), ...call("b", "add", { a: 3, b: 4 }), finish("tool_calls")],
        [start(), text("3 and 7"), finish()],
      ],
      { tools: [add] },
    );
    expect(result).toMatchObject({ end: "completed", text: "3 and 7", turns: 2 });
    expect(requests[0]?.tools).toMatchObject([{ name: "add" }]);
    expect(textsOf(requests[1]!.messages)).toEqual(["Hi", "tool-calltool-call", "3", "7"]);
  });

  it("tells the model what is wrong with a call", async () => {
    const failing = defineTool({
      name: "fail",
      execute: () => {
        throw new Error("no such file");
      },
    });
    const { requests } = await play(
      [
        [...call("a", "unknown"), ...call("b", "fail"), finish("tool_calls")],
        [text("sorry"), finish()],
      ],
      { tools: [failing] },
    );
    expect(requests[1]?.messages.slice(-2)).toMatchObject([
      { isError: true, content: [{ text: "There is no tool named unknown. The tools are: fail." }] },
      { isError: true, content: [{ text: "no such file" }] },
    ]);
  });
});

describe("an answer that was cut by the limit", () => {
  it("is asked for again with a larger limit, then for its rest, and becomes one answer", async () => {
    const { result, requests, shown } = await play([
      [text("one two"), usage(1, 2), finish("token_limit_reached")],
      [text("one two three four"), usage(1, 4), finish("token_limit_reached")],
      [text("three four five"), usage(5, 1), finish("token_limit_reached")],
      [text(" six"), usage(5, 1), finish()],
    ]);
    expect(result).toMatchObject({
      end: "completed",
      text: "one two three four five six",
      usage: { inputTokens: 12, outputTokens: 8 },
    });
    expect(shown).toBe("one two three four five six");
    expect(requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([undefined, 16_384, 16_384, 16_384]);
    expect(requests[2]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(result.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("is not asked for with a larger limit where the caller has set one", async () => {
    const { requests } = await play(
      [
        [text("one"), finish("token_limit_reached")],
        [text(" two"), finish()],
      ],
      {
        request: { ...hello, maxOutputTokens: 5 },
      },
    );
    expect(requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([5, 5]);
  });

  it("is given up after three continuations", async () => {
    const cut = [text("more "), finish("token_limit_reached")];
    const { result, requests } = await play([cut, cut, cut, cut, cut, cut], {
      request: { ...hello, maxOutputTokens: 5 },
    });
    expect(requests).toHaveLength(4);
    expect(result.end).toBe("incomplete");
  });

  it("does not run a call that was cut, and says so to the model", async () => {
    let ran = 0;
    const write = defineTool({ name: "write", execute: () => (ran += 1) });
    const { requests } = await play(
      [
        [
          { type: "tool-call-start", callId: "a", name: "write" },
          { type: "tool-call-delta", callId: "a", json: '{"path": "/etc/' },
          finish("token_limit_reached"),
        ],
        [text("shorter"), finish()],
      ],
      { tools: [write] },
    );
    expect(ran).toBe(0);
    expect(requests[1]?.messages.slice(-2)).toMatchObject([
      { role: "assistant", content: [{ type: "tool-call", json: "{}" }] },
      { role: "tool", isError: true, content: [{ text: expect.stringContaining("cut off") as string }] },
    ]);
  });

  it("is not continued when it was all thinking", async () => {
    const thought = [reasoning("Hm"), finish("token_limit_reached")];
    const { result, requests } = await play([thought, thought, thought]);
    expect(requests).toHaveLength(2);
    expect(result.end).toBe("incomplete");
  });
});

describe("an answer that was refused", () => {
  const refused = [text("I can"), finish("content_filtered", { detail: "refusal" })];

  it("is final without another model", async () => {
    const { result, requests } = await play([refused]);
    expect(requests).toHaveLength(1);
    expect(result.end).toBe("refused");
  });

  it("goes to another model once, and what was shown is taken back", async () => {
    const { result, requests, shown } = await play([refused, [text("Sure"), finish()]], {
      fallback: { model: "other" },
    });
    expect(requests.map(({ model }) => model)).toEqual(["main", "other"]);
    expect(requests[1]?.messages).toHaveLength(1);
    expect([result.end, shown]).toEqual(["completed", "Sure"]);
    const twice = await play([refused, refused], { fallback: { model: "other" } });
    expect([twice.result.end, twice.requests.length]).toEqual(["refused", 2]);
  });
});

describe("an answer with nothing in it", () => {
  it("is asked for again with a nudge, twice", async () => {
    const empty = [finish()];
    const { result, requests, events } = await play([empty, [reasoning("Hm"), finish()], [text("Here"), finish()]]);
    expect(result).toMatchObject({ end: "completed", text: "Here" });
    expect(requests[1]?.messages).toHaveLength(2);
    expect(typesOf(events).filter((type) => type === "nudge")).toHaveLength(2);
    expect(result.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    const never = await play([empty, empty, empty, empty]);
    expect([never.requests.length, never.result.end]).toEqual([3, "incomplete"]);
  });
});

describe("a call that could not be read", () => {
  it("is asked for again with the reason, twice", async () => {
    const malformed = [finish("error_termination", { detail: "malformed_tool_call", message: "no comma" })];
    const { requests } = await play([malformed, malformed, malformed, malformed]);
    expect(requests).toHaveLength(3);
    expect(textsOf(requests[1]!.messages).at(-1)).toContain("could not be read");
    expect(textsOf(requests[1]!.messages).at(-1)).toContain("The problem: no comma");
    expect(requests[2]?.messages).toHaveLength(2);
  });
});

describe("a turn that the provider has paused", () => {
  it("goes back as it stands, and the rest is the same answer", async () => {
    const search = { type: "opaque", format: "anthropic-messages", value: { type: "server_tool_use" } } as const;
    const { result, requests } = await play([
      [text("Let me look. "), search, finish("paused")],
      [text("Found it."), finish()],
    ]);
    expect(requests[1]?.messages.at(-1)).toMatchObject({
      role: "assistant",
      content: [{ type: "text" }, { type: "opaque" }],
    });
    expect(result.text).toBe("Let me look. Found it.");
    expect(result.messages).toHaveLength(2);
  });

  it("goes back ten times at the most", async () => {
    const paused = [text("."), finish("paused")];
    const { requests, result } = await play(Array.from({ length: 20 }, () => paused));
    expect([requests.length, result.end]).toEqual([11, "incomplete"]);
  });
});

describe("a stream that was cut", () => {
  const cut = finish("error_termination", { detail: "truncated" });

  it("is retried if nothing was shown, with growing waits", async () => {
    const { result, waits } = await play([[start(), cut], [cut], [text("Hello"), finish()]]);
    expect(result).toMatchObject({ end: "completed", text: "Hello" });
    expect(waits).toEqual([500, 1000]);
  });

  it("waits as long as the provider asks for", async () => {
    const busy = finish("error_termination", { detail: "rate_limited", metadata: { retryAfterMilliseconds: 7_000 } });
    expect((await play([[busy], [text("Hello"), finish()]])).waits).toEqual([7_000]);
  });

  it("waits as it would by itself where the provider asks for no wait at all, which its next answer would not forgive", async () => {
    const busy = finish("error_termination", { detail: "rate_limited", metadata: { retryAfterMilliseconds: 0 } });
    expect((await play([[busy], [busy], [text("Hello"), finish()]])).waits).toEqual([500, 1000]);
  });

  it("is continued if something was shown", async () => {
    const { result, shown } = await play([
      [text("Hello wor"), cut],
      [text("Hello world"), finish()],
    ]);
    expect(shown).toBe("Hello world");
    expect(result.text).toBe("Hello world");
  });
});

describe("calls that repeat", () => {
  const poll = defineTool({ name: "poll", execute: () => "pending" });
  const turn = (id: number): readonly ScriptStep[] => [...call(`c${id}`, "poll", { b: 1, a: 2 }), finish("tool_calls")];

  it("earn a nudge and then a halt", async () => {
    const { result, requests } = await play(
      Array.from({ length: 10 }, (_, id) => turn(id)),
      { tools: [poll] },
    );
    expect(result).toMatchObject({ end: "repeated_calls", turns: 5 });
    expect(textsOf(requests[3]!.messages).at(-1)).toContain("same tool calls");
    expect(textsOf(requests[4]!.messages).at(-1)).toBe("pending");
  });

  it("are fine as long as their results change", async () => {
    let count = 0;
    const progress = defineTool({ name: "poll", execute: () => `${(count += 1)} %` });
    const script = [...Array.from({ length: 8 }, (_, id) => turn(id)), [text("done"), finish()]];
    expect((await play(script, { tools: [progress] })).result.end).toBe("completed");
  });
});

describe("limits on a run", () => {
  const poll = defineTool({ name: "poll", execute: (input) => JSON.stringify(input) });
  const turn = (id: number): readonly ScriptStep[] => [
    ...call(`c${id}`, "poll", { id }),
    usage(10, 10),
    finish("tool_calls"),
  ];
  const script = Array.from({ length: 20 }, (_, id) => turn(id));

  it.each<[AgentOptions["limits"], string, number]>([
    [{ maxTurns: 3 }, "turn_limit", 3],
    [{ maxTokens: 50 }, "token_limit", 3],
    [{ maxToolCalls: 2 }, "tool_call_limit", 3],
    [{ maxCost: { limit: 1, price: ({ outputTokens }) => outputTokens / 20 } }, "cost_limit", 2],
  ])("%o end it", async (limits, end, turns) => {
    expect((await play(script, { tools: [poll], limits })).result).toMatchObject({ end, turns });
  });

  it("leave a history that can be sent", async () => {
    const { result } = await play(script, { tools: [poll], limits: { maxToolCalls: 2 } });
    const roles = result.messages.map(({ role }) => role);
    expect(roles.filter((role) => role === "assistant")).toHaveLength(roles.filter((role) => role === "tool").length);
  });
});
