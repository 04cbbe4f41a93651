import { describe, expect, it } from "vitest";
import {
  createAgentRun,
  createCallWatch,
  createClient,
  defineTool,
  judgeCalls,
  repairHistory,
} from "../../src/agent/index.ts";
import type { ClientRequest } from "../../src/agent/index.ts";
import { POLICIES, decide } from "../../src/decide/index.ts";
import { FullstopError } from "../../src/index.ts";
import type { GenerationRequest } from "../../src/index.ts";
import { createScriptedEngine, finish, text } from "../../src/testing/index.ts";
import { contextOf } from "../decide/contexts.ts";

const engine = createScriptedEngine(() => [text("ok"), finish()]);
const request: GenerationRequest = {
  model: "m",
  messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
};
const tool = defineTool({ name: "t", execute: () => 1 });

/** What runs have in common, as a caller without types might give it. */
const SHARED: readonly (readonly [object, string])[] = [
  [{ policy: "chat" }, 'policy must be made by definePolicy or be one of POLICIES, such as POLICIES.chat, got "chat"'],
  [{ policy: {} }, "policy must be made by definePolicy"],
  [{ limits: { maxTurn: 5 } }, `got "maxTurn"`],
  [{ limits: { maxTurns: 0 } }, "limits maxTurns must be a whole number of at least 1, got 0"],
  [{ limits: { maxCost: 5 } }, "limits maxCost must be an object, got 5"],
  [{ limits: { maxCost: { limit: 1 } } }, "limits maxCost price must be a function of the usage"],
  [{ limits: { maxCost: { limit: 1, price: 3 } } }, "such as (usage) => …, got 3"],
  [{ limits: { maxCost: { price: () => 1 } } }, "limits maxCost limit must be a number of at least 0, got NaN"],
  [
    { limits: { maxCost: { amount: 1, perToken: 2 } } },
    "limits maxCost has no such option; the options are limit, price",
  ],
  [{ limits: { maxCost: null } }, "limits maxCost must be an object, got null"],
  [{ tools: [{}] }, "tools must hold tools made by defineTool, got {}"],
  [{ tools: { t: tool } }, "tools must be a list"],
  [{ tools: [tool, tool] }, `tools must have different names, got "t"`],
  [{ repetition: { nudge: 0 } }, "nudge"],
  [{ stage: 5 }, "stage must be a function, got 5"],
  [{ settings: { retries: 5 } }, `got "retries"`],
  [{ settings: { wording: { emptyAnswr: "x" } } }, `got "emptyAnswr"`],
  [{ settings: { wording: { emptyAnswer: () => "x" } } }, "settings wording emptyAnswer must be a text"],
  [{ settings: { wording: { interruption: "was stopped" } } }, "settings wording interruption must be a function"],
  [{ settings: { wording: { continuation: 5 } } }, "settings wording continuation must be a text or a function, got 5"],
];

describe("a client is refused at once with", () => {
  it.each<readonly [object, string]>([
    ...SHARED,
    [{ providers: undefined }, "providers must be engines by name"],
    [{ providers: {} }, "providers must hold at least one engine, got {}"],
    [{ providers: { a: {} } }, "providers a must have a generate function, got {}"],
    [{ fallbackModel: 5 }, "fallbackModel must be the name of a model, got 5"],
    [{ model: "m" }, `got "model"`],
  ])("%o", (options, message) => {
    const create = (): unknown => createClient({ providers: { engine }, ...options });
    expect(create).toThrow(FullstopError);
    expect(create).toThrow(message);
  });
});

describe("a run is refused at once with", () => {
  it.each<readonly [object, string]>([
    ...SHARED,
    [{ engine: {} }, "engine must have a generate function"],
    [{ request: { ...request, maxTokens: 5 } }, `request has no "maxTokens"; use maxOutputTokens`],
    [{ request: undefined }, "request must be an object, got undefined"],
    [{ fallback: { model: "" } }, `fallback model must be the name of a model, got ""`],
    [{ fallback: { model: "b", engine: {} } }, "fallback engine must have a generate function"],
    [{ signal: "stop" }, `signal must be an AbortSignal, got "stop"`],
    [{ id: 7 }, "id must be a string, got 7"],
  ])("%o", (options, message) => {
    const create = (): unknown => createAgentRun({ engine, request, ...options });
    expect(create).toThrow(FullstopError);
    expect(create).toThrow(message);
  });
});

describe("a question to a client is refused at once with", () => {
  it.each<readonly [object, object, string]>([
    [{ messages: "Hi" }, {}, "request model must be the name of a model, got undefined"],
    [{ model: "m" }, {}, "request messages must be a list, got undefined"],
    [{ model: "m", messages: "Hi", maxTokens: 3 }, {}, `request has no "maxTokens"; use maxOutputTokens`],
    [
      { model: "m", messages: [{ role: "user", content: "Hi" }] },
      {},
      `request messages[0] content must be a list of parts, such as [{ type: "text", text: "Hello" }], got "Hi"`,
    ],
    [{ model: "m", messages: "Hi" }, { policy: "chat" }, "policy must be made by definePolicy"],
    [{ model: "m", messages: "Hi" }, { limit: {} }, `got "limit"`],
    [{ model: "m", messages: "Hi" }, { onEvent: 5 }, "onEvent must be a function, got 5"],
  ])("%o and %o", async (question, options, message) => {
    const client = createClient({ providers: { engine } });
    const asked = engine.requests.length;
    const stream = (): unknown => client.stream(question as ClientRequest, options);
    expect(stream).toThrow(FullstopError);
    expect(stream).toThrow(message);
    await expect(client.chat(question as ClientRequest, options)).rejects.toThrow(message);
    expect(engine.requests).toHaveLength(asked);
  });

  it("nothing at all", async () => {
    const client = createClient({ providers: { engine } });
    await expect(client.chat(undefined as never)).rejects.toThrow(FullstopError);
  });
});

describe("a tool is refused with", () => {
  it.each<readonly [object, string]>([
    [{ exec: () => 1 }, `got "exec"`],
    [{ parameters: "x" }, `tool t parameters must be a JSON Schema, such as { type: "object", properties }, got "x"`],
    [{ strict: "yes" }, `tool t strict must be true or false, got "yes"`],
    [{ description: 5 }, "tool t description must be a string, got 5"],
    [{ input: { type: "object" } }, "tool t input must be a schema that follows Standard Schema"],
  ])("%o", (options, message) => {
    const define = (): unknown => defineTool({ name: "t", execute: () => 1, ...options } as never);
    expect(define).toThrow(FullstopError);
    expect(define).toThrow(message);
  });
});

it("a message that is none cannot steer a run", () => {
  const run = createAgentRun({ engine, request });
  expect(() => run.steer(undefined as never)).toThrow("message must be a message, such as { role, content }");
  expect(() => run.followUp({ role: "assistant", content: [] } as never)).toThrow('message role must be "user"');
  expect(run.stop().surviving).toEqual([]);
});

it("the name of a policy is no policy to decide by", () => {
  const signal = finish().signal;
  expect(() => decide(signal, contextOf({}), "chat" as never)).toThrow("policy must be made by definePolicy");
  expect(decide(signal, contextOf({}), POLICIES.chat).suggestedAction).toBeTypeOf("string");
});

describe("what a conversation or its calls are judged by is refused at once:", () => {
  const call = { name: "f", json: "{}", result: "" };
  const said = { role: "user", content: [{ type: "text", text: "Hi" }] };

  it.each<[string, () => unknown, string]>([
    ["no messages", () => repairHistory(null as never), "messages must be a list of messages, got null"],
    ["one message", () => repairHistory(said as never), "messages must be a list of messages, got {"],
    ["no message among them", () => repairHistory([said, null] as never), "messages[1] must be a message"],
    [
      "a text for parts",
      () => repairHistory([{ ...said, content: "Hi" }] as never),
      "messages[0] content must be a list",
    ],
    ["no calls", () => judgeCalls(null as never), "calls must be a list of { name, json, result }, got null"],
    ["one call", () => judgeCalls(call as never), "calls must be a list"],
    [
      "no call among them",
      () => judgeCalls([call, undefined] as never),
      "call must be { name, json, result }, each of them a string, got undefined",
    ],
    [
      "arguments that were parsed",
      () => judgeCalls([{ ...call, json: {} }] as never),
      'got {"name":"f","json":{},"result":""}',
    ],
    ["a call to be watched", () => createCallWatch().add(null as never), "call must be { name, json, result }"],
    [
      "no result",
      () => createCallWatch().add({ name: "f", json: "{}" } as never),
      "call must be { name, json, result }",
    ],
  ])("%s", (_name, action, message) => {
    expect(action).toThrow(FullstopError);
    expect(action).toThrow(message);
  });
});
