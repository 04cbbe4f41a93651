import { describe, expect, it } from "vitest";
import { createTextGuard, defineGuard, defineStopRules, stopRulesFromConfig } from "../src/index.ts";
import { pushThrough } from "./support/events.ts";
import { guardText, guardTokens, metadataOf } from "./support/guard-text.ts";

describe("limits and end tokens", () => {
  it.each([0, 1, 2, 5])("maxTokens %i lets exactly that many tokens through", (maxTokens) => {
    const { text, signal } = guardTokens(
      Array.from({ length: 8 }, (_, id) => [`t${id} `, id]),
      { maxTokens },
    );
    expect(text.split(" ").filter(Boolean)).toHaveLength(maxTokens);
    expect(signal).toMatchObject({ reason: "token_limit_reached", message: "Maximum tokens reached" });
  });

  it("an end token has the message people know", () => {
    expect(
      guardTokens(
        [
          ["a", 1],
          ["", 2],
        ],
        { eosTokenIds: [2] },
      ).signal,
    ).toMatchObject({
      reason: "natural_completion",
      confidence: "high",
      message: "End of sequence token detected",
      providerSpecific: { originalField: "eos_token_id", originalValue: "2" },
    });
  });

  it.each([
    { maxCharacters: 0, shown: "" },
    { maxCharacters: 4, shown: "abcd" },
    { maxCharacters: 7, shown: "abcdef" },
    { maxCharacters: 8, shown: "abcdef😀" },
  ])("maxCharacters $maxCharacters never halves a character", ({ maxCharacters, shown }) => {
    for (const pieces of [["abcdef😀gh"], [..."abcdef😀gh"], "abcdef😀gh".split("")]) {
      expect(guardText(pieces, { maxCharacters }).text).toBe(shown);
    }
  });

  it.each([
    { name: "a stop string", text: "abcdef😀", rules: { stop: ["f"] } },
    { name: "a loop", text: "abcdff😀", rules: { repetition: { minPatternLength: 1, minRepetitions: 2 } } },
  ])("a limit that falls into a character has not come at $name before it, however they are cut", ({ text, rules }) => {
    for (const pieces of [[text], text.split("")]) {
      const { signal } = guardText(pieces, { ...rules, maxCharacters: 7 });
      expect(signal?.reason).not.toBe("token_limit_reached");
      expect(metadataOf(signal)["also"]).toEqual([]);
    }
  });

  it("time is taken from the clock it was given, from the start of each generation", () => {
    let now = 1000;
    const rules = defineStopRules({ maxMilliseconds: 50, now: () => now });
    const first = createTextGuard(rules);
    now = 1049;
    first.push("a");
    expect(first.signal).toBeUndefined();
    const second = createTextGuard(rules);
    now = 1050;
    expect(first.push("b")).toBe("b");
    expect(first.signal).toMatchObject({ reason: "budget_exceeded", detail: "deadline" });
    second.push("a");
    expect(second.signal).toBeUndefined();
  });

  it("money is counted by the token", () => {
    const { text, signal } = guardTokens(
      [
        ["a", 1],
        ["b", 2],
        ["c", 3],
      ],
      { maxCost: { amount: 0.02, perToken: 0.01 } },
    );
    expect(text).toBe("ab");
    expect(signal).toMatchObject({ reason: "budget_exceeded", detail: "cost" });
  });

  it("an end token counts by its own number, not by that of the piece it came in", () => {
    const rules = { eosTokenIds: [9], minTokens: 2 };
    expect(
      guardTokens(
        [
          ["a", 9],
          ["b", 2],
          ["c", 3],
        ],
        rules,
      ).signal,
    ).toBeUndefined();
    expect(guardTokens([["abc", 9, 2, 3]], rules).signal).toBeUndefined();
    expect(guardTokens([["abc", 1, 2, 9]], rules).signal?.reason).toBe("natural_completion");
  });

  it("an empty list of token ids brings no token, and rules on text work all the same", () => {
    const guard = createTextGuard({ stop: ["b"], maxTokens: 1 });
    expect(guard.push("a", []) + guard.push("b", [])).toBe("a");
    expect(guard.signal?.reason).toBe("stop_sequence");
  });

  it("no thinking at all may be shown when none is allowed", () => {
    const events = pushThrough(defineGuard({ maxReasoningTokens: 0 }), [
      { type: "text", text: "a" },
      { type: "reasoning", text: "b" },
    ]);
    expect(events).toMatchObject([{ type: "text", text: "a" }, { signal: { detail: "reasoning_tokens" } }]);
  });

  it("a limit of nothing ends even a source that sends nothing", () => {
    const [only] = pushThrough(defineGuard({ maxTokens: 0 }), []);
    expect(only).toMatchObject({ type: "finish", signal: { reason: "token_limit_reached" } });
  });

  it("a text that has ended cannot be cancelled any more", () => {
    const guard = createTextGuard({});
    guard.end();
    expect(guard.cancel()).toBe("");
    expect(guard.signal).toBeUndefined();
  });

  it("the short form builds fresh rules: a limit, loops, end tokens on by default", () => {
    const rules = stopRulesFromConfig(
      { maxTokens: 5, repetitionDetection: { minPatternLength: 2, maxPatternLength: 4 } },
      [2],
    );
    expect(
      guardTokens(
        [
          ["a", 1],
          ["", 2],
        ],
        rules,
      ).signal?.reason,
    ).toBe("natural_completion");
    expect(guardTokens([["abababab", 1]], rules).signal?.reason).toBe("repetition_detected");
    expect(
      guardTokens(
        Array.from({ length: 9 }, (_, id) => [`${id}`, 10 + id]),
        rules,
      ).text,
    ).toBe("01234");
    const deaf = stopRulesFromConfig({ eosDetection: false }, [2]);
    expect(
      guardTokens(
        [
          ["a", 1],
          ["", 2],
          ["b", 3],
        ],
        deaf,
      ).text,
    ).toBe("ab");
  });
});

describe("rules of the caller's own", () => {
  const signal = {
    reason: "unknown",
    shouldTerminate: true,
    confidence: "low",
    providerSpecific: { originalField: "mine", originalValue: "" },
  } as const;

  it("see each step with its counts, and end the generation", () => {
    const steps: unknown[] = [];
    const rule = {
      name: "mine",
      start: () => (step: { text: string; tokens: number; characters: number }) => {
        steps.push([step.text, step.tokens, step.characters]);
        return step.tokens >= 3 ? signal : undefined;
      },
    };
    const { text, signal: ending } = guardTokens(
      [
        ["ab", 1],
        ["c", 2, 3],
        ["d", 4],
      ],
      { rules: [rule] },
    );
    expect(text).toBe("abc");
    expect(steps).toEqual([
      ["ab", 1, 2],
      ["c", 3, 3],
    ]);
    expect(ending).toMatchObject({ reason: "unknown", providerSpecific: { originalField: "mine" } });
  });

  it.each([
    {
      what: "throws while checking",
      start: () => () => {
        throw new Error("broken");
      },
    },
    {
      what: "throws when it starts",
      start: () => {
        throw new Error("broken");
      },
    },
    { what: "answers with something else than a signal", start: () => () => true as never },
  ])("one that $what is reported once and switched off, and the others go on", ({ start }) => {
    const reports: string[] = [];
    const { text, signal: ending } = guardTokens(
      [
        ["a", 1],
        ["b", 2],
        ["c", 3],
      ],
      {
        rules: [{ name: "bad", start }],
        maxTokens: 2,
        onRuleError: (name) => reports.push(name),
      },
    );
    expect(reports).toEqual(["bad"]);
    expect(text).toBe("ab");
    expect(ending?.reason).toBe("token_limit_reached");
  });

  it("a clock that throws switches the deadline off, not the generation", () => {
    const reports: unknown[] = [];
    const { text } = guardTokens(
      [
        ["a", 1],
        ["b", 2],
      ],
      {
        maxMilliseconds: 5,
        now: () => {
          throw new Error("no clock");
        },
        onRuleError: (name, error) => reports.push(name, error),
      },
    );
    expect(text).toBe("ab");
    expect(reports).toEqual(["deadline", new Error("no clock")]);
  });
});
