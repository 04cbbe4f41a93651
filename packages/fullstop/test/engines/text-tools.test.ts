import { describe, expect, it } from "vitest";
import { AnswerCollector } from "../../src/agent/answer.ts";
import type { GenerationRequest } from "../../src/index.ts";
import { call, finish, start } from "../../src/testing/index.ts";
import { ask, readAll } from "../support/engine-contract.ts";
import { ASKED_DIALECTS } from "../support/provider-server.ts";
import { withRemote } from "../support/remote.ts";

const tools: GenerationRequest["tools"] = [{ name: "patch", textInput: {} }, { name: "read" }];
const calling = [
  start(),
  ...call("a", "patch", { input: "x" }),
  ...call("b", "read", { path: "a" }),
  finish("tool_calls"),
];

describe.each(ASKED_DIALECTS)("a call of a tool that takes text, by a model in %s", (dialect) => {
  it.each([
    { rules: "none", more: {} },
    { rules: "a stop string", more: { stop: ["END"] } },
  ])("is told apart from one of a function, with $rules", async ({ more }) => {
    const events = await withRemote(dialect, calling, ({ engine }) => readAll(engine, ask("m", { tools, ...more })));
    const starts = events.flatMap((event) => (event.type === "tool-call-start" ? [event] : []));
    expect(starts.map(({ name, isText }) => [name, isText])).toEqual([
      ["patch", true],
      ["read", undefined],
    ]);
  });

  it("is remembered as one in the history of an agent", async () => {
    const events = await withRemote(dialect, calling, ({ engine }) => readAll(engine, ask("m", { tools })));
    const collector = new AnswerCollector();
    for (const event of events) collector.push(event);
    expect(collector.answer().content).toMatchObject([
      { type: "tool-call", name: "patch", json: '{"input":"x"}', isText: true },
      { type: "tool-call", name: "read" },
    ]);
    expect(collector.answer().content[1]).not.toHaveProperty("isText");
  });
});
