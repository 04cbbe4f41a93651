import { request as httpRequest } from "node:http";
import { describe, expect, it } from "vitest";
import { CLIENTS } from "../support/clients.ts";
import { DIALECTS } from "../support/dialects.ts";
import type { Dialect } from "../support/dialects.ts";
import { errorOf } from "../support/errors.ts";
import { get, openGatewayForFile, post } from "../support/gateway.ts";

const gateway = await openGatewayForFile();

const PATHS: Readonly<Record<Dialect, string>> = {
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  "anthropic-messages": "/v1/messages",
  gemini: "/v1beta/models/pip:generateContent",
};

/** The smallest request of each dialect. */
const BODIES: Readonly<Record<Dialect, Readonly<Record<string, unknown>>>> = {
  "openai-chat": { model: "pip", messages: [{ role: "user", content: "Hi" }] },
  "openai-responses": { model: "pip", input: "Hi" },
  "anthropic-messages": { model: "pip", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] },
  gemini: { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
};

/** What an error of the client's own making looks like. */
const SHAPES: Readonly<Record<Dialect, object>> = {
  "openai-chat": { error: { type: "invalid_request_error", param: null, code: "invalid_request" } },
  "openai-responses": { error: { type: "invalid_request_error", param: null, code: "invalid_request" } },
  "anthropic-messages": { type: "error", error: { type: "invalid_request_error" } },
  gemini: { error: { status: "INVALID_ARGUMENT" } },
};

const NOT_FOUND: Readonly<Record<Dialect, object>> = {
  "openai-chat": { error: { type: "not_found_error", code: "not_found" } },
  "openai-responses": { error: { type: "not_found_error", code: "not_found" } },
  "anthropic-messages": { type: "error", error: { type: "not_found_error" } },
  gemini: { error: { code: 404, status: "NOT_FOUND" } },
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

describe.each(DIALECTS)("a bad request in the dialect %s", (dialect) => {
  const url = `${gateway.url}${PATHS[dialect]}`;
  const send = (more: object) => post(url, { ...BODIES[dialect], ...more });

  it.each([
    ["no stop string", stopped(dialect, [""]), /stop/iu],
    ["stop strings that are none", stopped(dialect, [7]), /stop/iu],
    ["a negative limit", limited(dialect, -1), /must be .*-1/u],
    ["a limit that is none", limited(dialect, "many"), /must be .*many/u],
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

  it.each(['{"model":', "hello", "[]", "7", "null", ""])("is refused when its body is %j", async (text) => {
    const { status, body } = await post(url, text);
    expect(status).toBe(400);
    expect(body).toMatchObject(SHAPES[dialect]);
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
    const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
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
    expect(JSON.parse(text)).toMatchObject(SHAPES[dialect]);
  });

  it("is refused at an address that is none", async () => {
    const { status, body } = await post(`${url}/nothing`, BODIES[dialect]);
    expect(status).toBe(404);
    expect(body).toMatchObject(NOT_FOUND[dialect]);
  });

  it("starts nothing", () => {
    expect(gateway.house.registry.live()).toEqual([]);
  });
});

describe("a request in the dialect gemini", () => {
  it.each(["countTokens", "embedContent", "generatecontent", ""])("for :%s starts nothing", async (method) => {
    const { status, body } = await post(`${gateway.url}/v1beta/models/pip:${method}`, BODIES.gemini);
    expect(status).toBe(404);
    expect(body).toMatchObject(NOT_FOUND.gemini);
  });
});

describe("the list of models", () => {
  it.each([
    { path: "/v1/models", expected: { object: "list", data: [{ id: "pip", object: "model", owned_by: "local" }] } },
    { path: "/v1beta/models", expected: { models: [{ name: "models/pip" }] } },
  ])("is at $path", async ({ path, expected }) => {
    expect(await get(`${gateway.url}${path}`)).toMatchObject({ status: 200, body: expected });
  });
});
