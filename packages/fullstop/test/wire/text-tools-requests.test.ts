import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationRequest } from "../../src/index.ts";
import { groq, openai, openaiResponses } from "../../src/engines/index.ts";
import { REQUEST_FORMATS, WIRE_FORMATS } from "../../src/wire/index.ts";
import type { RequestFormat } from "../../src/wire/index.ts";

const DEFINITION = 'start: "*** Begin Patch" /.+/';
const grammar = { syntax: "lark", definition: DEFINITION };
const PATCH = '*** Begin Patch\n+ say "hi" \\ 🌍';

/** A conversation with a tool that takes text, as clients of each dialect of OpenAI's write it. */
const BODIES = {
  "openai-chat": {
    model: "m",
    messages: [
      { role: "user", content: "Mend it." },
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "c1", type: "custom", custom: { name: "apply_patch", input: PATCH } },
          { id: "c2", type: "function", function: { name: "read", arguments: '{"path":"a"}' } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "Done." },
      { role: "tool", tool_call_id: "c2", content: "Text." },
    ],
    tools: [
      { type: "custom", custom: { name: "apply_patch", description: "Edits", format: { type: "grammar", grammar } } },
      { type: "function", function: { name: "read" } },
      { type: "custom", custom: { name: "shell" } },
    ],
    tool_choice: { type: "custom", custom: { name: "apply_patch" } },
  },
  "openai-responses": {
    model: "m",
    input: [
      { type: "message", role: "user", content: "Mend it." },
      { type: "custom_tool_call", call_id: "c1", name: "apply_patch", input: PATCH },
      { type: "function_call", call_id: "c2", name: "read", arguments: '{"path":"a"}' },
      { type: "custom_tool_call_output", call_id: "c1", output: "Done." },
      { type: "function_call_output", call_id: "c2", output: "Text." },
    ],
    tools: [
      { type: "custom", name: "apply_patch", description: "Edits", format: { type: "grammar", ...grammar } },
      { type: "function", name: "read", parameters: null, strict: false },
      { type: "custom", name: "shell" },
    ],
    tool_choice: { type: "custom", name: "apply_patch" },
  },
} as const;

type Client = keyof typeof BODIES;

const CLIENTS = Object.keys(BODIES) as Client[];

/** The dialects as OpenAI takes them. */
const OWN: Readonly<Record<Client, RequestFormat>> = {
  "openai-chat": openai("k").format,
  "openai-responses": openaiResponses("k").format,
};

/** The dialects as everybody else takes them. */
const OTHERS: readonly RequestFormat[] = [...Object.values(REQUEST_FORMATS), groq("k").format];

function read(client: Client): GenerationRequest {
  const { request, warnings } = WIRE_FORMATS[client].decodeRequest(BODIES[client]);
  expect(warnings).toEqual([]);
  return request;
}

describe.each(CLIENTS)("tools that take text, in a request in %s", (client) => {
  it("are read as what they are, and so are calls of them", () => {
    const { tools, toolChoice, messages } = read(client);
    expect(tools).toMatchObject([
      { name: "apply_patch", description: "Edits", textInput: { grammar } },
      { name: "read" },
      { name: "shell", textInput: {} },
    ]);
    expect(tools?.[1]).not.toHaveProperty("textInput");
    expect(toolChoice).toEqual({ name: "apply_patch" });
    expect(messages[1]?.content).toEqual([
      { type: "tool-call", callId: "c1", name: "apply_patch", json: JSON.stringify({ input: PATCH }), isText: true },
      { type: "tool-call", callId: "c2", name: "read", json: '{"path":"a"}' },
    ]);
    expect(messages.slice(2)).toMatchObject([
      { role: "tool", callId: "c1", content: [{ type: "text", text: "Done." }] },
      { role: "tool", callId: "c2" },
    ]);
  });

  it("go to OpenAI as they came, from either dialect", () => {
    for (const target of CLIENTS) {
      expect(OWN[target].encodeRequest(read(client))).toMatchObject({ body: BODIES[target], warnings: [] });
    }
  });

  it.each(OTHERS)("are functions of one parameter to everybody else: $name", (format) => {
    const { body, warnings } = format.encodeRequest({ ...read(client), maxOutputTokens: 100 });
    expect(JSON.stringify(body)).not.toContain("custom");
    const tools = JSON.stringify(body["tools"]);
    expect(tools).toContain('"required":["input"]');
    expect(tools).toContain(JSON.stringify(DEFINITION).slice(1, -1));
    // Ollama cannot be told which tool has to be called.
    const isOllama = format.name === "ollama-chat";
    const lost = ["tools[0].textInput.grammar", ...(isOllama ? ["toolChoice"] : [])];
    expect(warnings.map(({ field }) => field)).toEqual(lost);
  });

  it("are chosen by name, and called with an object, where they are functions", () => {
    const { body } = REQUEST_FORMATS["anthropic-messages"].encodeRequest(read(client));
    expect(body["tool_choice"]).toEqual({ type: "tool", name: "apply_patch" });
    expect(JSON.stringify(body["messages"])).toContain(JSON.stringify({ input: PATCH }));
  });

  it("may be among those that may be called", () => {
    const request = { ...read(client), toolChoice: { allowed: ["read", "shell"], mode: "auto" } } as const;
    const { body, warnings } = OWN[client].encodeRequest(request);
    expect(warnings).toEqual([]);
    expect(WIRE_FORMATS[client].decodeRequest(body).request.toolChoice).toEqual(request.toolChoice);
    expect(JSON.stringify(body["tool_choice"])).toMatch(/"custom"/u);
  });

  it("keep what only the dialect says of them", () => {
    const { tools, ...others } = BODIES[client];
    const body = { ...others, tools: [{ ...tools[0], defer_loading: true }] };
    const { request } = WIRE_FORMATS[client].decodeRequest(body);
    expect(OWN[client].encodeRequest(request).body["tools"]).toEqual(body.tools);
  });

  it("get every text back that they were called with", () => {
    const encode = (input: string): unknown => {
      const request = read(client);
      const part = { type: "tool-call", callId: "c", name: "shell", json: JSON.stringify({ input }), isText: true };
      const messages = [request.messages[0]!, { role: "assistant", content: [part] } as const];
      const { body } = OWN[client].encodeRequest({ ...request, messages } as GenerationRequest);
      return WIRE_FORMATS[client].decodeRequest(body).request.messages[1]?.content[0];
    };
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (input) => {
        expect(encode(input)).toMatchObject({ json: JSON.stringify({ input }), isText: true });
      }),
    );
  });

  it("are refused where their names, grammars or texts are none", () => {
    const change = (from: string, to: string): unknown =>
      JSON.parse(JSON.stringify(BODIES[client]).replace(from, to)) as unknown;
    const decode = (body: unknown) => () => WIRE_FORMATS[client].decodeRequest(body);
    expect(decode(change('"name":"shell"', '"name":""'))).toThrow(
      /tools\[2\].*name must be a string that is not empty/u,
    );
    expect(decode(change('"syntax":"lark"', '"syntax":5'))).toThrow(
      /syntax must be a string that is not empty, got 5/u,
    );
    expect(decode(change('"input":"***', '"input":5,"x":"'))).toThrow(/input must be a string, got 5/u);
  });
});

describe("tools that stand in the conversation", () => {
  const { input, tools, ...others } = BODIES["openai-responses"];

  it("are tools like all others, of whatever kind", () => {
    const added = { type: "additional_tools", role: "developer", tools: [...tools.slice(1), { type: "web_search" }] };
    const body = { ...others, input: [added, ...input], tools: tools.slice(0, 1) };
    const { request, warnings } = WIRE_FORMATS["openai-responses"].decodeRequest(body);
    expect(warnings).toEqual([]);
    expect(request.messages).toEqual(read("openai-responses").messages);
    expect(OWN["openai-responses"].encodeRequest(request).body["tools"]).toEqual([...tools, { type: "web_search" }]);
  });

  it("are refused where they are none", () => {
    const decode = (added: object) => () =>
      WIRE_FORMATS["openai-responses"].decodeRequest({ model: "m", input: [{ type: "additional_tools", ...added }] });
    expect(decode({})).toThrow("input[0].tools must be a list");
    expect(decode({ tools: [5] })).toThrow("input[0].tools[0] must be an object");
  });
});

describe("a format of text that nobody knows", () => {
  it("is left out with a warning, and the text is free", () => {
    const tools = [{ type: "custom", name: "f", format: { type: "poem", metre: "iambic" } }];
    const { request, warnings } = WIRE_FORMATS["openai-responses"].decodeRequest({ model: "m", input: "Hi", tools });
    expect(request.tools).toEqual([{ name: "f", textInput: {} }]);
    expect(warnings.map(({ field }) => field)).toEqual(["tools[0].format"]);
  });
});

describe("a call of a tool that takes text", () => {
  it("that its provider has run goes back as it came", () => {
    const hosted = {
      type: "custom_tool_call",
      call_id: "x",
      name: "x_keyword_search",
      input: "{}",
      status: "completed",
    };
    const body = { model: "m", input: [{ type: "message", role: "user", content: "Hi" }, hosted] };
    const { request } = WIRE_FORMATS["openai-responses"].decodeRequest(body);
    expect(WIRE_FORMATS["openai-responses"].encodeRequest(request).body["input"]).toContainEqual(hosted);
  });

  it("is one of a function where the model has written something else", () => {
    const call = { type: "tool-call", callId: "c", name: "f", json: '{"patch":"x"}', isText: true } as const;
    const messages = [
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      { role: "assistant", content: [call] },
      { role: "tool", callId: "c", content: [{ type: "text", text: "No." }] },
    ] as const;
    const { body } = OWN["openai-responses"].encodeRequest({ model: "m", messages });
    expect(body["input"]).toMatchObject([
      {},
      { type: "function_call", arguments: '{"patch":"x"}' },
      { type: "function_call_output" },
    ]);
  });
});
