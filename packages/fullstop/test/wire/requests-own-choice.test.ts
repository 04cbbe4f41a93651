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
