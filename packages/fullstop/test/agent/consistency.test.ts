import { describe, expect, it } from "vitest";
import { createAgentRun, defineTool } from "../../src/agent/index.ts";
import type { AgentOptions, AgentResult } from "../../src/agent/index.ts";
import { call, finish, reasoning, start, text, usage } from "../../src/testing/index.ts";
import { DIALECTS } from "../support/provider-server.ts";
import type { Dialect, Reply } from "../support/provider-server.ts";
import { withRemote } from "../support/remote.ts";

const request = {
  model: "some-model",
  messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }],
};

const add = defineTool({
  name: "add",
  parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
  execute: (input) => {
    const { a, b } = input as { a: number; b: number };
    return `${a + b}`;
  },
});

interface Scenario {
  readonly name: string;
  readonly replies: readonly Reply[];
  readonly options?: Partial<AgentOptions>;
  readonly expected: Partial<Record<keyof AgentResult, unknown>>;
  /** The roles of the messages of the last request. */
  readonly sent: readonly string[];
}

const cut = [start(), text("one two three"), usage(1, 3), finish("token_limit_reached")];
const refused = [start(), text("I "), usage(1, 1), finish("content_filtered")];
const poll = [start(), ...call("c", "poll", { job: 7 }), usage(1, 1), finish("tool_calls")];

const scenarios: readonly Scenario[] = [
  {
    name: "a plain answer",
    replies: [[start(), reasoning("Hm."), text("Hello"), usage(3, 2), finish()]],
    expected: { end: "completed", text: "Hello", turns: 1, usage: { inputTokens: 3, outputTokens: 2 } },
    sent: ["user"],
  },
  {
    name: "two tools in one turn",
    replies: [
      [
        start(),
        text("Let me."),
        ...call("a", "add", { a: 1, b: 2 }),
        ...call("b", "add", { a: 3, b: 4 }),
        usage(1, 1),
        finish("tool_calls"),
      ],
      [start(), text("3 and 7"), usage(1, 1), finish()],
    ],
    options: { tools: [add] },
    expected: { end: "completed", text: "3 and 7", turns: 2 },
    sent: ["user", "assistant", "tool", "tool"],
  },
  {
    name: "an answer that is continued without a doubled word",
    replies: [cut, [start(), text("two three four"), usage(1, 3), finish()]],
    options: { request: { ...request, maxOutputTokens: 5 } },
    expected: { end: "completed", text: "one two three four", turns: 2 },
    sent: ["user", "assistant", "user"],
  },
  {
    name: "an answer for which the limit is raised",
    replies: [cut, [start(), text("one two three four"), usage(1, 4), finish()]],
    expected: { end: "completed", text: "one two three four", turns: 2 },
    sent: ["user"],
  },
  {
    name: "a refusal without another model",
    replies: [refused],
    expected: { end: "refused", turns: 1 },
    sent: ["user"],
  },
  {
    name: "a refusal with another model",
    replies: [refused, [start(), text("Sure"), usage(1, 1), finish()]],
    options: { fallback: { model: "other-model" } },
    expected: { end: "completed", text: "Sure", turns: 2 },
    sent: ["user"],
  },
  {
    name: "a connection that broke before anything was said",
    replies: [
      { status: 503, body: { error: { message: "try again", type: "overloaded_error" } } },
      [start(), text("Hello"), usage(1, 1), finish()],
    ],
    expected: { end: "completed", text: "Hello", turns: 2 },
    sent: ["user"],
  },
  {
    name: "a request that cannot be helped",
    replies: [{ status: 401, body: { error: { message: "no", type: "authentication_error" } } }],
    expected: { end: "failed", turns: 1 },
    sent: ["user"],
  },
  {
    name: "a loop of calls",
    replies: Array.from({ length: 8 }, () => poll),
    options: { tools: [defineTool({ name: "poll", execute: () => "pending" })] },
    expected: { end: "repeated_calls", turns: 5 },
    sent: ["user", "assistant", "tool", "assistant", "tool", "assistant", "tool", "assistant", "tool"],
  },
];

/** Plays a scenario against a real server that speaks a dialect. */
async function play(
  dialect: Dialect,
  { replies, options }: Scenario,
): Promise<{ result: AgentResult; sent: string[] }> {
  let next = 0;
  return withRemote(
    dialect,
    () => replies[next++] ?? { status: 500, body: {} },
    async ({ engine, server }) => {
      const run = createAgentRun({ engine, request, settings: { retryMilliseconds: 0 }, ...options });
      const result = await run.result();
      const last = server.requests.at(-1);
      return { result, sent: last?.request.messages.map(({ role }) => role) ?? [] };
    },
  );
}

describe.each(scenarios)("$name", (scenario) => {
  it.each(DIALECTS)("comes out the same in %s", async (dialect) => {
    const { result, sent } = await play(dialect, scenario);
    expect(result).toMatchObject(scenario.expected);
    expect(sent).toEqual(scenario.sent);
  });
});

describe("a turn that was paused", () => {
  it("goes back to Anthropic with what the provider has done itself, as it was", async () => {
    const search = { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "news" } };
    const paused = [
      start(),
      text("Let me look. "),
      { type: "opaque", format: "anthropic-messages", value: search } as const,
      usage(1, 1),
      finish("paused"),
    ];
    let next = 0;
    const replies: readonly Reply[] = [paused, [start(), text("Found it."), usage(1, 1), finish()]];
    await withRemote(
      "anthropic-messages",
      () => replies[next++]!,
      async ({ engine, server }) => {
        const result = await createAgentRun({ engine, request }).result();
        expect(result).toMatchObject({ end: "completed", text: "Let me look. Found it." });
        expect(server.requests[1]?.body).toMatchObject({
          messages: [{ role: "user" }, { role: "assistant", content: [{ type: "text" }, search] }],
        });
      },
    );
  });
});
