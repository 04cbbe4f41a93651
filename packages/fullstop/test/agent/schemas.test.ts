import { toJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { createAgentRun, defineTool } from "../../src/agent/index.ts";
import type { AgentTool } from "../../src/agent/index.ts";
import { call, createScriptedEngine, finish, text } from "../../src/testing/index.ts";

const valibotSchema = v.object({ city: v.string(), days: v.number() });

const tools: Readonly<Record<string, AgentTool>> = {
  zod: defineTool({
    name: "weather",
    input: z.object({ city: z.string(), days: z.number() }),
    execute: (input) => {
      expectTypeOf(input).toEqualTypeOf<{ city: string; days: number }>();
      return `${input.city} ${input.days}`;
    },
  }),
  valibot: defineTool({
    name: "weather",
    input: valibotSchema,
    // Its JSON Schema comes from a package of its own.
    parameters: { ...toJsonSchema(valibotSchema) },
    execute: (input) => {
      expectTypeOf(input).toEqualTypeOf<{ city: string; days: number }>();
      return `${input.city} ${input.days}`;
    },
  }),
  arktype: defineTool({
    name: "weather",
    input: type({ city: "string", days: "number" }),
    execute: (input) => {
      expectTypeOf(input).toEqualTypeOf<{ city: string; days: number }>();
      return `${input.city} ${input.days}`;
    },
  }),
};

describe.each(Object.entries(tools))("a tool with a schema of %s", (_library, tool) => {
  async function resultOf(input: unknown): Promise<string> {
    const engine = createScriptedEngine([
      [...call("a", "weather", input), finish("tool_calls")],
      [text("ok"), finish()],
    ]);
    await createAgentRun({ engine, request: { model: "m", messages: [] }, tools: [tool] }).result();
    return JSON.stringify(engine.requests[1]?.messages.at(-1));
  }

  it("shows the model its JSON Schema", () => {
    expect(tool.definition.parameters).toMatchObject({
      type: "object",
      properties: { city: { type: "string" }, days: { type: "number" } },
    });
  });

  it("runs with arguments that fit, and says what is wrong with those that do not", async () => {
    expect(await resultOf({ city: "Oslo", days: 3 })).toContain("Oslo 3");
    expect(await resultOf({ city: "Oslo" })).toMatch(/The arguments are not right: .*days/);
  });
});
