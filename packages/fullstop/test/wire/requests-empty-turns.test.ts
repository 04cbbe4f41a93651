import { describe, expect, it } from "vitest";
import type { AssistantMessage, GenerationRequest } from "../../src/index.ts";
import { openaiChat, openaiResponses } from "../../src/wire/index.ts";

const question = { role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] };

function requestWith(content: AssistantMessage["content"]): GenerationRequest {
  return { model: "m", messages: [question, { role: "assistant", content }, question] };
}

const SAID = { role: "user", content: "Hi" };

describe("a turn of the model of which nothing is left in Chat Completions", () => {
  it.each<[string, AssistantMessage["content"], string]>([
    ["was empty", [], "messages[1]"],
    ["was an empty text", [{ type: "text", text: "" }], "messages[1]"],
    ["was thinking alone", [{ type: "reasoning", text: "Hm" }], "messages[1].content[0]"],
    ["is for another dialect", [{ type: "opaque", format: "gemini", value: {} }], "messages[1].content[0]"],
  ])("is left out with a warning where it %s", (_, content, field) => {
    const { body, warnings } = openaiChat.encodeRequest(requestWith(content));
    expect(body["messages"]).toEqual([SAID, SAID]);
    expect(warnings.map((warning) => warning.field)).toEqual([field]);
  });

  it("stands there where it makes a call", () => {
    const { body } = openaiChat.encodeRequest({
      model: "m",
      messages: [
        question,
        { role: "assistant", content: [{ type: "tool-call", callId: "a", name: "look", json: "{}" }] },
        { role: "tool", callId: "a", content: [] },
      ],
    });
    expect(body["messages"]).toMatchObject([SAID, { role: "assistant", content: null }, { role: "tool" }]);
  });

  it("is refused where there is nothing else", () => {
    const messages = [{ role: "assistant" as const, content: [] }];
    expect(() => openaiChat.encodeRequest({ model: "m", messages })).toThrow("must hold something that can be sent");
  });

  it("may be what a client of Responses has put before the conversation", () => {
    const input = [{ type: "additional_tools", role: "developer", tools: [] }, SAID];
    const { request } = openaiResponses.decodeRequest({ model: "m", input });
    expect(openaiChat.encodeRequest(request).body["messages"]).toEqual([SAID]);
  });
});
