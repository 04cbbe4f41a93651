import { WIRE_FORMATS } from "fullstop/wire";
import { describe, expect, it } from "vitest";
import { checkForLocal } from "../../src/doors/check-for-local.ts";

describe("a tool that has to be called, and that only its provider has", () => {
  it("is no mistake of a request for a local model, which calls none in its place", () => {
    const { request } = WIRE_FORMATS["anthropic-messages"].decodeRequest({
      model: "pip",
      max_tokens: 9,
      messages: [{ role: "user", content: "Hi" }],
      tools: [
        { name: "read", input_schema: { type: "object" } },
        { type: "web_search_20250305", name: "web_search" },
      ],
      tool_choice: { type: "tool", name: "web_search" },
    });
    expect(() => checkForLocal(request)).not.toThrow();
    expect(() => checkForLocal({ ...request, toolChoice: { name: "write" } })).toThrow("There is no tool");
  });
});
