import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationRequest } from "../../src/index.ts";
import {
  deepseek,
  groq,
  mistral,
  openai,
  openaiCompatible,
  openaiResponses,
  openrouter,
  together,
  xai,
} from "../../src/engines/index.ts";
import { REQUEST_FORMATS, WIRE_FORMATS, gemini } from "../../src/wire/index.ts";
import type { RequestFormat } from "../../src/wire/index.ts";
import { generationRequest } from "../support/requests.ts";

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
    input: [{ type: "message", role: "user", content: "Hi" }],
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

const CLIENTS = Object.keys(BODIES) as Client[];
const CHOICE = { allowed: ["read", "list"], mode: "required" } as const;

/** The dialects as those take them who have made them. */
const OWN: Readonly<Record<Client, RequestFormat>> = {
  "openai-chat": openai("k").format,
  "openai-responses": openaiResponses("k").format,
  gemini,
};

const PROXY = { baseUrl: "http://127.0.0.1/v1" };

function read(client: Client, body: object = BODIES[client]): GenerationRequest {
  const { request, warnings } = WIRE_FORMATS[client].decodeRequest(body, { model: "m" });
  expect(warnings).toEqual([]);
  return request;
}

/** The names in a body, of the tools that are sent. */
function sent(format: RequestFormat, request: GenerationRequest): readonly string[] {
  const { body } = format.encodeRequest({ ...request, maxOutputTokens: 1 });
  const tools = JSON.stringify(body["tools"] ?? []);
  return NAMES.filter((name) => tools.includes(`"${name}"`));
}

describe.each(CLIENTS)("a choice among some tools in %s", (client) => {
  it("is part of the request, which has all tools", () => {
    const { tools = [], toolChoice } = read(client);
    expect(tools.map(({ name }) => name)).toEqual(NAMES);
    expect(toolChoice).toEqual(CHOICE);
  });

  it.each(CLIENTS)("is written as %s has it, with all tools in their order", (other) => {
    const { body, warnings } = OWN[other].encodeRequest(read(client));
    const { tools: _, ...choice } = Object.fromEntries(
      Object.entries(BODIES[other]).filter(([name]) => name.startsWith("tool")),
    );
    expect(body).toMatchObject(choice);
    expect(sent(OWN[other], read(client))).toEqual(NAMES);
    expect(warnings).toEqual([]);
  });

  it("goes on as it stands where the dialect is spoken again", () => {
    expect(OWN[client].encodeRequest(read(client)).body).toMatchObject(BODIES[client]);
  });

  it.each([
    { what: "Anthropic", format: REQUEST_FORMATS["anthropic-messages"], choice: { tool_choice: { type: "any" } } },
    { what: "Ollama", format: REQUEST_FORMATS["ollama-chat"], choice: {} },
    ...[mistral, groq, xai, openrouter, deepseek, together].map((provider) => ({
      what: provider("k").id,
      format: provider("k").format,
      choice: { tool_choice: "required" },
    })),
    {
      what: "a server that speaks Chat Completions",
      format: openaiCompatible("http://127.0.0.1/v1").format,
      choice: { tool_choice: "required" },
    },
    ...[REQUEST_FORMATS["openai-chat"], REQUEST_FORMATS["openai-responses"]].map((format) => ({
      what: `whoever speaks ${format.name}`,
      format,
      choice: { tool_choice: "required" },
    })),
    ...[openai("k", PROXY), openaiResponses("k", PROXY)].map(({ format }) => ({
      what: `whoever stands in the place of OpenAI and speaks ${format.name}`,
      format,
      choice: { tool_choice: "required" },
    })),
  ])("is one among all tools that $what is sent", ({ format, choice }) => {
    expect(sent(format, read(client))).toEqual(CHOICE.allowed);
    const { body } = format.encodeRequest({ ...read(client), maxOutputTokens: 1 });
    expect(body).toMatchObject(choice);
    expect(JSON.stringify(body)).not.toContain("allowed");
  });

  it("gives way to another that is put in its place, also where the dialect is spoken again", () => {
    const { body } = OWN[client].encodeRequest({ ...read(client), toolChoice: "none" });
    expect(JSON.stringify(body)).not.toContain("allowed");
    const { toolChoice: _, ...free } = read(client);
    expect(JSON.stringify(OWN[client].encodeRequest(free).body)).not.toContain("allowed");
  });

  it("names tools that are not there with a warning, and where they cannot be named nothing can be called", () => {
    const request: GenerationRequest = { ...read(client), tools: [{ name: "write" }] };
    const own = OWN[client].encodeRequest(request);
    expect(JSON.stringify(own.body)).toContain('"list"');
    expect(own.warnings).toEqual([
      { field: "toolChoice.allowed[0]", message: "The request has no tool of this name." },
      { field: "toolChoice.allowed[1]", message: "The request has no tool of this name." },
    ]);
    const { body, warnings } = REQUEST_FORMATS["anthropic-messages"].encodeRequest({ ...request, maxOutputTokens: 1 });
    expect(Object.keys(body)).not.toContain("tools");
    expect(Object.keys(body)).not.toContain("tool_choice");
    expect(warnings.map(({ field }) => field)).toEqual([
      "toolChoice.allowed[0]",
      "toolChoice.allowed[1]",
      "toolChoice",
    ]);
  });

  it("is nothing without tools", () => {
    const { tools: _, ...bare } = BODIES[client];
    expect(Object.keys(OWN[client].encodeRequest(read(client, bare)).body)).not.toContain("tool_choice");
    expect(Object.keys(OWN[client].encodeRequest(read(client, bare)).body)).not.toContain("toolConfig");
  });
});

describe("a choice among some tools that leaves it to the model whether to call one", () => {
  const free: GenerationRequest = {
    model: "m",
    messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
    tools: NAMES.map((name) => ({ name })),
    toolChoice: { allowed: ["read"], mode: "auto" },
  };

  it("is one among all tools that Gemini is sent, which takes names only where it holds calls to something", () => {
    expect(sent(gemini, free)).toEqual(["read"]);
    expect(gemini.encodeRequest(free).body["toolConfig"]).toEqual({ functionCallingConfig: { mode: "AUTO" } });
    expect(sent(gemini, { ...free, toolChoice: { allowed: [], mode: "required" } })).toEqual([]);
  });

  it("stays one that holds calls to their schemas in Gemini, and is free in other dialects", () => {
    const toolConfig = { functionCallingConfig: { mode: "VALIDATED", allowedFunctionNames: ["read"] } };
    const request = read("gemini", { ...BODIES.gemini, tool_config: toolConfig, toolConfig: undefined });
    expect(request.toolChoice).toEqual({ allowed: ["read"], mode: "auto" });
    expect(gemini.encodeRequest(request)).toMatchObject({ body: { toolConfig }, warnings: [] });
    const { body, warnings } = OWN["openai-responses"].encodeRequest(request);
    expect(body["tool_choice"]).toMatchObject({ type: "allowed_tools", mode: "auto", tools: [{ name: "read" }] });
    expect(warnings.map(({ field }) => field)).toEqual(["toolConfig"]);
  });

  it("holds no calls to their schemas where there is nothing to call, and leaves what stands beside it", () => {
    const { tools: _, ...bare } = BODIES.gemini;
    const calling = { functionCallingConfig: { mode: "VALIDATED" } };
    const { body, warnings } = gemini.encodeRequest(read("gemini", { ...bare, toolConfig: calling }));
    expect(Object.keys(body)).toEqual(["contents"]);
    expect(warnings.map(({ field }) => field)).toEqual(["toolChoice"]);
    const toolConfig = { retrievalConfig: { languageCode: "en" } };
    const beside = read("gemini", { ...bare, toolConfig: { ...toolConfig, ...calling } });
    expect(gemini.encodeRequest(beside).body["toolConfig"]).toEqual(toolConfig);
  });

  it.each(CLIENTS)("is that none may be called where it names none, with all tools, in %s", (client) => {
    const { body, warnings } = OWN[client].encodeRequest({ ...free, toolChoice: { allowed: [], mode: "auto" } });
    expect(body["tool_choice"] ?? body["toolConfig"]).toEqual(
      client === "gemini" ? { functionCallingConfig: { mode: "NONE" } } : "none",
    );
    expect(sent(OWN[client], { ...free, toolChoice: { allowed: [], mode: "auto" } })).toEqual(NAMES);
    expect(warnings).toEqual([]);
  });

  it("is that none may be called where it names only tools that nobody else has", () => {
    const other = { type: "browser", browser: { name: "page" } };
    const { request, warnings } = WIRE_FORMATS["openai-chat"].decodeRequest(
      {
        ...BODIES["openai-chat"],
        tools: [...BODIES["openai-chat"].tools, other],
        tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [other] } },
      },
      { model: "m" },
    );
    expect(warnings.map(({ field }) => field)).toEqual(["tools[3]", "tool_choice.allowed_tools.tools[0]"]);
    expect(OWN["openai-chat"].encodeRequest(request).body["tool_choice"]).toBe("none");
  });
});

describe("a choice that allows no tool and wants one to be called", () => {
  it.each(CLIENTS)("is left out with a warning, and nothing can be called, in %s", (client) => {
    const { body, warnings } = OWN[client].encodeRequest({
      ...read(client),
      toolChoice: { allowed: [], mode: "required" },
    });
    expect(Object.keys(body).filter((name) => name.startsWith("tool"))).toEqual([]);
    expect(warnings.map(({ field }) => field)).toEqual(["toolChoice"]);
  });
});

it("never lets a tool be called that it does not allow, whoever is asked", () => {
  const formats = [...Object.values(REQUEST_FORMATS), ...Object.values(OWN)];
  fc.assert(
    fc.property(generationRequest, fc.constantFrom(...formats), (request, format) => {
      const { toolChoice } = request;
      if (typeof toolChoice !== "object" || !("allowed" in toolChoice)) return;
      const { body } = format.encodeRequest(request);
      const choice = JSON.stringify(body["tool_choice"] ?? body["toolConfig"]) ?? "";
      const isTold = Object.values(OWN).includes(format) && choice.includes("allowed");
      if (/none/iu.test(choice) || isTold) return;
      const tools = JSON.stringify(body["tools"] ?? []);
      for (const { name } of request.tools ?? []) {
        if (!toolChoice.allowed.includes(name)) expect(tools).not.toContain(`"name":"${name}"`);
      }
    }),
  );
});

describe("warnings of a tool that is sent without those before it", () => {
  it.each([
    { what: "anthropic-messages", format: REQUEST_FORMATS["anthropic-messages"], field: "tools[2].parameters" },
    { what: "gemini", format: REQUEST_FORMATS.gemini, field: "tools[2].strict" },
    { what: "ollama-chat", format: REQUEST_FORMATS["ollama-chat"], field: "tools[2].strict" },
  ])("say where it stands in the request, in $what", ({ format, field }) => {
    const { warnings } = format.encodeRequest({
      model: "m",
      maxOutputTokens: 1,
      messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
      tools: NAMES.map((name) => ({ name, strict: name === "list" })),
      toolChoice: { allowed: ["list"], mode: "auto" },
    });
    expect(warnings.map((warning) => warning.field)).toEqual([field]);
  });
});

describe("the tools of a choice in the shape of the other dialect of OpenAI's", () => {
  it("are read", () => {
    const flat = [{ type: "function", name: "read" }];
    const allowed = { type: "allowed_tools", allowed_tools: { mode: "auto", tools: flat } };
    expect(read("openai-chat", { ...BODIES["openai-chat"], tool_choice: allowed }).toolChoice).toEqual({
      allowed: ["read"],
      mode: "auto",
    });
    const nested = { type: "allowed_tools", mode: "auto", tools: [chatTool("read")] };
    expect(read("openai-responses", { ...BODIES["openai-responses"], tool_choice: nested }).toolChoice).toEqual({
      allowed: ["read"],
      mode: "auto",
    });
  });
});

describe("tools of the provider's own among those that are allowed in Responses", () => {
  const search = { type: "web_search" };
  const body = {
    ...BODIES["openai-responses"],
    tools: [...BODIES["openai-responses"].tools, search],
    tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "read" }, search] },
  };

  it("stay allowed there, and allow nothing else elsewhere", () => {
    const request = read("openai-responses", body);
    expect(OWN["openai-responses"].encodeRequest(request)).toMatchObject({ body, warnings: [] });
    expect(OWN["openai-responses"].encodeRequest({ ...request, toolChoice: "none" }).body["tool_choice"]).toBe("none");
    expect(sent(REQUEST_FORMATS["anthropic-messages"], request)).toEqual(["read"]);
  });

  it("are left out with a warning where there is no such tool", () => {
    const { tools } = BODIES["openai-responses"];
    const { request, warnings } = WIRE_FORMATS["openai-responses"].decodeRequest({ ...body, tools }, { model: "m" });
    expect(request.toolChoice).toEqual({ allowed: ["read"], mode: "auto" });
    expect(warnings.map(({ field }) => field)).toEqual(["tool_choice.tools[1]"]);
  });

  it("are the only ones of its own that whoever else speaks the dialect is sent", () => {
    const interpreter = { type: "code_interpreter", container: { type: "auto" } };
    const request = read("openai-responses", { ...body, tools: [interpreter, ...body.tools] });
    expect(REQUEST_FORMATS["openai-responses"].encodeRequest(request)).toMatchObject({
      body: { tools: [responsesTool("read"), search], tool_choice: "auto" },
      warnings: [],
    });
    const onlyOwn = { ...body, tool_choice: { type: "allowed_tools", mode: "required", tools: [search] } };
    expect(REQUEST_FORMATS["openai-responses"].encodeRequest(read("openai-responses", onlyOwn)).body).toMatchObject({
      tools: [search],
      tool_choice: "required",
    });
    expect(OWN["openai-responses"].encodeRequest(read("openai-responses", onlyOwn)).body).toMatchObject(onlyOwn);
  });

  it("are not sent to others where only a part of one is allowed", () => {
    const server = { type: "mcp", server_label: "s", server_url: "https://example.com", require_approval: "never" };
    const part = { type: "mcp", server_label: "s", name: "look" };
    const request = read("openai-responses", {
      ...body,
      tools: [...body.tools, server],
      tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "read" }, part] },
    });
    const { body: written, warnings } = REQUEST_FORMATS["openai-responses"].encodeRequest(request);
    expect(written).toMatchObject({ tools: [responsesTool("read")], tool_choice: "auto" });
    expect(warnings.map(({ field }) => field)).toEqual(["tool_choice"]);
  });
});

it("holds for functions under their old name as well", () => {
  const { tools: _, ...bare } = BODIES["openai-chat"];
  const request = read("openai-chat", { ...bare, functions: NAMES.map((name) => ({ name })) });
  expect(request).toMatchObject({ tools: NAMES.map((name) => ({ name })), toolChoice: CHOICE });
});

it("is refused without a list, which could mean all of them or none", () => {
  const body = { ...BODIES["openai-responses"], tool_choice: { type: "allowed_tools", mode: "auto" } };
  expect(() => read("openai-responses", body)).toThrow("tool_choice.tools must be a list");
});
