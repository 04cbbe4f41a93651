import { defineGuard, runGeneration } from "fullstop";
import { call, finish, reasoning, start, text } from "fullstop/testing";
import type { GenerationEvent } from "fullstop";
import { describe, expect, it } from "vitest";
import { createSentenceEnd } from "../../src/generations/sentence-end.ts";

/** What is written of an answer that was asked to end with its sentence, and how it ended. */
async function stopIn(events: readonly GenerationEvent[], isAsked = true) {
  const sentenceEnd = createSentenceEnd();
  if (isAsked) sentenceEnd.request("user");
  const stage = defineGuard({ rules: [sentenceEnd.rule] });
  let written = "";
  let reason: string | undefined;
  for await (const event of runGeneration([start(), ...events, finish()], stage)) {
    if (event.type === "text" || event.type === "reasoning") written += event.text;
    if (event.type === "finish") ({ reason } = event.signal);
  }
  return { written, reason };
}

const pieces = (...values: readonly string[]): readonly GenerationEvent[] => values.map((value) => text(value));

describe("a stop at the end of the sentence", () => {
  it.each([
    [pieces("It is", " late", ".", " Good", " night."), "It is late."],
    [pieces("Is it", "? ", "Yes"), "Is it? "],
    [pieces('"Go!"', " he"), '"Go!"'],
    [pieces("(really.)", " and"), "(really.)"],
    [pieces("很晚了。", "晚安"), "很晚了。"],
    [pieces("क्या।", " हाँ"), "क्या।"],
    [pieces("- one\n", "- two"), "- one\n"],
    [pieces("Wait…", " no"), "Wait…"],
    [[reasoning("Hm."), ...pieces(" So")], "Hm."],
  ])("falls after the first one that a piece ends with: %j", async (events, written) => {
    expect(await stopIn(events)).toEqual({ written, reason: "cancelled" });
  });

  it("leaves an answer alone that nobody asked to end", async () => {
    expect(await stopIn(pieces("One.", " Two."), false)).toEqual({
      written: "One. Two.",
      reason: "natural_completion",
    });
  });

  it("does not cut a call in two", async () => {
    const { reason } = await stopIn(call("a", "say", { text: "Hi." }));
    expect(reason).toBe("tool_calls");
  });

  it("does not wait for ever", async () => {
    const { written, reason } = await stopIn(Array.from({ length: 1000 }, () => text("and ")));
    expect(reason).toBe("cancelled");
    expect(written.length).toBeLessThanOrEqual(4 * 200);
  });
});
