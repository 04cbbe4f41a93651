import { createAgentRun, defineTool } from "fullstop/agent";
import type { Generation, GenerationEvent, GenerationRequest } from "fullstop";
import { createGatewayEngine } from "fullstop/engines";
import type { GatewayEngineOptions } from "fullstop/engines";
import { call, createGate, finish, reasoning, signature, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { hashOf, openGatewayForFile } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";

const KEY = "open-sesame-alice";

const gateway = await openScripted({
  keys: [{ name: "alice", sha256: hashOf(KEY) }],
  defaults: { onDisconnect: "continue" },
});
const { generations } = gateway.house;
const engine = createGatewayEngine({ url: `${gateway.url}/`, key: KEY });

const MODEL = "anthropic-messages/some-model";

function ask(others: Partial<GenerationRequest> = {}): GenerationRequest {
  return { model: MODEL, messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }], ...others };
}

interface Read {
  readonly events: readonly GenerationEvent[];
  readonly text: string;
  readonly reasoning: string;
  readonly last: GenerationEvent | undefined;
}

async function read(
  generation: Generation,
  onEvent: (event: GenerationEvent) => void | Promise<void> = () => undefined,
): Promise<Read> {
  const events: GenerationEvent[] = [];
  for await (const event of generation) {
    events.push(event);
    await onEvent(event);
  }
  const join = (type: "text" | "reasoning"): string =>
    events.map((event) => (event.type === type ? event.text : "")).join("");
  return { events, text: join("text"), reasoning: join("reasoning"), last: events.at(-1) };
}

const never = (): AbortSignal => new AbortController().signal;

const isThoughtless = ({ reasoning: wish = {} }: GenerationRequest): boolean =>
  wish.effort === "none" || wish.budgetTokens === 0;

describe("a gateway as an engine", () => {
  it("gives thinking, text, counts and the end, in a generation that can be found there", async () => {
    gateway.script("anthropic-messages", [start(), reasoning("Easy"), text("42"), usage(9, 4), finish()]);
    const answer = await read(engine.generate(ask(), never()));
    expect(answer).toMatchObject({ reasoning: "Easy", text: "42" });
    expect(answer.events.map(({ type }) => type)).toEqual(["start", "reasoning", "text", "usage", "finish"]);
    expect(answer.events.at(-2)).toMatchObject({ usage: { inputTokens: 9, outputTokens: 4 } });
    expect(answer.last).toMatchObject({ signal: { reason: "natural_completion", confidence: "high" } });
    const [first] = answer.events;
    expect(await generations.find(first?.type === "start" ? first.id : "")).toMatchObject({ owner: "alice" });
  });

  it.each([true, false])("tells a stop string that the gateway has found, stream: %s", async (stream) => {
    gateway.script("anthropic-messages", [start(), text("one two three"), usage(9, 4), finish()]);
    const answer = await read(engine.generate(ask({ stop: [" tw"], stream }), never()));
    expect(answer.text).toBe("one");
    expect(answer.last).toMatchObject({ signal: { reason: "stop_sequence", stopSequence: " tw" } });
  });

  it("says more than its dialect can, by the gateway's own settings", async () => {
    const settings = { maxCharacters: 3 };
    gateway.script("anthropic-messages", [start(), text("one two three"), usage(9, 4), finish()]);
    const limited = createGatewayEngine({ url: gateway.url, key: KEY, settings });
    const answer = await read(limited.generate(ask(), never()));
    expect(answer.text).toBe("one");
    expect(answer.last).toMatchObject({ signal: { reason: "token_limit_reached" } });
  });

  it.each([
    ["a limit", [start(), text("Once"), usage(9, 4), finish("token_limit_reached")], "token_limit_reached", undefined],
    ["a cut", [start(), text("Once")], "error_termination", "truncated"],
    [
      "a refusal",
      [start(), text("No"), finish("content_filtered", { detail: "refusal" })],
      "content_filtered",
      "refusal",
    ],
  ] as const)("tells %s from an end", async (_, script, reason, detail) => {
    gateway.script("anthropic-messages", script);
    const answer = await read(engine.generate(ask(), never()));
    expect(answer.text).toMatch(/Once|No/u);
    expect(answer.last).toMatchObject({ type: "finish", signal: { reason, ...(detail && { detail }) } });
  });

  it("is refused with a key that nobody knows, which is not quoted", async () => {
    const stranger = createGatewayEngine({ url: gateway.url, key: "open-sesame-mallory" });
    const { events, last } = await read(stranger.generate(ask(), never()));
    expect(events).toHaveLength(1);
    expect(last).toMatchObject({ signal: { reason: "error_termination", detail: "authentication" } });
    expect(JSON.stringify(last)).not.toContain("mallory");
  });

  it("is refused a model that is not there", async () => {
    const { last } = await read(engine.generate(ask({ model: "nobody" }), never()));
    expect(last).toMatchObject({ signal: { reason: "error_termination", detail: "not_found" } });
  });

  it("stops the generation there when it is stopped here, whatever the gateway does by default", async () => {
    const gate = createGate();
    const stop = new AbortController();
    gateway.script("anthropic-messages", [start(), text("Once"), gate.pass, text(" upon"), finish()]);
    let id = "";
    const answer = await read(engine.generate(ask(), stop.signal), (event) => {
      if (event.type === "start") ({ id } = event);
      else if (event.type === "text") stop.abort("new_message");
    });
    expect(answer.text).toBe("Once");
    expect(answer.last).toMatchObject({ signal: { reason: "cancelled", detail: "new_message" } });
    const [live] = generations.live();
    if (live !== undefined) await live.ended;
    gate.open();
    expect(await generations.find(id)).toMatchObject({ signal: { reason: "cancelled", detail: "disconnect" } });
  });

  it("counts tokens", async () => {
    const counted = createGatewayEngine({ url: gateway.url, key: KEY, settings: { repetition: true } });
    const count = await counted.countTokens?.(ask({ model: "pip" }), never());
    expect(count).toHaveProperty("inputTokens");
  });

  it("runs tools in an agent, and gives a provider the proofs of its thinking back", async () => {
    gateway.script("anthropic-messages", ({ messages }) =>
      messages.length === 1
        ? [
            start(),
            reasoning("Look"),
            signature("proof"),
            ...call("c1", "look", { city: "Oslo" }),
            finish("tool_calls"),
          ]
        : [start(), text("7 degrees"), finish()],
    );
    const look = defineTool({ name: "look", execute: () => "7" });
    const request = ask({ maxOutputTokens: 4000, reasoning: { budgetTokens: 2000 } });
    const result = await createAgentRun({ engine, request, tools: [look] }).result();
    expect(result).toMatchObject({ end: "completed", turns: 2, text: "7 degrees" });
    const { body } = gateway.upstreams["anthropic-messages"].requests.at(-1)!;
    expect(body["thinking"]).toMatchObject({ budget_tokens: 2000 });
    expect(body["messages"]).toMatchObject([
      {},
      {
        content: [
          { type: "thinking", thinking: "Look", signature: "proof" },
          { type: "tool_use", id: "c1", name: "look", input: { city: "Oslo" } },
        ],
      },
      { content: [{ type: "tool_result", tool_use_id: "c1" }] },
    ]);
  });

  it.each([
    [
      "an address that is none",
      { url: "localhost:4000" },
      'url must be an address that begins with http:// or https://, got "localhost:4000"',
    ],
    ["no address", {}, "url must be an address that begins with http:// or https://, got undefined"],
    ["a key with a line break", { url: "http://localhost", key: "some-key\n" }, "apiKey must be a key"],
    ["settings that are none", { url: "http://localhost", settings: [] }, "settings must be an object"],
    ["an option that is none", { url: "http://localhost", apiKey: "some-key" }, "apiKey"],
  ])("refuses %s", (_, options, message) => {
    expect(() => createGatewayEngine(options as unknown as GatewayEngineOptions)).toThrow(message);
  });
});

describe("thinking behind a gateway", () => {
  it("is skipped by the gateway, within the same generation", async () => {
    const gate = createGate();
    gateway.script("anthropic-messages", (request) =>
      isThoughtless(request)
        ? [start(), text("42"), usage(9, 1), finish()]
        : [start(), reasoning("Six times"), gate.pass, text("Late"), finish()],
    );
    const { length } = gateway.upstreams["anthropic-messages"].requests;
    const generation = engine.generate(ask({ reasoning: { effort: "high" } }), never());
    let id = "";
    const answer = await read(generation, (event) => {
      if (event.type === "start") ({ id } = event);
      if (event.type === "reasoning" && event.text !== "") expect(generation.skipThinking?.()).toBe(true);
      if (event.type === "text") expect(generation.skipThinking?.()).toBe(false);
    });
    gate.open();
    expect(answer).toMatchObject({ reasoning: "Six times", text: "42" });
    expect(answer.events.filter((event) => "skipped" in event)).toHaveLength(1);
    expect(answer.last).toMatchObject({ signal: { reason: "natural_completion" } });
    expect(await generations.find(id)).toMatchObject({ signal: { skippedThinking: true } });
    // The gateway has asked its provider again; the engine has not asked the gateway again.
    expect(gateway.upstreams["anthropic-messages"].requests).toHaveLength(length + 2);
    expect(generations.live()).toEqual([]);
  });

  it("is skipped by asking again where the gateway cannot be told", async () => {
    const gate = createGate();
    gateway.script("anthropic-messages", (request) =>
      isThoughtless(request)
        ? [start(), text("42"), usage(9, 1), finish()]
        : [start(), reasoning("Six times"), gate.pass, text("Late"), finish()],
    );
    const deaf = createGatewayEngine({
      url: gateway.url,
      key: KEY,
      fetch: (url, init) => (url.endsWith("/stop") ? Promise.reject(new Error("hung up")) : fetch(url, init)),
    });
    const generation = deaf.generate(ask({ reasoning: { effort: "high" } }), never());
    const answer = await read(generation, (event) => {
      if (event.type === "reasoning" && event.text !== "") expect(generation.skipThinking?.()).toBe(true);
    });
    gate.open();
    expect(answer).toMatchObject({ reasoning: "Six times", text: "42" });
    expect(answer.last).toMatchObject({ signal: { reason: "natural_completion" } });
  });
});

describe("Pip behind a gateway", async () => {
  const house = await openGatewayForFile({ models: { pip: { local: "pip", sequences: 2, threads: 1 } } });
  const pip = createGatewayEngine({ url: house.url });
  const question = ask({
    model: "pip",
    messages: [{ role: "user", content: [{ type: "text", text: "What is 312 + 230?" }] }],
    reasoning: { effort: "high" },
  });

  it("thinks and answers", async () => {
    const answer = await read(pip.generate(question, never()));
    expect(answer.reasoning.length).toBeGreaterThan(20);
    expect(answer.text).toContain("542");
    expect(answer.last).toMatchObject({ signal: { reason: "natural_completion", confidence: "high" } });
  });

  it("leaves its thinking in the run of an agent, and the gateway knows", async () => {
    // Thinking that does not come to an end by itself cannot be over before the gateway is told.
    const messages = [
      { role: "user" as const, content: [{ type: "text" as const, text: "Now get stuck thinking about islands" }] },
    ];
    const request = { ...question, messages, maxOutputTokens: 300 };
    const run = createAgentRun({ engine: pip, request, limits: { maxTurns: 1 } });
    let id = "";
    const outcomes: boolean[] = [];
    for await (const event of run) {
      if (event.type !== "generation") continue;
      if (event.event.type === "start") ({ id } = event.event);
      if (event.event.type === "reasoning" && outcomes.length === 0) outcomes.push(run.skipThinking());
    }
    expect(outcomes).toEqual([true]);
    const result = await run.result();
    expect(result.turns).toBe(1);
    expect(result.text).not.toBe("");
    expect(await house.house.generations.find(id)).toMatchObject({ signal: { skippedThinking: true } });
  });
});
