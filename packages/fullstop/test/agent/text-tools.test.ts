import { describe, expect, expectTypeOf, it } from "vitest";
import { createAgentRun, defineTool } from "../../src/agent/index.ts";
import type { AgentResult, AgentTool } from "../../src/agent/index.ts";
import { call, createScriptedEngine, finish, text } from "../../src/testing/index.ts";

const grammar = { syntax: "lark", definition: "start: /.+/" };

const patch = defineTool({
  name: "patch",
  description: "Edits",
  textInput: { grammar },
  execute(change) {
    expectTypeOf(change).toBeString();
    return `Done: ${change}`;
  },
});

async function run(tool: AgentTool, input: unknown): Promise<AgentResult> {
  const engine = createScriptedEngine([
    [...call("a", "patch", input), finish("tool_calls")],
    [text("ok"), finish()],
  ]);
  return createAgentRun({ engine, request: { model: "m", messages: [] }, tools: [tool] }).result();
}

describe("a tool of an agent that takes text", () => {
  it("is shown to the model as one", () => {
    expect(patch.definition).toEqual({ name: "patch", description: "Edits", textInput: { grammar } });
  });

  it("is given the text that it was called with", async () => {
    const { messages } = await run(patch, { input: '+ say "hi"' });
    expect(messages).toContainEqual(
      expect.objectContaining({ role: "tool", content: [{ type: "text", text: 'Done: + say "hi"' }] }),
    );
  });

  it.each([{ patch: "x" }, { input: 5 }, ["x"], "x"])(
    "says what is wrong with arguments that are none: %j",
    async (input) => {
      const { messages } = await run(patch, input);
      expect(JSON.stringify(messages)).toContain("The arguments are not right: input must be the text, a string");
    },
  );

  it.each<[options: object, message: string]>([
    [
      { textInput: { grammar: "x" } },
      "tool f textInput must be {} for any text, or { grammar: { syntax, definition } }",
    ],
    [{ textInput: null }, "tool f textInput must be {} for any text"],
    [{ textInput: {}, parameters: {} }, "tool options has no such option"],
  ])("is refused where it is described by %j", (options, message) => {
    const described = { name: "f", execute: () => "", ...options };
    expect(() => defineTool(described as never)).toThrow(message);
  });
});
