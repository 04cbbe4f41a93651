import { describe, expect, it } from "vitest";
import { ENCODERS, finish, payloadsOf, read, start, text, usage, writeStream } from "../support/official.ts";
import type { Json } from "../support/official.ts";

const counts = { inputTokens: 1200, outputTokens: 1, cachedInputTokens: 1000 };

function startOf(frames: readonly string[]): Json {
  const [first] = payloadsOf(frames);
  expect(first).toMatchObject({ type: "message_start" });
  return read(first, "message", "usage") as Json;
}

describe("the start of a stream in Messages", () => {
  it("says what the prompt has cost where that is told right after it", () => {
    const { frames } = writeStream("anthropic-messages", [
      start,
      usage(counts),
      text("Hi"),
      finish("natural_completion"),
    ]);
    expect(startOf(frames)).toMatchObject({ input_tokens: 200, cache_read_input_tokens: 1000, output_tokens: 0 });
    expect(payloadsOf(frames)[0]).toMatchObject({ message: { id: "gen-1", model: "some-model" } });
  });

  it("comes with those counts, and does not wait for the first text", () => {
    const frames: string[] = [];
    const writer = ENCODERS["anthropic-messages"].stream()({
      push: (frame) => frames.push(frame),
      end: () => undefined,
    });
    for (const event of [start, usage(counts)]) writer.push(event);
    expect(startOf(frames)).toMatchObject({ input_tokens: 200 });
  });

  it("says nothing of them where they are told at the end", () => {
    const { frames } = writeStream("anthropic-messages", [
      start,
      text("Hi"),
      usage(counts),
      finish("natural_completion"),
    ]);
    expect(startOf(frames)).toMatchObject({ input_tokens: 0 });
    expect(payloadsOf(frames).at(-2)).toMatchObject({ usage: { input_tokens: 200, output_tokens: 1 } });
  });
});
