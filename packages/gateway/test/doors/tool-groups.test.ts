import type { GenerationEvent } from "fullstop";
import { call, finish, start, text, usage } from "fullstop/testing";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { ASKED_DIALECTS } from "../support/dialects.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted();
const client = new OpenAI({ apiKey: "none", baseURL: `${gateway.url}/v1`, maxRetries: 0 });

/** The tools of one server of MCP, as coding agents have them. */
const GROUP: OpenAI.Responses.NamespaceTool = {
  type: "namespace",
  name: "mcp__files",
  description: "Files.",
  tools: [
    {
      type: "function",
      name: "look",
      parameters: { type: "object", properties: {} },
      strict: false,
      defer_loading: true,
    },
    { type: "custom", name: "edit", description: "Edits." },
  ],
};
const native = { format: "openai-responses", fields: { namespace: "mcp__files" } };

describe.each(ASKED_DIALECTS)("a tool in a group, in front of %s", (dialect) => {
  const model = `${dialect}/any-model`;
  const { requests } = gateway.upstreams[dialect];
  const knowsGroups = dialect === "openai-responses";

  /** What such a model says to call a tool of the group. */
  function calling(name: string, input: object): readonly GenerationEvent[] {
    const [begin, ...others] = call("c1", knowsGroups ? name : `mcp__files__${name}`, input);
    const named = knowsGroups && begin?.type === "tool-call-start" ? { ...begin, native } : begin!;
    return [start(), named, ...others, usage(9, 4), finish("tool_calls")];
  }

  it.each([
    { name: "look", input: { at: 1 }, made: { type: "function_call", arguments: '{"at":1}' } },
    { name: "edit", input: { input: "+ x" }, made: { type: knowsGroups ? "function_call" : "custom_tool_call" } },
  ])("is known to the model, and a call of it says in which: $name", async ({ name, input, made }) => {
    gateway.script(dialect, calling(name, input));
    const asked = { model, input: "Look", tools: [GROUP], max_output_tokens: 100 };
    const whole = await client.responses.create(asked);
    const streamed = await client.responses.stream(asked).finalResponse();
    for (const { output } of [whole, streamed]) {
      expect(output.at(-1)).toMatchObject({ name, namespace: "mcp__files", ...made });
    }
    const { body, request } = requests.at(-1)!;
    if (knowsGroups) expect(body["tools"]).toEqual([GROUP]);
    else expect(request.tools?.map((tool) => tool.name)).toEqual(["mcp__files__look", "mcp__files__edit"]);
    expect(whole).not.toHaveProperty("fullstop.warnings");
  });

  it("is not taken for a tool outside of the group that has its name and takes text", async () => {
    gateway.script(dialect, calling("look", { at: 1 }));
    const tools = [GROUP, { type: "custom" as const, name: "look" }];
    const { output } = await client.responses.create({ model, input: "Look", tools, max_output_tokens: 100 });
    const made = { type: "function_call", name: "look", namespace: "mcp__files", arguments: '{"at":1}' };
    expect(output.at(-1)).toMatchObject(made);
  });

  it.each([
    { how: "with its group", group: { namespace: "mcp__files" } },
    { how: "by a name that no other tool has", group: {} },
  ])("is called so in later turns, too, $how", async ({ group }) => {
    gateway.script(dialect, [start(), text("Done."), usage(9, 4), finish()]);
    const made = { call_id: "c1", ...group, name: "look", arguments: "{}" };
    const edited = { call_id: "c2", ...group, name: "edit", input: "+ x" };
    const input = [
      { role: "user" as const, content: "Look" },
      { type: "function_call" as const, ...made },
      { type: "custom_tool_call" as const, ...edited },
      { type: "function_call_output" as const, call_id: "c1", output: "Seen" },
      { type: "custom_tool_call_output" as const, call_id: "c2", output: "Edited" },
    ];
    const answer = await client.responses.create({ model, input, tools: [GROUP], max_output_tokens: 100 });
    expect(answer.output_text).toBe("Done.");
    expect(answer).not.toHaveProperty("fullstop.warnings");
    const { body, request } = requests.at(-1)!;
    if (knowsGroups) expect(body["input"]).toEqual([{ ...input[0], type: "message" }, ...input.slice(1)]);
    const names = request.messages.flatMap(({ content }) =>
      content.flatMap((part) => (part.type === "tool-call" ? [part.name] : [])),
    );
    expect(names).toEqual(["mcp__files__look", "mcp__files__edit"]);
  });
});

describe("a group of tools", () => {
  it("has no part in calls of other tools, nor in those that may be of another group", async () => {
    gateway.script("openai-chat", [start(), text("Done."), usage(9, 4), finish()]);
    const look = { type: "function" as const, name: "look", parameters: null, strict: false };
    const tools = [look, GROUP, { ...GROUP, name: "mcp__mail" }];
    const names = ["look", "edit"];
    const input = names.flatMap((name) => [
      { type: "function_call" as const, call_id: name, name, arguments: "{}" },
      { type: "function_call_output" as const, call_id: name, output: "Done" },
    ]);
    await client.responses.create({ model: "openai-chat/any-model", input, tools });
    const { messages } = gateway.upstreams["openai-chat"].requests.at(-1)!.request;
    const calls = messages.flatMap(({ content }) => content.filter((part) => part.type === "tool-call"));
    expect(calls.map(({ name }) => name)).toEqual(names);
  });

  it("that has no name, or a tool without one, is refused", async () => {
    const asked = { model: "openai-chat/any-model", input: "Hi" };
    const [look] = GROUP.tools;
    const withTools = (...tools: readonly unknown[]) => ({ ...asked, tools: tools as OpenAI.Responses.Tool[] });
    await expect(client.responses.create(withTools({ ...GROUP, name: "" }))).rejects.toThrow(
      "tools[0].name must be a string that is not empty",
    );
    await expect(client.responses.create(withTools({ ...GROUP, tools: [{ ...look, name: 5 }] }))).rejects.toThrow(
      "tools[0].tools[0].name must be a string",
    );
  });

  it("has names that every provider takes, and no tool twice", async () => {
    gateway.script("anthropic-messages", [start(), text("Done."), usage(9, 4), finish()]);
    const tools = [
      { type: "function" as const, name: "a__b", parameters: null, strict: false },
      { type: "namespace" as const, name: "a", description: "", tools: [{ type: "function" as const, name: "b" }] },
      {
        type: "namespace" as const,
        name: "crm.v2",
        description: "",
        tools: [{ type: "function" as const, name: "x".repeat(80) }],
      },
    ];
    await client.responses.create({ model: "anthropic-messages/any-model", input: "Hi", tools });
    const names = gateway.upstreams["anthropic-messages"].requests.at(-1)!.request.tools?.map(({ name }) => name);
    expect(names).toEqual(["a__b", expect.stringMatching(/^crm_v2__x+_[a-z0-9]+$/u)]);
    expect(names?.[1]).toHaveLength(64);
  });
});
