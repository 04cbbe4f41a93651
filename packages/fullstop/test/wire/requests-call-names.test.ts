import { describe, expect, it } from "vitest";
import type { GenerationRequest, Message } from "../../src/index.ts";
import { WIRE_FORMATS } from "../../src/wire/index.ts";

const FORMATS = Object.values(WIRE_FORMATS);

/** A conversation in which the model has called a tool by a name, and got a result. */
function called(name: string, resultName: string | undefined = name): GenerationRequest {
  const messages: readonly Message[] = [
    { role: "user", content: [{ type: "text", text: "Go" }] },
    { role: "assistant", content: [{ type: "tool-call", callId: "a", name, json: "{}" }] },
    { role: "tool", callId: "a", content: [{ type: "text", text: "There is no such tool." }], name: resultName },
  ];
  return { model: "m", messages, tools: [{ name: "look", parameters: { type: "object" } }] };
}

/** Every name in a body that is not that of a tool on offer. */
function namesIn(format: (typeof FORMATS)[number], request: GenerationRequest): readonly unknown[] {
  const names: unknown[] = [];
  const { tools: _, ...body } = format.encodeRequest(request).body as Record<string, unknown>;
  JSON.parse(JSON.stringify(body), (field, value: unknown) => (field === "name" ? names.push(value) : value));
  return [...new Set(names)];
}

describe.each(FORMATS)("the name of a call in $name", (format) => {
  it.each([
    { name: "multi_tool_use.parallel", spelt: "multi_tool_use_parallel" },
    { name: "look up", spelt: "look_up" },
    { name: "wörter:zählen", spelt: "w_rter_z_hlen" },
    { name: "", spelt: "unnamed" },
    { name: "look".repeat(100), spelt: "look".repeat(16) },
  ])("is one that providers take, whatever the model has called: $name", ({ name, spelt }) => {
    expect(namesIn(format, called(name))).toEqual([spelt]);
    expect(namesIn(format, called(name, undefined))).toEqual([spelt]);
  });

  it.each(["look", "mcp__server__look-up", "l".repeat(64)])("stays where providers take it: %s", (name) => {
    expect(namesIn(format, called(name))).toEqual([name]);
  });

  it("stays where it is that of a tool of the request, whose name goes out as well", () => {
    const request = { ...called("files.read"), tools: [{ name: "files.read", parameters: { type: "object" } }] };
    expect(namesIn(format, request)).toEqual(["files.read"]);
  });
});
