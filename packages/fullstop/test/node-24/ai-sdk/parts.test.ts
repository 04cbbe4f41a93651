import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import fc from "fast-check";
import { expect, it } from "vitest";
import { GuardedParts } from "../../../src/adapters/ai-sdk/guarded-parts.ts";
import { cancelledSignal, createTextGuard, defineStopRules } from "../../../src/index.ts";
import type { StopString } from "../../../src/index.ts";
import { guard } from "../support/models.ts";
import { createPartsModel } from "../support/parts-model.ts";

/** What is shown of an answer in these parts: pieces as their text, everything else by its name. */
async function shownOf(parts: readonly LanguageModelV4StreamPart[], stop: string | StopString): Promise<string[]> {
  const { model } = guard(createPartsModel(parts), { stop: [stop] });
  const { stream } = await model.doStream({
    prompt: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
  });
  const shown: string[] = [];
  for await (const part of stream) shown.push("delta" in part ? part.delta : part.type);
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

it("shows the same of a text however it is cut into pieces and blocks", () => {
  const pieces = fc.array(fc.tuple(fc.stringMatching(/^[ab<>]{0,6}$/u), fc.boolean()), { maxLength: 12 });
  fc.assert(
    fc.property(pieces, fc.subarray(["<a>", "ab<", "bb", "<<"], { minLength: 1 }), (cut, stop) => {
      const rules = defineStopRules({ stop });
      const guarded = new GuardedParts(rules);
      const shown: LanguageModelV4StreamPart[] = [...guarded.push({ type: "text-start", id: "0" })];
      let id = 0;
      for (const [delta, endsBlock] of cut) {
        shown.push(...guarded.push({ type: "text-delta", id: String(id), delta }));
        if (!endsBlock) continue;
        shown.push(...guarded.push({ type: "text-end", id: String(id) }));
        id += 1;
        shown.push(...guarded.push({ type: "text-start", id: String(id) }));
      }
      shown.push(...guarded.end(cancelledSignal()));

      const plain = createTextGuard(rules);
      const expected = plain.push(cut.map(([delta]) => delta).join("")) + plain.end();
      expect(shown.map((part) => (part.type === "text-delta" ? part.delta : "")).join("")).toBe(expected);
      expect(guarded.signal?.stopSequence).toBe(plain.signal?.stopSequence);
      const blocks = shown.filter(({ type }) => type !== "text-delta").map(({ type }) => type);
      expect(blocks).toEqual(blocks.map((_, index) => (index % 2 === 0 ? "text-start" : "text-end")));
    }),
  );
});
