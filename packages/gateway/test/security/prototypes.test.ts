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
  '"owner":"alice","mode":"nonsense","reason":"no reason","type":"error","finish_reason":"length","stop":["Hello"],"n":2}';
const FIELDS = `"__proto__":${POISON},"constructor":{"prototype":${POISON}},"prototype":${POISON}`;

/** Objects in which any name may stand that somebody has chosen: arguments, and the labels of a request. */
const OPEN: readonly string[] = ["city", "label"];

/** A value as JSON with the poison in each of its objects, but for empty ones, which say that there is nothing. */
function poison(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(poison).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}:${poison(inner)}`);
  const isLeft = fields.length === 0 || OPEN.some((name) => name in value);
  return `{${[...(isLeft ? [] : [FIELDS]), ...fields].join(",")}}`;
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

/** An answer without what is another one each time. */
const sameEachTime = ({ status, text: answer }: { status: number; text: string }): object => ({
  status,
  text: answer
    // That a name means nothing is said, which is right.
    .replaceAll(/,"warnings":\[.*?\](?=\})/gu, "")
    // Responses repeat the tools of their requests as they were given.
    .replaceAll(/"tools":\[.*?\],(?="top_p")/gu, "")
    .replaceAll(/(?:resp_|chatcmpl-|msg_|gen_|rs_|fc_|call_|item_)[0-9a-z_]+/gu, "id")
    .replaceAll(/"created(?:_at)?":\d+|"completed_at":\d+/gu, "created"),
});

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
    const { request: asked } = gateway.upstreams[dialect].requests.at(-1)!;
    const poisoned = await ask(path, poison(REQUESTS[dialect]));
    expect(plain.status).toBe(200);
    expect(sameEachTime(poisoned)).toEqual(sameEachTime(plain));
    const { request } = gateway.upstreams[dialect].requests.at(-1)!;
    // Schemas may have any names, and go on as they are.
    expect({ ...request, tools: undefined }).toEqual({ ...asked, tools: undefined });
    const top = JSON.stringify(REQUESTS[dialect]).replace("{", `{"__proto__":${POISON},`);
    expect(sameEachTime(await ask(path, top))).toEqual(sameEachTime(plain));
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
      (_, json: string) => `data: ${poison(JSON.parse(json))}`,
    );
    const { fullstop: _, ...body } = format.encodeResponse(ANSWER, { created: 1 }).body;
    const whole = poison(body);
    gateway.script(dialect, isStream ? [{ raw: stream }] : [{ raw: whole }]);
    const { status, text: answer } = await ask(path, JSON.stringify(REQUESTS[dialect]));
    gateway.script(dialect, isStream ? ANSWER : { whole: ANSWER });
    const plain = await ask(path, JSON.stringify(REQUESTS[dialect]));
    expect(plain.text).toContain("Hello");
    expect(sameEachTime({ status, text: answer })).toEqual(sameEachTime(plain));
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

describe("prototypes in what is asked of generations", () => {
  it.each([
    ["/v1/generations/x/stop", 400, { error: { message: 'A stop takes mode, reason, got "__proto__"' } }],
    ["/v1/generations/stop", 400, { error: { message: 'A stop of all that runs takes owner, got "__proto__"' } }],
    ["/v1/responses/x/cancel", 404, {}],
  ])("stay as they are: %s", async (path, status, body) => {
    const answer = await ask(path, `{${FIELDS}}`);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject(body);
  });

  it.each([
    "__proto__[polluted]=true",
    "__proto__.polluted=true",
    "constructor[prototype][polluted]=true",
    "__proto__=x",
  ])("stay as they are in a query: %s", async (query) => {
    expect((await fetch(`${gateway.url}/v1/generations?${query}`)).status).toBe(400);
  });
});

describe("prototypes in a configuration", () => {
  it.each([
    `{"__proto__":{"port":1,"allowedOrigins":["https://evil.example"],"metrics":{"public":true},"polluted":true}}`,
    `{"limits":{"__proto__":{"maxBodyBytes":1}}}`,
    `{"metrics":{"__proto__":{"public":true}}}`,
    `{"store":{"__proto__":{"content":false}}}`,
    `{"logs":{"__proto__":{"content":true}}}`,
    `{"defaults":{"__proto__":{"polluted":true,"stop":["Hello"]}}}`,
    `{"providers":{"__proto__":{"baseUrl":"http://127.0.0.1:1/v1","polluted":true}}}`,
    `{"models":{"__proto__":{"local":"pip"}}}`,
    `{"aliases":{"__proto__":"pip"}}`,
  ])("stay as they are, or are refused: %s", (json) => {
    let config;
    try {
      config = parseConfig(JSON.parse(json));
    } catch (error) {
      expect(String(error)).toMatch(/^ConfigError: .*__proto__/u);
      return;
    }
    expect({ ...config, port: config.port, limits: config.limits }).toEqual(parseConfig({}));
  });

  it.each([
    `{"providers":{"constructor":{"baseUrl":"http://127.0.0.1:1/v1"}}}`,
    `{"aliases":{"constructor":"pip","hasOwnProperty":"pip"}}`,
    `{"models":{"valueOf":{"local":"pip"}}}`,
  ])("are no models of a server, whatever its own are called: %s", async (json) => {
    const other = await openGatewayForFile(JSON.parse(json) as object);
    for (const name of ["toString", "__proto__", "isPrototypeOf/x", "__proto__/x"]) {
      expect((await fetch(`${other.url}/v1/models/${name}`)).status).toBe(404);
    }
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
    const { baseUrl } = gateway.upstreams["anthropic-messages"];
    const kept = await openGatewayForFile(
      { providers: { up: { baseUrl, dialect: "anthropic-messages" } } },
      environment,
    );
    const block = `{"type":"server_tool_use","id":"s","name":"t",${FIELDS}}`;
    const opaque = `data: {"type":"content_block_start","index":7,"content_block":${block}}\n\ndata: {"type":"content_block_stop","index":7}\n\n`;
    gateway.script("anthropic-messages", [
      start(),
      { raw: opaque },
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
    // A part that only its own provider understands is an object, and is kept as it is.
    expect(events).toContain(`"format":"anthropic-messages","value":${block}`);
    expect((await fetch(`${kept.url}/v1/generations/__proto__`)).status).toBe(404);
    await kept.close();
    if (environment.FULLSTOP_STORE === redis.url) await redis.stop();
  });
});
