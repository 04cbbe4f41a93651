import { request as httpRequest } from "node:http";
import { describe, expect, it } from "vitest";
import { CLIENTS } from "../support/clients.ts";
import { DIALECTS } from "../support/dialects.ts";
import type { Dialect } from "../support/dialects.ts";
import { errorOf } from "../support/errors.ts";
import { finish, start, text } from "fullstop/testing";
import { get, hashOf, post } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";
import type { ScriptedGateway } from "../support/scripted.ts";

/** A provider that would answer, so that a request which is let through by mistake is seen. */
const MODEL = "openai-chat/some-model";
const gateway = await openScripted();
const guarded = await openScripted({ keys: [{ name: "alice", sha256: hashOf("key-of-alice") }] });
for (const each of [gateway, guarded]) each.script("openai-chat", [start(), text("Hello"), finish()]);

/** What runs, and what the providers were asked. */
function startedBy({ house, upstreams }: ScriptedGateway): readonly unknown[] {
  return [...house.generations.live(), ...Object.values(upstreams).flatMap(({ requests }) => requests)];
}

const PATHS: Readonly<Record<Dialect, string>> = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  "anthropic-messages": "/v1/messages",
  gemini: `/v1beta/models/${MODEL}:generateContent`,
};

/** The smallest request of each dialect. */
const BODIES: Readonly<Record<Dialect, Readonly<Record<string, unknown>>>> = {
  "openai-chat": { model: MODEL, messages: [{ role: "user", content: "Hi" }] },
  "openai-responses": { model: MODEL, input: "Hi" },
  "anthropic-messages": { model: MODEL, max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
  gemini: { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
};

/** What an error of the client's own making looks like. */
const SHAPES: Readonly<Record<Dialect, object>> = {
  "openai-chat": { error: { type: "invalid_request_error", code: "invalid_request" } },
  "openai-responses": { error: { type: "invalid_request_error", code: "invalid_request" } },
  "anthropic-messages": { type: "error", error: { type: "invalid_request_error" } },
  gemini: { error: { status: "INVALID_ARGUMENT" } },
};

const NOT_FOUND: Readonly<Record<Dialect, object>> = {
  "openai-chat": { error: { type: "invalid_request_error", code: "not_found" } },
  "openai-responses": { error: { type: "invalid_request_error", code: "not_found" } },
  "anthropic-messages": { type: "error", error: { type: "not_found_error" } },
  gemini: { error: { code: 404, status: "NOT_FOUND" } },
};

const UNKNOWN_KEY: Readonly<Record<Dialect, object>> = {
  "openai-chat": { error: { type: "invalid_request_error", code: "invalid_api_key" } },
  "openai-responses": { error: { type: "invalid_request_error", code: "invalid_api_key" } },
  "anthropic-messages": { type: "error", error: { type: "authentication_error" } },
  gemini: { error: { code: 401, status: "UNAUTHENTICATED" } },
};

/** Values of the wrong type, where each dialect has the field. */
const WRONG_TYPES: Readonly<Record<Dialect, readonly object[]>> = {
  "openai-chat": [
    { model: 7 },
    { model: "" },
    { model: null },
    { messages: ["Hi"] },
    { messages: [{ role: "user", content: 7 }] },
    { messages: [{ role: "wizard", content: "Hi" }] },
    { temperature: "warm" },
    { stream: "yes" },
    { stream_options: 7 },
    { tools: 7 },
    { tools: [{ type: "function", function: { name: 7 } }] },
    { tool_choice: 7 },
    { stop: 7 },
    { reasoning_effort: 7 },
    { response_format: 7 },
  ],
  "openai-responses": [
    { model: 7 },
    { model: "" },
    { model: null },
    { input: [7] },
    { input: [{ role: "user", content: 7 }] },
    { input: [{ role: "wizard", content: "Hi" }] },
    { temperature: "warm" },
    { stream: "yes" },
    { tools: 7 },
    { tools: [{ type: "function", name: 7 }] },
    { tool_choice: 7 },
    { reasoning: 7 },
    { text: 7 },
    { previous_response_id: "resp_1" },
  ],
  "anthropic-messages": [
    { model: 7 },
    { model: "" },
    { model: null },
    { max_tokens: undefined },
    { messages: ["Hi"] },
    { messages: [{ role: "user", content: 7 }] },
    { messages: [{ role: "wizard", content: "Hi" }] },
    { system: 7 },
    { temperature: "warm" },
    { stream: "yes" },
    { tools: 7 },
    { tools: [{ name: 7, input_schema: {} }] },
    { tool_choice: 7 },
    { thinking: 7 },
    { thinking: { type: "enabled", budget_tokens: -1 } },
    { thread: { type: "continue", previous_message_id: "msg_1" } },
  ],
  gemini: [
    { contents: ["Hi", 7] },
    { contents: [{ role: "user", parts: 7 }] },
    { contents: [{ role: "wizard", parts: [{ text: "Hi" }] }] },
    { systemInstruction: 7 },
    { generationConfig: 7 },
    { generationConfig: { temperature: "warm" } },
    { generationConfig: { thinkingConfig: 7 } },
    { tools: 7 },
    { tools: [{ functionDeclarations: [{ name: 7 }] }] },
    { toolConfig: 7 },
    { cachedContent: "cachedContents/1" },
  ],
};

/** The limit on tokens, where each dialect has it. */
const limited = (dialect: Dialect, limit: unknown): object =>
  ({
    "openai-chat": { max_completion_tokens: limit },
    "openai-responses": { max_output_tokens: limit },
    "anthropic-messages": { max_tokens: limit },
    gemini: { generationConfig: { maxOutputTokens: limit } },
  })[dialect];

/** Stop strings, where each dialect has them. */
const stopped = (dialect: Dialect, stop: unknown): object =>
  ({
    "openai-chat": { stop },
    "openai-responses": { fullstop: { stop } },
    "anthropic-messages": { stop_sequences: stop },
    gemini: { generationConfig: { stopSequences: stop } },
  })[dialect];

function conversation(dialect: Dialect, messages: unknown): object {
  if (dialect === "gemini") return { contents: messages };
  return dialect === "openai-responses" ? { input: messages } : { messages };
}

/** Stands for a list in a list in a list, deeper than JSON can be written. */
const DEEP = "{{deep}}";

const writeDeep = (value: unknown): string =>
  JSON.stringify(value).replace(JSON.stringify(DEEP), "[".repeat(100_000) + "]".repeat(100_000));

/** How the next token is to be chosen, where each dialect has it. */
const sampled = (dialect: Dialect, temperature: unknown, topP: unknown): object =>
  dialect === "gemini" ? { generationConfig: { temperature, topP } } : { temperature, top_p: topP };

/** A tool whose parameters are nested so deeply. */
function toolOf(dialect: Dialect, depth: number): object {
  let parameters: object = {};
  for (let level = 0; level < depth; level += 1) parameters = { a: parameters };
  return {
    "openai-chat": { tools: [{ type: "function", function: { name: "f", parameters } }] },
    "openai-responses": { tools: [{ type: "function", name: "f", parameters }] },
    "anthropic-messages": { tools: [{ name: "f", input_schema: parameters }] },
    gemini: { tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: parameters }] }] },
  }[dialect];
}

describe.each(DIALECTS)("a bad request in the dialect %s", (dialect) => {
  const url = `${gateway.url}${PATHS[dialect]}`;
  const send = (more: object) => post(url, { ...BODIES[dialect], ...more });

  it.each([
    ["no stop string", stopped(dialect, [""]), /stop/iu],
    ["stop strings that are none", stopped(dialect, [7]), /stop/iu],
    ["a negative limit", limited(dialect, -1), /must be .*-1/u],
    ["a limit that is none", limited(dialect, "many"), /must be .*many/u],
    ["a negative temperature", sampled(dialect, -1, undefined), /temperature must be .*-1/u],
    ["a share above one", sampled(dialect, undefined, 1.5), /top_?p must be .*1\.5/iu],
    ["a negative share", sampled(dialect, undefined, -0.1), /top_?p must be .*-0\.1/iu],
    ["a schema without a bottom", toolOf(dialect, 4000), /at most 500 levels/u],
    ["no messages", conversation(dialect, []), /must not be empty/u],
    ["messages that are none", conversation(dialect, 7), /must be/u],
    ["a rule that is unknown", { fullstop: { sotp: ["x"] } }, /fullstop has no field "sotp"/u],
    ["settings that are none", { fullstop: "stop" }, /fullstop must be an object, got "stop"/u],
    ["a negative budget", { fullstop: { maxMilliseconds: -1 } }, /fullstop: .*maxMilliseconds.*-1/u],
    ["an unknown wish for disconnects", { fullstop: { onDisconnect: "run" } }, /onDisconnect .*"run"/u],
  ])("is refused with the field's name: %s", async (_, more, message) => {
    const { status, body } = await send(more);
    expect(status).toBe(400);
    expect(body).toMatchObject(SHAPES[dialect]);
    expect((body as { error: { message: string } }).error.message).toMatch(message);
  });

  it.each(WRONG_TYPES[dialect])("is refused when a value is of the wrong type: %j", async (more) => {
    const { status, body } = await send(more);
    expect(status).toBe(400);
    expect(body).toMatchObject(SHAPES[dialect]);
    const [field] = Object.keys(more);
    expect((body as { error: { message: string } }).error.message).toContain(field);
  });

  it.each(['{"model":', "hello", "[]", "7", "null", ""])("is refused when its body is %j", async (sent) => {
    const { status, body } = await post(url, sent);
    expect(status).toBe(400);
    expect(body).toMatchObject(SHAPES[dialect]);
  });

  it("is refused when its letters are not UTF-8, which would be replaced otherwise", async () => {
    const bytes = Buffer.from(JSON.stringify({ ...BODIES[dialect], user: "Jörg" }), "latin1");
    const response = await fetch(url, { method: "POST", body: new Uint8Array(bytes) });
    expect(response.status).toBe(400);
    const body = (await response.json()) as { error: { message: string } };
    expect(body).toMatchObject(SHAPES[dialect]);
    expect(body.error.message).toContain("not UTF-8");
  });

  it.each([true, false])("is told of a model that is not there, by its client, stream: %s", async (stream) => {
    const error = await errorOf(CLIENTS[dialect](gateway.url)({ model: "gpt-nothing", stream }));
    expect(error).toMatchObject({ isOfficial: true, status: 404 });
    expect(error.message).toContain("gpt-nothing");
    expect(error.message).toContain("pip");
  });

  it.each([
    ["deep settings", { fullstop: DEEP }],
    ["a deep rule", { fullstop: { repetition: DEEP } }],
    ["a deep wish for disconnects", { fullstop: { onDisconnect: DEEP } }],
    ["deep messages", conversation(dialect, DEEP)],
    ["a field with a long name", { fullstop: { ["x".repeat(1_000_000)]: 1 } }],
  ])("is refused without quoting all of it: %s", async (_, more) => {
    const fields = Object.entries({ ...BODIES[dialect], ...more }).map(
      ([name, value]) => `"${name}":${writeDeep(value)}`,
    );
    const { status, body } = await post(url, `{${fields.join(",")}}`);
    expect(status).toBe(400);
    expect(JSON.stringify(body).length).toBeLessThan(2000);
  });

  it("is refused when it is larger than any conversation", async () => {
    // Only the head is sent: what it announces is enough.
    const { status, text: answer } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const request = httpRequest(
        url,
        { method: "POST", headers: { "content-length": String(2 ** 30) } },
        (response) => {
          let body = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => (body += chunk));
          response.on("end", () => {
            request.destroy();
            resolve({ status: response.statusCode ?? 0, text: body });
          });
        },
      );
      request.on("error", reject);
      request.flushHeaders();
    });
    expect(status).toBe(413);
    const isMessages = dialect === "anthropic-messages";
    expect(JSON.parse(answer)).toMatchObject(isMessages ? { error: { type: "request_too_large" } } : SHAPES[dialect]);
  });

  it.each(["/nothing/at/all", "/count/tokens", "//"])("is refused at an address that is none: %s", async (end) => {
    const { status, body } = await post(`${url}${end}`, BODIES[dialect]);
    expect(status).toBe(404);
    expect(body).toMatchObject(NOT_FOUND[dialect]);
  });

  it.each(["PUT", "PATCH", "DELETE"])("is refused by the method %s, with those that are taken", async (method) => {
    const response = await fetch(url, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toContain("POST");
    const body = (await response.json()) as { error: { message: string } };
    expect(body).toMatchObject(SHAPES[dialect]);
    expect(body.error.message).toContain(`not ${method}`);
  });

  it.each([{}, { authorization: "Bearer wrong" }, { "x-api-key": "wrong" }, { "x-goog-api-key": "wrong" }])(
    "is refused with a key that is wrong: %j",
    async (headers) => {
      const { status, body } = await post(`${guarded.url}${PATHS[dialect]}`, BODIES[dialect], headers);
      expect(status).toBe(401);
      expect(body).toMatchObject(UNKNOWN_KEY[dialect]);
    },
  );

  const forLocal: readonly (readonly [string, object])[] = [
    ["a negative temperature", sampled(dialect, -1, undefined)],
    ["a schema without a bottom", toolOf(dialect, 4000)],
  ];
  const inChat: typeof forLocal = [
    ["a tool that is not there", { tool_choice: { type: "function", function: { name: "g" } } }],
    ["a call without tools", { tool_choice: "required" }],
    [
      "a choice among tools that are not there",
      {
        tools: [{ type: "function", function: { name: "f" } }],
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "g" } }] },
        },
      },
    ],
    ["a seed that is none", { seed: -1.5 }],
    ["a negative rank", { top_k: -1 }],
  ];

  it.each([...forLocal, ...(dialect === "openai-chat" ? inChat : [])])(
    "is refused for a local model before it begins: %s",
    async (_, more) => {
      const local = `${gateway.url}${PATHS[dialect].replace(MODEL, "pip")}`;
      const model = dialect === "gemini" ? {} : { model: "pip" };
      const response = await fetch(local, {
        method: "POST",
        body: JSON.stringify({ ...BODIES[dialect], ...model, ...more }),
      });
      expect(response.status).toBe(400);
      expect(response.headers.get("x-fullstop-generation-id")).toBeNull();
      expect(await response.json()).toMatchObject(SHAPES[dialect]);
      expect(await gateway.house.generations.store.ended()).toEqual([]);
    },
  );

  it("starts nothing", () => {
    expect([gateway, guarded].flatMap(startedBy)).toEqual([]);
  });
});

describe("an error in OpenAI's dialects", () => {
  it.each([
    [{ model: "gpt-nothing" }, 404, { type: "invalid_request_error", code: "model_not_found", param: "model" }],
    [{ stop: [""] }, 400, { param: expect.stringContaining("stop") as string }],
    [{ fullstop: { sotp: 1 } }, 400, { param: "fullstop" }],
    [{ temperature: -1 }, 400, { type: "invalid_request_error", param: "temperature" }],
    [{ messages: [{ role: "wizard", content: "Hi" }] }, 400, { param: "messages[0].role" }],
  ])("names the field and the mistake: %j", async (more, status, error) => {
    const url = `${gateway.url}${PATHS["openai-chat"]}`;
    expect(await post(url, { ...BODIES["openai-chat"], ...more })).toMatchObject({ status, body: { error } });
  });
});

describe("a request in the dialect gemini", () => {
  it.each(["embedContent", "generatecontent", "countTokens:", ""])("for :%s starts nothing", async (method) => {
    const { status, body } = await post(`${gateway.url}/v1beta/models/pip:${method}`, BODIES.gemini);
    expect(status).toBe(404);
    expect(body).toMatchObject(NOT_FOUND.gemini);
  });
});

describe("an address with one method", () => {
  it.each([
    { path: "/v1/chat/completions", method: "GET", allowed: "POST" },
    { path: "/v1/messages", method: "GET", allowed: "POST" },
    { path: "/v1/messages/count_tokens", method: "GET", allowed: "POST" },
    { path: "/v1/responses/any", method: "POST", allowed: "DELETE, GET, HEAD" },
    { path: "/v1/models", method: "POST", allowed: "GET, HEAD" },
    { path: "/v1/generations/any/stop", method: "GET", allowed: "POST" },
    { path: "/healthz?x=1", method: "DELETE", allowed: "GET, HEAD" },
  ])("says which: $method $path", async ({ path, method, allowed }) => {
    const response = await fetch(`${gateway.url}${path}`, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe(allowed);
  });

  it.each(["/v1", "/v1/nothing", "/v2/chat/completions", "/v1/generations/any/stop/now"])(
    "is not %s, at which there is nothing",
    async (path) => {
      expect((await get(`${gateway.url}${path}`)).status).toBe(404);
    },
  );
});

describe("the list of models", () => {
  it.each([
    { path: "/v1/models", expected: { object: "list", data: [{ id: "pip", object: "model", owned_by: "local" }] } },
    { path: "/v1beta/models", expected: { models: [{ name: "models/pip" }] } },
  ])("is at $path", async ({ path, expected }) => {
    expect(await get(`${gateway.url}${path}`)).toMatchObject({ status: 200, body: expected });
  });
});
