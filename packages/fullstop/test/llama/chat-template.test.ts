import { readFileSync } from "node:fs";
import path from "node:path";
import { modelPath } from "@fullstop/pip";
import { Template } from "@huggingface/jinja";
import { describe, expect, it } from "vitest";
import { createChatTemplate } from "../../src/llama/chat-template.ts";
import { createLiteralText } from "../../src/llama/literal-text.ts";
import { Refusal } from "../../src/llama/refusal.ts";
import type { Message, ToolDefinition } from "../../src/request.ts";

const source = readFileSync(path.join(path.dirname(modelPath), "chat_template.jinja"), "utf8");
const template = createChatTemplate(
  source,
  new Template(source),
  { bos: "", eos: "<|im_end|>" },
  createLiteralText(["<|im_start|>", "<|im_end|>"]),
);

function render(messages: readonly Message[], tools: readonly ToolDefinition[] = []): string | Refusal {
  try {
    return template.render(messages, { thinking: undefined, tools });
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

const question: Message = { role: "user", content: [{ type: "text", text: "Hi" }] };
const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const callWith = (json: string): readonly Message[] => [
  question,
  { role: "assistant", content: [{ type: "tool-call", callId: "a", name: "f", json }] },
  { role: "tool", callId: "a", content: [{ type: "text", text: "x" }] },
];
const toolWith = (json: string): ToolDefinition => ({
  name: "f",
  parameters: { type: "object", properties: { a: { enum: JSON.parse(json) as unknown } } },
});

describe("a conversation for a template", () => {
  it.each([2_000, 5_000, 200_000])("is refused where it is nested too deeply: %i levels", (depth) => {
    for (const written of [render(callWith(nested(depth))), render([question], [toolWith(nested(depth))])]) {
      expect(written).toMatchObject({
        kind: "invalid_request",
        message: expect.stringContaining("nested too deeply") as string,
      });
    }
  });

  it("may be nested", () => {
    expect(render(callWith(nested(100)))).toContain(nested(100));
    expect(render([question], [toolWith(nested(100))])).toContain(nested(100));
  });

  it("is refused in its own words where it has an image", () => {
    const message: Message = {
      role: "user",
      content: [{ type: "image", source: { type: "url", url: "https://a.example/i.png" } }],
    };
    expect(render([message])).toMatchObject({ message: "This model reads text only, and the request holds an image" });
  });

  it.each([
    [{ type: "document", source: { data: "secret" } }, '"document"'],
    [{ txt: "secret" }, '"txt"'],
    ["secret", "string"],
  ])("is refused with the name of a part that is no text, and not with what it holds: %j", (value, name) => {
    const message: Message = { role: "user", content: [{ type: "opaque", format: "gemini", value }] };
    expect(render([message])).toMatchObject({
      message: `This model reads text only, and the request holds a part of another kind, ${name}`,
    });
  });

  it("is refused in the words of a template that does not take it", () => {
    const strict = "{{ raise_exception('no system here') }}";
    const refusing = createChatTemplate(strict, new Template(strict), { bos: "", eos: "" }, createLiteralText([]));
    expect(() => refusing.render([question], { thinking: undefined, tools: [] })).toThrow(
      "The model's chat template refuses the conversation: no system here",
    );
  });
});
