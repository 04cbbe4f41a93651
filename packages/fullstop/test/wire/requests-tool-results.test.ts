import { describe, expect, it } from "vitest";
import { deepseek, openai } from "../../src/engines/index.ts";
import type { GenerationRequest, ToolMessage } from "../../src/index.ts";
import type { RequestFormat } from "../../src/wire/index.ts";

/** What a provider is told of a result in Chat Completions. */
function contentFor({ format }: { readonly format: RequestFormat }, content: ToolMessage["content"]): unknown {
  const request: GenerationRequest = {
    model: "m",
    messages: [
      { role: "user", content: [{ type: "text", text: "Go" }] },
      { role: "assistant", content: [{ type: "tool-call", callId: "a", name: "save", json: "{}" }] },
      { role: "tool", callId: "a", content },
    ],
  };
  const { messages } = format.encodeRequest(request).body as { readonly messages: readonly unknown[] };
  return (messages.at(-1) as { readonly content: unknown }).content;
}

const texts = (...all: readonly string[]): ToolMessage["content"] => all.map((text) => ({ type: "text", text }));

describe("the result of a tool in Chat Completions", () => {
  it.each([{ content: texts("") }, { content: texts("", "") }, { content: texts() }])(
    "is an empty string for DeepSeek where it is nothing: $content",
    ({ content }) => {
      expect(contentFor(deepseek("key"), content)).toBe("");
    },
  );

  it("is a list where it has several texts, and one text for DeepSeek, which takes no other", () => {
    const content = texts("Saved.", "Twice.");
    expect(contentFor(openai("key"), content)).toEqual(content);
    expect(contentFor(deepseek("key"), content)).toBe("Saved.\n\nTwice.");
    const image = { type: "image", source: { type: "url", url: "https://a.example/a.png" } } as const;
    expect(contentFor(deepseek("key"), [...content, image])).toBe("Saved.\n\nTwice.");
  });
});
