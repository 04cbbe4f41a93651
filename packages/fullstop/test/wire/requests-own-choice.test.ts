import { describe, expect, it } from "vitest";
import type { GenerationRequest, ToolChoice } from "../../src/index.ts";
import { REQUEST_FORMATS, WIRE_FORMATS, defineOpenaiResponses } from "../../src/wire/index.ts";
import { overTheWire } from "../support/requests.ts";

/** OpenAI's own, which is told a choice among some tools; everybody else is sent only those that may be called. */
const told = defineOpenaiResponses({ allowedTools: true });
const others = REQUEST_FORMATS["openai-responses"];

const functionTool = (name: string): object => ({ type: "function", name, parameters: null, strict: false });
const named = (name: string): object => ({ type: "function", name });
const search = { type: "web_search" };
const server = { type: "mcp", server_label: "s", server_url: "https://example.com", require_approval: "never" };
const tools = [functionTool("read"), functionTool("write"), search, server];

function read(choice: unknown, more: readonly object[] = tools): GenerationRequest {
  const body = { model: "m", input: "Hi", tools: more, tool_choice: choice };
  const { request, warnings } = WIRE_FORMATS["openai-responses"].decodeRequest(body);
  expect(warnings).toEqual([]);
  return request;
}

/** Choices of which a part, or all, is a tool of the provider's own. */
const CHOICES: readonly object[] = [
  { type: "allowed_tools", mode: "auto", tools: [named("read"), search] },
  { type: "allowed_tools", mode: "required", tools: [search, named("read"), { type: "mcp", server_label: "s" }] },
  { type: "allowed_tools", mode: "required", tools: [{ type: "mcp", server_label: "s", name: "look" }] },
  { type: "mcp", server_label: "s", name: "look" },
  search,
];

describe.each(CHOICES)("a choice of tools of the provider's own: %j", (choice) => {
  it("goes back as it came, in its order, also once the request was kept as JSON", () => {
    const request = read(choice);
    expect(told.encodeRequest(request)).toMatchObject({ body: { tool_choice: choice, tools }, warnings: [] });
    const kept = overTheWire(request) as GenerationRequest;
    expect(told.encodeRequest(kept).body).toEqual(told.encodeRequest(request).body);
  });

  it.each<{ toolChoice: ToolChoice; written: unknown }>([
    { toolChoice: "auto", written: "auto" },
    { toolChoice: "none", written: "none" },
    { toolChoice: "required", written: "required" },
    { toolChoice: { name: "write" }, written: named("write") },
    {
      toolChoice: { allowed: ["write"], mode: "required" },
      written: { type: "allowed_tools", mode: "required", tools: [named("write")] },
    },
    {
      toolChoice: { allowed: ["write", "read"], mode: "auto" },
      written: { type: "allowed_tools", mode: "auto", tools: [named("write"), named("read")] },
    },
    { toolChoice: { allowed: [], mode: "auto" }, written: "none" },
  ])("gives way as a whole to what a program puts in its place: $toolChoice", ({ toolChoice, written }) => {
    expect(told.encodeRequest({ ...read(choice), toolChoice }).body["tool_choice"]).toEqual(written);
  });

  it("leaves those who are not told of it no tool that a program's own choice does not allow", () => {
    const request: GenerationRequest = { ...read(choice), toolChoice: { allowed: ["write"], mode: "auto" } };
    expect(others.encodeRequest(request).body).toMatchObject({ tools: [functionTool("write")], tool_choice: "auto" });
  });
});

describe("a choice among some tools, of which some are the provider's own", () => {
  const choice = { type: "allowed_tools", mode: "auto", tools: [named("read"), search] };

  it("is none where a program has taken it away", () => {
    const { toolChoice: _, ...free } = read(choice);
    expect(told.encodeRequest(free).body).not.toHaveProperty("tool_choice");
  });

  it("is one among the functions where a program has taken the provider's own tools away", () => {
    const { native: _, ...rest } = read(choice);
    const bare: GenerationRequest = {
      ...rest,
      native: { format: "openai-responses", fields: { tool_choice: choice } },
    };
    const { body } = told.encodeRequest(bare);
    expect(body["tool_choice"]).toEqual({ ...choice, tools: [named("read")] });
  });
});

describe("a tool of the provider's own that a choice spells otherwise than the list of tools", () => {
  const spellings: readonly (readonly [declared: string, chosen: string])[] = [
    ["web_search", "web_search_preview"],
    ["web_search", "web_search_preview_2025_03_11"],
    ["web_search_2025_08_26", "web_search"],
    ["web_search_preview", "web_search_2025_08_26"],
    ["web_search_20250305", "web_search_20260209"],
    ["web_search_20250305", "web_search"],
  ];

  it.each(spellings)("is chosen as it came: %s as %s", (type, chosen) => {
    const own = { type, max_uses: 1 };
    const some = { type: "allowed_tools", mode: "auto", tools: [{ type: chosen }, named("read")] };
    for (const choice of [{ type: chosen }, some]) {
      const request = read(choice, [functionTool("read"), functionTool("write"), own]);
      expect(told.encodeRequest(request)).toMatchObject({ body: { tool_choice: choice }, warnings: [] });
    }
    const request = read(some, [functionTool("read"), functionTool("write"), own]);
    const written = others.encodeRequest(request);
    expect(written).toMatchObject({ body: { tools: [functionTool("read"), own], tool_choice: "auto" }, warnings: [] });
  });

  it.each(spellings)("lets no other tool be called in another dialect: %s as %s", (type, chosen) => {
    const choice = { type: "allowed_tools", mode: "required", tools: [{ type: chosen }] };
    const request = read(choice, [functionTool("read"), { type }]);
    for (const name of ["openai-chat", "anthropic-messages", "gemini", "ollama-chat"] as const) {
      const { body } = REQUEST_FORMATS[name].encodeRequest({ ...request, maxOutputTokens: 1 });
      expect([name, JSON.stringify(body).includes("read")]).toEqual([name, false]);
    }
  });

  it("is the one in the same spelling where there is one, and none that is certain where there are several others", () => {
    const previews = [{ type: "web_search_preview" }, { type: "web_search_2025_08_26" }];
    const choice = { type: "allowed_tools", mode: "auto", tools: [search] };
    expect(others.encodeRequest(read(choice, [...previews, search])).body["tools"]).toEqual([search]);
    const { body, warnings } = others.encodeRequest(read(choice, [...previews, functionTool("read")]));
    expect(body).toMatchObject({ tools: [functionTool("read")], tool_choice: "none" });
    expect(warnings.map(({ field }) => field)).toEqual(["tool_choice"]);
    expect(told.encodeRequest(read(choice, previews)).body["tool_choice"]).toEqual(choice);
  });

  it.each(["web_search", "web_search_preview"])(
    "is chosen by %s also where a client writes what is absent as null",
    (type) => {
      const choice = { type: "allowed_tools", mode: "auto", tools: [{ type, server_label: null, name: null }] };
      expect(others.encodeRequest(read(choice, [search])).body["tools"]).toEqual([search]);
      expect(told.encodeRequest(read(choice, [search])).body["tool_choice"]).toEqual(choice);
    },
  );

  it("is the one of that name where every tool has one, as Anthropic's do", () => {
    const own = { type: "web_search_20250305", name: "web_search" };
    const choice = { type: "allowed_tools", mode: "auto", tools: [{ type: "web_search_20260209" }] };
    expect(others.encodeRequest(read(choice, [own])).body["tools"]).toEqual([own]);
  });
});

describe("a choice that is of no tool of the provider's own", () => {
  it.each([
    { what: "a function", type: "function_preview", choice: named("read"), toolChoice: { name: "read" } },
    {
      what: "one among some tools",
      type: "allowed_tools",
      choice: { type: "allowed_tools", mode: "auto", tools: [named("read")] },
      toolChoice: { allowed: ["read"], mode: "auto" },
    },
  ])("stays $what, whatever the provider's own tools are called", ({ type, choice, toolChoice }) => {
    expect(read(choice, [...tools, { type }]).toolChoice).toEqual(toolChoice);
  });

  it("is left out with a warning, also where it is of another server than there is", () => {
    const choice = { type: "allowed_tools", mode: "auto", tools: [named("read"), { type: "mcp", server_label: "t" }] };
    const body = { model: "m", input: "Hi", tools, tool_choice: choice };
    const { request, warnings } = WIRE_FORMATS["openai-responses"].decodeRequest(body);
    expect(warnings.map(({ field }) => field)).toEqual(["tool_choice.tools[1]"]);
    expect(told.encodeRequest(request).body["tool_choice"]).toEqual({ ...choice, tools: [named("read")] });
  });
});

describe("a choice of the one tool that has to be called, which only its own provider has", () => {
  const anthropicSearch = { type: "web_search_20250305", name: "web_search" };
  const CHOSEN = [
    { name: "openai-responses", body: { input: "Hi", tools: [functionTool("read"), search], tool_choice: search } },
    {
      name: "anthropic-messages",
      body: {
        max_tokens: 9,
        messages: [{ role: "user", content: "Hi" }],
        tools: [{ name: "read", input_schema: { type: "object" } }, anthropicSearch],
        tool_choice: { type: "tool", name: "web_search" },
      },
    },
  ] as const;
  const NONE = {
    "openai-chat": { tool_choice: "none" },
    "openai-responses": { tool_choice: "none" },
    "anthropic-messages": { tool_choice: { type: "none" } },
    gemini: { toolConfig: { functionCallingConfig: { mode: "NONE" } } },
  } as const;
  const TARGETS = Object.entries(NONE) as [keyof typeof NONE, object][];

  it.each(CHOSEN)("has nothing else called elsewhere in its place, with a warning: $name", ({ name, body }) => {
    const { request } = WIRE_FORMATS[name].decodeRequest({ model: "m", ...body });
    for (const [other, none] of TARGETS.filter(([format]) => format !== name)) {
      const written = REQUEST_FORMATS[other].encodeRequest({ ...request, maxOutputTokens: 9 });
      expect(written.body).toMatchObject(none);
      expect(JSON.stringify(written.body)).not.toContain("web_search");
      expect(written.warnings.map(({ field }) => field)).toContain("toolChoice");
    }
    const { body: ollama } = REQUEST_FORMATS["ollama-chat"].encodeRequest(request);
    expect(ollama).not.toHaveProperty("tools");
  });

  it.each(CHOSEN)("is written as it came where its dialect is spoken again: $name", ({ name, body }) => {
    const { request } = WIRE_FORMATS[name].decodeRequest({ model: "m", ...body });
    const written = REQUEST_FORMATS[name].encodeRequest(request);
    expect(written).toMatchObject({ body: { tool_choice: body.tool_choice }, warnings: [] });
  });

  it.each(CHOSEN)("gives way to what a program puts in its place: $name", ({ name, body }) => {
    const { request } = WIRE_FORMATS[name].decodeRequest({ model: "m", ...body });
    const free = REQUEST_FORMATS["openai-chat"].encodeRequest({ ...request, toolChoice: "auto" });
    expect(free.body["tool_choice"]).toBe("auto");
    const one = REQUEST_FORMATS["openai-chat"].encodeRequest({ ...request, toolChoice: { name: "read" } });
    expect(one.body["tool_choice"]).toEqual({ type: "function", function: { name: "read" } });
  });
});

describe("a choice of the one tool that has to be called, which is left out", () => {
  const patch = { type: "apply_patch" };
  const inChat = { type: "browser", browser: { name: "page" } };
  const CHOSEN = [
    {
      name: "openai-responses",
      body: { input: "Hi", tools: [functionTool("read"), patch], tool_choice: patch },
    },
    {
      name: "openai-chat",
      body: {
        messages: [{ role: "user", content: "Hi" }],
        tools: [{ type: "function", function: { name: "read" } }, inChat],
        tool_choice: inChat,
      },
    },
  ] as const;

  it.each(CHOSEN)("has nothing else called in its place: $name", ({ name, body }) => {
    const { request, warnings } = WIRE_FORMATS[name].decodeRequest({ model: "m", ...body });
    expect(warnings.map(({ field }) => field)).toEqual(["tools[1]", "tool_choice"]);
    expect(REQUEST_FORMATS[name].encodeRequest(request).body["tool_choice"]).toBe("none");
  });

  it.each(CHOSEN)("is nothing where no tool is of its type: $name", ({ name, body }) => {
    const { request } = WIRE_FORMATS[name].decodeRequest({ model: "m", ...body, tools: body.tools.slice(0, 1) });
    expect(request).not.toHaveProperty("toolChoice");
  });
});
