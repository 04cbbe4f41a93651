import { describe, expect, it } from "vitest";
import type { GenerationRequest } from "../../src/index.ts";
import { REQUEST_FORMATS } from "../../src/wire/index.ts";
import { DIALECTS } from "../support/requests.ts";
import type { DialectName } from "../support/requests.ts";

const NAMES = ["read", "write", "list"];
const chatTool = (name: string): object => ({ type: "function", function: { name } });
const responsesTool = (name: string): object => ({ type: "function", name, parameters: null, strict: false });

/** Requests in which only `read` and `list` may be called. */
const BODIES = {
  "openai-chat": {
    messages: [{ role: "user", content: "Hi" }],
    tools: NAMES.map(chatTool),
    tool_choice: {
      type: "allowed_tools",
      allowed_tools: { mode: "required", tools: [chatTool("read"), chatTool("list")] },
    },
  },
  "openai-responses": {
    input: "Hi",
    tools: NAMES.map(responsesTool),
    tool_choice: {
      type: "allowed_tools",
      mode: "required",
      tools: [
        { type: "function", name: "read" },
        { type: "function", name: "list" },
      ],
    },
  },
  gemini: {
    contents: [{ role: "user", parts: [{ text: "Hi" }] }],
    tools: [{ functionDeclarations: NAMES.map((name) => ({ name })) }],
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["read", "list"] } },
  },
} as const;

type Client = keyof typeof BODIES;

function read(client: Client, body: object = BODIES[client]): GenerationRequest {
  const dialect = DIALECTS.find(({ name }) => name === client)!;
  const { request, warnings } = dialect.decode(body, { model: "m" });
  expect(warnings).toEqual([]);
  return request;
}

describe.each(Object.keys(BODIES) as Client[])("tools that %s does not allow to be called", (client) => {
  it("are no tools of the request", () => {
    expect(read(client)).toMatchObject({ tools: [{ name: "read" }, { name: "list" }], toolChoice: "required" });
  });

  it.each(Object.values(REQUEST_FORMATS).filter(({ name }) => name !== client))("are not sent in $name", (format) => {
    const written = JSON.stringify(format.encodeRequest({ ...read(client), maxOutputTokens: 1 }).body);
    expect(written).toContain('"read"');
    expect(written).toContain('"list"');
    expect(written).not.toContain('"write"');
    expect(written).not.toContain("allowed");
  });
});

describe.each(["openai-chat", "openai-responses"] as const)("a choice among some tools in %s", (client) => {
  const { encode } = DIALECTS.find(({ name }) => name === (client satisfies DialectName))!;

  it("goes on as it stands where the dialect is spoken again, with all tools in their order", () => {
    const { body, warnings } = encode(read(client));
    expect(body).toMatchObject({ tools: BODIES[client].tools, tool_choice: BODIES[client].tool_choice });
    expect(warnings).toEqual([]);
  });

  it("is one of none where none of them is there, and nothing without tools", () => {
    const { tools, ...bare } = BODIES[client];
    const request = read(client, { ...bare, tools: [tools[1]] });
    expect(request.tools).toBeUndefined();
    expect(encode(request).body).toMatchObject({ tools: [tools[1]], tool_choice: bare.tool_choice });
    expect(Object.keys(encode(read(client, bare)).body)).not.toContain("tool_choice");
  });
});

it("holds for functions under their old name as well", () => {
  const { tools: _, ...bare } = BODIES["openai-chat"];
  const functions = NAMES.map((name) => ({ name }));
  expect(read("openai-chat", { ...bare, functions }).tools).toEqual([{ name: "read" }, { name: "list" }]);
});

it("is refused without a list, which could mean all of them or none", () => {
  const body = { ...BODIES["openai-responses"], tool_choice: { type: "allowed_tools", mode: "auto" } };
  expect(() => read("openai-responses", body)).toThrow("tool_choice.tools must be a list");
});
