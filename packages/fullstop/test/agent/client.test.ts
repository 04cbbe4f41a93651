import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { createClient, defineTool } from "../../src/agent/index.ts";
import type { AgentEvent, StandardSchema } from "../../src/agent/index.ts";
import type { Engine } from "../../src/index.ts";
import { call, createScriptedEngine, finish, reasoning, text, usage } from "../../src/testing/index.ts";

describe("a client", () => {
  it("talks to the provider that the model's name says, or to the first", async () => {
    const one = createScriptedEngine(() => [text("one"), finish()]);
    const two = createScriptedEngine(() => [text("two"), finish()]);
    const client = createClient({ providers: { one, two } });
    expect((await client.chat({ model: "two/large", messages: "Hi" })).text).toBe("two");
    expect((await client.chat({ model: "plain", messages: "Hi" })).text).toBe("one");
    expect((await client.chat({ model: "meta/plain", messages: "Hi" })).text).toBe("one");
    expect(two.requests[0]).toMatchObject({ model: "large", messages: [{ role: "user", content: [{ text: "Hi" }] }] });
    expect(one.requests.map(({ model }) => model)).toEqual(["plain", "meta/plain"]);
  });

  it("gives everything that came of a conversation, with a report", async () => {
    const engine = createScriptedEngine([
      [reasoning("Sum."), ...call("a", "add", { a: 1, b: 2 }), usage(5, 2), finish("tool_calls")],
      [text("3"), usage(6, 1), finish()],
    ]);
    const add = defineTool({
      name: "add",
      input: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }) => {
        expectTypeOf(a).toEqualTypeOf<number>();
        return a + b;
      },
    });
    const result = await createClient({ providers: { engine }, tools: [add] }).chat({ model: "m", messages: "1 + 2?" });
    expect(result).toMatchObject({
      end: "completed",
      text: "3",
      usage: { inputTokens: 11, outputTokens: 3 },
      toolCalls: [{ call: { name: "add" }, result: { content: [{ text: "3" }] } }],
      signals: [{ reason: "tool_calls" }, { reason: "natural_completion" }],
      decisions: [{ suggestedAction: "run_tools" }, { suggestedAction: "stop" }],
      report: { reason: "natural_completion", turns: 2, actions: { run_tools: 1 } },
    });
    expect(result.report?.summary).not.toContain("1 + 2");
    expect(engine.requests[0]?.tools).toMatchObject([
      { name: "add", parameters: { type: "object", properties: { a: { type: "number" } } } },
    ]);
  });

  it("gives what could not be passed on, once, however many turns it took", async () => {
    const script = createScriptedEngine([
      [...call("a", "t"), finish("tool_calls")],
      [text("done"), finish()],
    ]);
    const seed = { field: "sampling.seed", message: "The dialect has no such setting; it was left out." };
    const engine: Engine = {
      generate(request, signal) {
        const events = script.generate(request, signal);
        return { [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](), warnings: [seed] };
      },
    };
    const t = defineTool({ name: "t", execute: () => 1 });
    const result = await createClient({ providers: { engine }, tools: [t] }).chat({ model: "m", messages: "go" });
    expect(result).toMatchObject({ turns: 2, warnings: [seed] });
    expect(result.warnings).toHaveLength(1);
  });

  it("refuses arguments that the schema refuses, and tells the model what is wrong", async () => {
    const engine = createScriptedEngine([
      [...call("a", "add", { a: "one" }), finish("tool_calls")],
      [text("sorry"), finish()],
    ]);
    const add = defineTool({ name: "add", input: z.object({ a: z.number() }), execute: () => "never" });
    await createClient({ providers: { engine }, tools: [add] }).chat({ model: "m", messages: "go" });
    expect(JSON.stringify(engine.requests[1]?.messages.at(-1))).toContain("The arguments are not right: a:");
  });

  it("streams, and tells an observer of every event", async () => {
    const engine = createScriptedEngine([[text("Hello"), finish()]]);
    const told: AgentEvent[] = [];
    const client = createClient({ providers: { engine }, onEvent: (event) => void told.push(event) });
    const read: AgentEvent[] = [];
    for await (const event of client.stream({ model: "m", messages: "Hi" })) read.push(event);
    expect(told).toEqual(read);
    expect(read.at(-1)).toMatchObject({ type: "end", result: { text: "Hello" } });
  });

  it("asks nobody where its events are left before the first, and tells an observer how that ended", async () => {
    const seen: string[] = [];
    const engine = createScriptedEngine(() => [text("Hello"), finish()]);
    const client = createClient({ providers: { engine }, onEvent: ({ type }) => void seen.push(type) });
    const run = client.stream({ model: "m", messages: "Hi" });
    await run[Symbol.asyncIterator]().return?.();
    expect(seen).toEqual(["stop", "end"]);
    expect(await run.result()).toMatchObject({ end: "stopped", turns: 0 });
    expect(engine.requests).toEqual([]);
  });

  it("turns to the fallback model of another provider", async () => {
    const strict = createScriptedEngine([[finish("content_filtered")]]);
    const other = createScriptedEngine([[text("Sure"), finish()]]);
    const client = createClient({ providers: { strict, other }, fallbackModel: "other/kind" });
    expect((await client.chat({ model: "strict/a", messages: "Hi" })).text).toBe("Sure");
    expect(other.requests[0]?.model).toBe("kind");
  });

  it("is refused without providers, and with a default that is none of them", () => {
    expect(() => createClient({ providers: {} })).toThrow("providers must hold at least one engine, got {}");
    const engine = createScriptedEngine([]);
    expect(() => createClient({ providers: { engine }, defaultProvider: "toString" })).toThrow(
      'defaultProvider must be one of engine, got "toString"',
    );
  });

  it("refuses a schema that cannot tell its JSON Schema, unless it is given", () => {
    const input: StandardSchema<string> = {
      "~standard": { version: 1, vendor: "mine", validate: (value) => ({ value: String(value) }) },
    };
    expect(() => defineTool({ name: "t", input, execute: () => 1 })).toThrow("give it as `parameters`");
    expect(defineTool({ name: "t", input, parameters: { type: "string" }, execute: () => 1 }).definition).toMatchObject(
      {
        parameters: { type: "string" },
      },
    );
  });
});
