import { cancelledSignal, createTerminationSignal } from "fullstop";
import { describe, expect, it } from "vitest";
import { ModelRouter } from "../../src/models/model-router.ts";
import { createLabels } from "../../src/operations/labels.ts";

const router = new ModelRouter({ providers: [], models: new Map(), aliases: new Map(), fallbacks: new Map() });

const failed = (detail?: string) =>
  createTerminationSignal({ reason: "error_termination", originalField: "error", originalValue: "", detail });

describe("the label of a detail", () => {
  it.each([
    ["a word of ours", failed("truncated"), "truncated"],
    ["nothing", failed(), "none"],
    ["a sentence", failed("Your key is sk-1"), "other"],
    ["a very long word", failed("a".repeat(41)), "other"],
    ["whoever stopped it", cancelledSignal("new_message"), "new_message"],
    ["a caller's word", cancelledSignal("mine"), "other"],
  ])("of %s", (_, signal, expected) => {
    expect(createLabels(router).detail(signal)).toBe(expected);
  });

  it("is one of a bounded number, however many there are", () => {
    const labels = createLabels(router);
    const letters = [..."abcdefghijklmnopqrstuvwxyz"];
    const words = letters.flatMap((one) => letters.map((other) => one + other));
    const told = new Set(words.map((word) => labels.detail(failed(word))));
    expect(told.size).toBe(65);
    expect(told).toContain("other");
    // One that was there before the others came stays.
    expect(labels.detail(failed("aa"))).toBe("aa");
  });
});
