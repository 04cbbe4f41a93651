import { call, finish, reasoning, start, text, usage } from "fullstop/testing";
import { WIRE_FORMATS } from "fullstop/wire";
import { afterEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/config.ts";
import { DIALECTS } from "../support/dialects.ts";
import type { Dialect } from "../support/dialects.ts";
import { createFolder } from "../support/folder.ts";
import { openGatewayForFile } from "../support/gateway.ts";
import { startRedis } from "../support/redis-server.ts";
import { openScripted } from "../support/scripted.ts";
import { pathOf } from "../support/small-requests.ts";
import { streamOf } from "../support/upstream.ts";

/** What would show if it came into the prototype of anything: it changes how a request is answered, or an answer ends. */
const POISON =
  '{"polluted":true,"stream":true,"fullstop":{"stop":["Hello"]},"error":{"message":"x"},"operator":true,' +
  '"owner":"alice","type":"error","finish_reason":"length","stop":["Hello"],"n":2}';
const FIELDS = `"__proto__":${POISON},"constructor":{"prototype":${POISON}},"prototype":${POISON}`;

/** JSON with the poison in each of its objects. */
function poison(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("{}", `{${FIELDS}}`)
    .replaceAll(/\{(?=")(?!"__proto__)/gu, `{${FIELDS},`);
}

const own = Object.getOwnPropertyNames(Object.prototype).toSorted();

// Thrown and not expected: the tests before it have ended.
afterEach(() => {
  const isAsBefore = Object.getOwnPropertyNames(Object.prototype).toSorted().join() === own.join();
  const isClean = [{}, [], () => undefined].every((value) => !("polluted" in value));
  if (!isAsBefore || !isClean) throw new Error("a prototype has been changed");
});

const gateway = await openScripted();

const ask = async (path: string, body: string, headers: object = {}): Promise<{ status: number; text: string }> => {
  const response = await fetch(gateway.url + path, { method: "POST", headers: { ...headers }, body });
  return { status: response.status, text: await response.text() };
};

const TOOL_SCHEMA = { type: "object", properties: { city: { type: "string" } } };

const REQUESTS: Readonly<Record<Dialect, object>> = {
  "openai-chat": {
    model: "openai-chat/m",
    messages: [
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", type: "function", function: { name: "t", arguments: '{"city":"Paris"}' } }],
      },
      { role: "tool", tool_call_id: "c", content: "1" },
    ],
    tools: [{ type: "function", function: { name: "t", parameters: TOOL_SCHEMA } }],
    metadata: { label: "x" },
  },
  "openai-responses": {
    model: "openai-responses/m",
    input: [{ role: "user", content: [{ type: "input_text", text: "Hi" }] }],
    tools: [{ type: "function", name: "t", parameters: TOOL_SCHEMA }],
    metadata: { label: "x" },
  },
  "anthropic-messages": {
    model: "anthropic-messages/m",
    max_tokens: 9,
    messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
    tools: [{ name: "t", input_schema: TOOL_SCHEMA }],
  },
  gemini: {
    contents: [{ role: "user", parts: [{ text: "Hi" }] }],
    tools: [{ functionDeclarations: [{ name: "t", parameters: TOOL_SCHEMA }] }],
    generationConfig: { temperature: 1 },
  },
};

const ANSWER = [
  start(),
  reasoning("Hm"),
  text("Hello"),
  ...call("c", "t", { city: "Paris" }),
  usage(1, 2),
  finish("tool_calls"),
];

describe.each(DIALECTS)("prototypes in %s", (dialect) => {
  const path = pathOf(dialect, `${dialect}/m`);

  it("stay as they are in all objects of a request, which means what it means without them", async () => {
    gateway.script(dialect, ANSWER);
    const plain = await ask(path, JSON.stringify(REQUESTS[dialect]));
    const poisoned = await ask(path, poison(REQUESTS[dialect]));
    expect(plain.status).toBe(200);
    // Names in a schema or of a label that a provider does not take may be refused, but not more.
    expect([200, 400]).toContain(poisoned.status);
    if (poisoned.status === 200) expect(poisoned.text).toContain("Hello");
    const top = JSON.stringify(REQUESTS[dialect]).replace("{", `{"__proto__":${POISON},`);
    const answer = await ask(path, top);
    expect([answer.status, answer.text.includes("Hello"), answer.text.startsWith("data:")]).toEqual([200, true, false]);
  });

  it("stay as they are in settings, of the body and of the header", async () => {
    gateway.script(dialect, ANSWER);
    const body = JSON.stringify(REQUESTS[dialect]);
    const settings = `{"__proto__":${POISON}}`;
    const inBody = await ask(path, body.replace("{", `{"fullstop":${settings},`));
    const inHeader = await ask(path, body, { "x-fullstop-settings": settings });
    for (const { status, text: answer } of [inBody, inHeader]) {
      expect(status).toBe(400);
      expect(answer).toContain("__proto__");
    }
  });

  it.each([true, false])("stay as they are in all objects of a provider's answer, stream: %s", async (isStream) => {
    const format = WIRE_FORMATS[dialect];
    const stream = streamOf(format, ANSWER).replaceAll(
      /^data: (?<json>\{.*)$/gmu,
      (_, json: string) => `data: ${poisonTop(json)}`,
    );
    const { body } = format.encodeResponse(ANSWER, { created: 1 });
    const whole = poisonTop(JSON.stringify(body));
    gateway.script(dialect, isStream ? [{ raw: stream }] : [{ raw: whole }]);
    const { status, text: answer } = await ask(path, JSON.stringify(REQUESTS[dialect]));
    expect(status).toBe(200);
    expect(answer).toContain("Hello");
    expect(answer).not.toContain("polluted");
  });

  it("stay as they are in the arguments of a tool, which are kept", async () => {
    const input = JSON.parse(`{${FIELDS},"city":"Paris"}`) as unknown;
    gateway.script(dialect, [start(), ...call("c", "__proto__", input), usage(1, 2), finish("tool_calls")]);
    const { status, text: answer } = await ask(path, JSON.stringify(REQUESTS[dialect]));
    expect(status).toBe(200);
    expect(answer).toContain("Paris");
    expect(answer).toContain("polluted");
  });
});

/** JSON with the poison beside its own fields, in each object but within texts. */
function poisonTop(json: string): string {
  return JSON.stringify(JSON.parse(json)).replace("{", `{"__proto__":${POISON},"constructor":{"prototype":${POISON}},`);
}

describe("prototypes in what is asked of generations", () => {
  it.each(["/v1/generations/x/stop", "/v1/generations/stop", "/v1/responses/x/cancel"])(
    "stay as they are: %s",
    async (path) => {
      const { status } = await ask(path, `{${FIELDS}}`);
      expect([200, 404]).toContain(status);
    },
  );

  it.each([
    "__proto__[polluted]=true",
    "__proto__.polluted=true",
    "constructor[prototype][polluted]=true",
    "__proto__=x",
  ])("stay as they are in a query: %s", async (query) => {
    expect((await fetch(`${gateway.url}/v1/generations?${query}`)).status).toBe(200);
  });
});

describe("prototypes in a configuration", () => {
  it.each([
    `{"__proto__":{"keys":[],"polluted":true}}`,
    `{"limits":{"__proto__":{"maxBodyBytes":1}}}`,
    `{"providers":{"__proto__":{"baseUrl":"http://127.0.0.1:1/v1","polluted":true}}}`,
    `{"providers":{"constructor":{"baseUrl":"http://127.0.0.1:1/v1"}}}`,
    `{"aliases":{"__proto__":"pip","constructor":"pip"}}`,
    `{"models":{"__proto__":{"local":"pip"}}}`,
    `{"defaults":{"__proto__":{"polluted":true}}}`,
  ])("stay as they are: %s", async (json) => {
    let config;
    try {
      config = parseConfig(JSON.parse(json));
    } catch (error) {
      expect(String(error)).toContain("ConfigError");
      return;
    }
    expect(config.limits.maxBodyBytes).toBe(32 * 1024 * 1024);
    const other = await openGatewayForFile(JSON.parse(json) as object);
    const response = await fetch(`${other.url}/v1/models/toString`);
    expect(response.status).toBe(404);
    await other.close();
  });
});

describe("prototypes in what a store has kept", async () => {
  const folder = createFolder();
  const redis = await startRedis();
  it.each([
    ["a file", { FULLSTOP_STORE: folder.path("generations.db") }],
    ["Redis", { FULLSTOP_STORE: redis.url }],
  ])("stay as they are: %s", async (_, environment) => {
    const { baseUrl } = gateway.upstreams["openai-chat"];
    const kept = await openGatewayForFile({ providers: { up: { baseUrl } } }, environment);
    gateway.script("openai-chat", [
      start(),
      ...call("__proto__", "constructor", JSON.parse(`{${FIELDS}}`)),
      finish("tool_calls"),
    ]);
    const response = await fetch(`${kept.url}/v1/responses`, {
      method: "POST",
      body: '{"model":"up/__proto__","input":"?"}',
    });
    const { id } = (await response.json()) as { id: string };
    const events = await (await fetch(`${kept.url}/v1/generations/${id}/events`)).text();
    expect(events).toContain('"callId":"__proto__"');
    expect(events).toContain("polluted");
    expect((await fetch(`${kept.url}/v1/generations/__proto__`)).status).toBe(404);
    await kept.close();
    if (environment.FULLSTOP_STORE === redis.url) await redis.stop();
  });
});
