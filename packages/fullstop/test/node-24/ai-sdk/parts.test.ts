import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { MockLanguageModelV4 } from "ai/test";
import { expect, it } from "vitest";
import type { StopString } from "../../../src/index.ts";
import { guard } from "../support/models.ts";

/** What is shown of an answer in these parts: pieces as their text, everything else by its name. */
async function shownOf(parts: readonly LanguageModelV4StreamPart[], stop: string | StopString): Promise<string[]> {
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
  const mock = new MockLanguageModelV4({ doStream: () => Promise.resolve({ stream }) });
  const { model } = guard(mock, { stop: [stop] });
  const { stream: guarded } = await model.doStream({
    prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
  });
  const shown: string[] = [];
  for await (const part of guarded) shown.push("delta" in part ? part.delta : part.type);
  return shown;
}

const twoBlocks: readonly LanguageModelV4StreamPart[] = [
  { type: "text-start", id: "1" },
  { type: "text-delta", id: "1", delta: "one ST" },
  { type: "text-end", id: "1" },
  { type: "source", sourceType: "url", id: "s", url: "https://example.com" },
  { type: "text-start", id: "2" },
  { type: "text-delta", id: "2", delta: "OP two" },
  { type: "text-end", id: "2" },
];

it("finds a stop string that is cut by a source and by the end of a block", async () => {
  expect(await shownOf(twoBlocks, "STOP")).toEqual(["text-start", "one ", "text-end", "finish"]);
});

it("keeps everything in its place that was held back for nothing", async () => {
  const names = ["text-start", "one ", "ST", "text-end", "source", "text-start", "OP two", "text-end", "finish"];
  expect(await shownOf(twoBlocks, "STOP!")).toEqual(names);
});

it("ends blocks of an answer that broke off", async () => {
  const parts: readonly LanguageModelV4StreamPart[] = [
    { type: "reasoning-start", id: "1" },
    { type: "reasoning-delta", id: "1", delta: "Hm" },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "one" },
  ];
  const names = ["reasoning-start", "Hm", "text-start", "one", "reasoning-end", "text-end", "finish"];
  expect(await shownOf(parts, "STOP")).toEqual(names);
});

it("does not show a call that came whole and in whose arguments the answer ends", async () => {
  const parts: readonly LanguageModelV4StreamPart[] = [
    { type: "tool-call", toolCallId: "c1", toolName: "say", input: '{"words":"enough of it"}' },
    { type: "tool-call", toolCallId: "c2", toolName: "say", input: "{}" },
  ];
  expect(await shownOf(parts, { text: "enough", scope: "tool-arguments" })).toEqual(["finish"]);
  expect(await shownOf(parts, { text: "never", scope: "tool-arguments" })).toEqual([
    "tool-call",
    "tool-call",
    "finish",
  ]);
});

it("fails beside its finish where nothing came", async () => {
  expect(await shownOf([{ type: "stream-start", warnings: [] }], "STOP")).toEqual(["stream-start", "error", "finish"]);
});
