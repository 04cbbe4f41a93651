import { describe, expect, it } from "vitest";
import { createAgentRun, createClient, defineTool } from "../../src/agent/index.ts";
import type { AgentOptions, AgentResult } from "../../src/agent/index.ts";
import { definePolicy } from "../../src/decide/index.ts";
import { defineGuard } from "../../src/index.ts";
import type { GenerationRequest } from "../../src/index.ts";
import { call, createGate, createScriptedEngine, finish, reasoning, text, usage } from "../../src/testing/index.ts";
import type { ScriptStep } from "../../src/testing/index.ts";
import { DIALECTS } from "../support/provider-server.ts";
import { withRemote } from "../support/remote.ts";

const request: GenerationRequest = {
  model: "m",
  messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
};
const tool = defineTool({ name: "t", execute: () => "result" });
const unknown = finish("unknown", { confidence: "low", originalValue: "weird" });

function play(script: readonly (readonly ScriptStep[])[], options: Partial<AgentOptions> = {}): Promise<AgentResult> {
  const settings = { retryMilliseconds: 0 };
  return createAgentRun({ engine: createScriptedEngine(script), request, settings, ...options }).result();
}

describe("an answer whose end nobody knows", () => {
  it("is no success: it is kept and flagged", async () => {
    const result = await play([[text("half an ans"), unknown]]);
    expect(result).toMatchObject({ end: "incomplete", text: "half an ans" });
    expect(result.messages.at(-1)).toMatchObject({ role: "assistant", isPartial: true });
  });

  it("has its calls run, which makes a whole turn of it", async () => {
    const script = [
      [...call("a", "t"), unknown],
      [text("Done"), finish()],
    ];
    const result = await play(script, { tools: [tool] });
    expect(result).toMatchObject({ end: "completed", text: "Done" });
    expect(result.messages[1]).not.toHaveProperty("isPartial");
  });

  it("does not keep the run from hearing what was written meanwhile", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([
      [text("one"), gate.pass, unknown],
      [text("two"), finish()],
    ]);
    const run = createAgentRun({ engine, request });
    const reading = run.result();
    await gate.reached;
    run.followUp("And then?");
    gate.open();
    expect(await reading).toMatchObject({ end: "completed", text: "two", queued: [] });
  });

  it("is reported as what it is", async () => {
    const client = createClient({ providers: { engine: createScriptedEngine([[text("half"), unknown]]) } });
    const { report } = await client.chat({ model: "m", messages: "Hi" });
    expect(report).toMatchObject({ reason: "unknown", end: "incomplete" });
    expect(report?.summary).toContain("The run ended with incomplete.");
  });
});

describe("a conversation that is too long", () => {
  it.each(DIALECTS)("ends a run with context_full where a provider says so by an error, in %s", async (dialect) => {
    const error = { message: "This model's maximum context length is 8192 tokens", code: "context_length_exceeded" };
    const reply = { status: 400, body: { error: { ...error, type: "invalid_request_error" } } };
    await withRemote(dialect, reply, async ({ engine }) => {
      const result = await createAgentRun({ engine, request }).result();
      expect(result).toMatchObject({
        end: "context_full",
        turns: 1,
        signals: [{ reason: "error_termination", detail: "context_window" }],
        decisions: [{ suggestedAction: "stop", metadata: { rule: "context_full" } }],
      });
    });
  });

  it("ends it so where the model says so, too", async () => {
    const filled = await play([[text("so far"), finish("context_window_exceeded")]]);
    expect(filled).toMatchObject({ end: "context_full", text: "so far" });
    // As a model on this machine refuses a prompt.
    const refused = await play([[finish("error_termination", { detail: "context_window" })]]);
    expect(refused).toMatchObject({ end: "context_full", text: "" });
  });
});

describe("a rule of the caller's that throws", () => {
  const broken = definePolicy({
    strategies: [
      () => {
        throw new Error("mine");
      },
    ],
  });

  it("does not cost the answer that was there", async () => {
    const result = await play([[text("Paid for"), finish()]], { policy: broken });
    expect(result).toMatchObject({ end: "failed", text: "Paid for" });
    expect(result.signals).toMatchObject([{ reason: "natural_completion" }, { message: "mine" }]);
    expect(result.messages.at(-1)).toMatchObject({ role: "assistant", content: [{ text: "Paid for" }] });
  });

  it("leaves a history that can be sent, with a result for every call", async () => {
    const result = await play([[text("Let me see."), ...call("a", "t"), finish("tool_calls")]], {
      policy: broken,
      tools: [tool],
    });
    expect(result).toMatchObject({ end: "failed", text: "Let me see.", toolCalls: [] });
    expect(result.messages.slice(1)).toMatchObject([{ role: "assistant" }, { role: "tool", callId: "a" }]);
  });

  it("keeps what came before it where the answer was put together from several", async () => {
    const second = definePolicy({
      strategies: [
        (_signal, context) => {
          if (context.conversation.turns === 2) throw new Error("mine");
          return undefined;
        },
      ],
    });
    const cut = finish("token_limit_reached");
    const result = await play(
      [
        [text("Hello wor"), cut],
        [text("ld"), finish()],
      ],
      {
        policy: second,
        request: { ...request, maxOutputTokens: 3 },
      },
    );
    expect(result).toMatchObject({ end: "failed", text: "Hello world" });
  });

  it("does not cost it either where it is a wording", async () => {
    const wording = {
      continuation: (): string => {
        throw new Error("no words");
      },
    };
    const result = await play([[text("Hello wor"), finish("token_limit_reached")]], {
      settings: { wording },
      request: { ...request, maxOutputTokens: 3 },
    });
    expect(result).toMatchObject({ end: "failed", text: "Hello wor" });
    expect(result.signals.at(-1)).toMatchObject({ message: "no words" });
    expect(result.messages.at(-1)).toMatchObject({ isPartial: true });
  });
});

describe("an answer that nobody has counted", () => {
  const image = {
    type: "image",
    source: { type: "data", mediaType: "image/png", data: "A".repeat(1_000_000) },
  } as const;
  const question: GenerationRequest = { model: "m", messages: [{ role: "user", content: [image] }] };

  it("has an image in it by what images cost, and not by their letters", async () => {
    const script = [
      [...call("a", "t"), finish("tool_calls")],
      [text("A cat."), finish()],
    ];
    const result = await play(script, { request: question, tools: [tool], limits: { maxTokens: 10_000 } });
    expect(result).toMatchObject({ end: "completed", usage: { estimated: true } });
    expect(result.usage.inputTokens).toBeGreaterThan(2_000);
    expect(result.usage.inputTokens).toBeLessThan(3_000);
  });
});

describe("an answer that a rule has ended", () => {
  const long = "four".repeat(100);
  const script = [usage(2_500, 1), text(long), text("STOP"), text(long), usage(2_500, 201), finish()];

  it("has cost what came of it, where its provider has counted its beginning only", async () => {
    const { text: said, usage: cost } = await play([script], { stage: defineGuard({ stop: ["STOP"] }) });
    expect(said).toBe(long);
    expect(cost).toEqual({ inputTokens: 2_500, outputTokens: 100, estimated: true });
  });

  it("has cost what the provider says where the rule has let all of it pass", async () => {
    const { usage: cost } = await play([script], { stage: defineGuard({ stop: ["END"] }) });
    expect(cost).toEqual({ inputTokens: 2_500, outputTokens: 201 });
  });
});

describe("an answer of blank space", () => {
  it.each([
    { content: [reasoning("Hm."), text("\n\n")], rule: "only_thinking" },
    { content: [text(" \n")], rule: "empty_answer" },
  ])("$content is asked for again, by the rule $rule", async ({ content, rule }) => {
    const result = await play([
      [...content, finish()],
      [text("Hello"), finish()],
    ]);
    expect(result).toMatchObject({ end: "completed", text: "Hello" });
    expect(result.decisions[0]).toMatchObject({ suggestedAction: "modify_prompt", metadata: { rule } });
  });

  it("that the limit ended was cut while thinking", async () => {
    const script = [[reasoning("Long."), text("\n\n"), finish("token_limit_reached")]];
    const result = await play(script, { request: { ...request, maxOutputTokens: 5 } });
    expect(result.decisions.map(({ metadata }) => metadata["rule"])).toEqual(["cut_while_thinking"]);
    expect(result.end).toBe("incomplete");
  });
});

describe("an answer that was cut and whose rest does not come", () => {
  const own = { ...request, maxOutputTokens: 5 };
  const half = [text("Once upon"), finish("token_limit_reached")];

  it.each([
    { name: "nothing", rest: [], rule: "empty_answer" },
    { name: "a thought", rest: [reasoning("Hm.")], rule: "only_thinking" },
    { name: "blank space", rest: [text("\n")], rule: "empty_answer" },
  ])("because the model says $name is asked for again", async ({ rest, rule }) => {
    const script = [half, [...rest, finish()], [text(" a time."), finish()]];
    const result = await play(script, { request: own });
    expect(result).toMatchObject({ end: "completed", text: "Once upon a time." });
    expect(result.decisions[1]).toMatchObject({ suggestedAction: "modify_prompt", metadata: { rule } });
  });

  it("is no success: it is kept and flagged", async () => {
    const result = await play([half, [finish()], [reasoning("Hm."), finish()], [finish()]], { request: own });
    expect(result).toMatchObject({ end: "incomplete", text: "Once upon" });
    expect(result.messages.at(-1)).toMatchObject({ role: "assistant", isPartial: true });
  });

  it.each([
    { length: "a short text", before: "Once upon a time there was a cat. The end.", again: "a cat. The end." },
    { length: "a long text", before: `${"Of cats. ".repeat(300)}The end.`, again: "Of cats. The end." },
    {
      length: "all of a long text",
      before: Array.from({ length: 300 }, (_, index) => `Cat ${index}. `).join(""),
      again: Array.from({ length: 300 }, (_, index) => `Cat ${index}. `).join(""),
    },
  ])("is complete where the model only repeats the end of $length, and ends", async ({ before, again }) => {
    const script = [
      [text(before), finish("token_limit_reached")],
      [text(again), finish()],
    ];
    const result = await play(script, { request: own });
    expect(result).toMatchObject({ end: "completed", text: before, turns: 2 });
    expect(result.messages.at(-1)).not.toHaveProperty("isPartial");
  });

  it("is complete where a stop string ended it right there", async () => {
    const result = await play([half, [finish("stop_sequence")]], { request: own });
    expect(result).toMatchObject({ end: "completed", text: "Once upon" });
    expect(result.messages.at(-1)).not.toHaveProperty("isPartial");
  });
});

describe("a call that was certainly not run", () => {
  const pay = defineTool({ name: "pay", execute: () => "paid" });
  const half: readonly ScriptStep[] = [
    { type: "tool-call-start", callId: "b", name: "pay" },
    { type: "tool-call-delta", callId: "b", json: '{"x' },
  ];
  const results = ({ messages }: AgentResult): readonly string[] =>
    messages.flatMap(({ role, content }) => (role === "tool" ? [JSON.stringify(content)] : []));

  it.each<{ name: string; script: readonly ScriptStep[]; options: Partial<AgentOptions>; count: number }>([
    {
      name: "at the bound of rounds",
      script: [...call("a", "pay"), finish("tool_calls")],
      options: { policy: definePolicy({ bounds: { run_tools: 0 } }) },
      count: 1,
    },
    { name: "in a loop", script: [...call("a", "pay"), finish("repetition_detected")], options: {}, count: 1 },
    {
      name: "beside one that was cut",
      script: [...call("a", "pay"), ...half, finish("token_limit_reached")],
      options: { limits: { maxToolCalls: 0 } },
      count: 2,
    },
  ])("$name is answered as one", async ({ script, options, count }) => {
    const result = await play([script], { tools: [pay], ...options });
    expect(result.toolCalls).toEqual([]);
    expect(results(result)).toHaveLength(count);
    for (const words of results(result)) expect(words).toContain("was not run");
  });
});
