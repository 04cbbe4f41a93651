import { describe, expect, it } from "vitest";
import { FullstopError, createTextGuard } from "../src/index.ts";

/** Options as a caller without types might pass them. */
const untyped = (options: unknown): Parameters<typeof createTextGuard>[0] => options as never;

describe("bad arguments are refused at the door, with the value quoted", () => {
  it.each([
    { options: { stop: [""] }, message: `stop must not hold an empty string, which would match at once, got ""` },
    { options: { stop: "" }, message: `got ""` },
    { options: { stop: [5] }, message: "stop must hold strings or {text} objects, got 5" },
    { options: { stop: [null] }, message: "got null" },
    { options: { stop: [/and|or/] }, message: "got /and|or/" },
    { options: { stop: 5 }, message: "stop must be a string or a list of strings, got 5" },
    { options: { stop: [{ text: 7n }] }, message: "stop must hold strings" },
    { options: { stop: ["\ud83d"] }, message: `half a character, got "\\ud83d"` },
    { options: { stop: ["x".repeat(70_000)] }, message: "at most 65536 characters" },
    { options: { stop: Array.from({ length: 80 }, (_, i) => String(i).padEnd(60_000, "-")) }, message: "in all" },
    {
      options: { stop: [{ text: "a", scope: "answer" }] },
      message: `scope must be "all" or one or more of text, reasoning, tool-arguments, got "answer"`,
    },
    { options: { stop: [{ text: "a", scope: [] }] }, message: "got []" },
    { options: { stop: [{ text: "a", include: 1 }] }, message: "stop include must be true or false, got 1" },
    { options: { include: "yes" }, message: `include must be true or false, got "yes"` },
    { options: { maxTokens: -1 }, message: "maxTokens must be a whole number of at least 0, got -1" },
    { options: { maxTokens: 1.5 }, message: "got 1.5" },
    { options: { maxTokens: "5" }, message: `got "5"` },
    { options: { maxCharacters: Number.NaN }, message: "got NaN" },
    { options: { minTokens: Number.POSITIVE_INFINITY }, message: "got Infinity" },
    { options: { maxMilliseconds: -5 }, message: "maxMilliseconds must be a number of at least 0, got -5" },
    {
      options: { maxCost: { amount: 1, perToken: "x" } },
      message: `maxCost perToken must be a number of at least 0, got "x"`,
    },
    { options: { eosTokenIds: 2 }, message: "eosTokenIds must be a list of token ids, got 2" },
    { options: { stopTokenIds: [1, "2"] }, message: `stopTokenIds must be a list of token ids, got [1,"2"]` },
    { options: { maxTokns: 5 }, message: `got "maxTokns"` },
    { options: { rules: [{}] }, message: "rules must hold {name, start} objects, got {}" },
    {
      options: { repetition: { minRepetitions: 1 } },
      message: "repetition minRepetitions must be a whole number of at least 2, got 1",
    },
    {
      options: { repetition: { minPatternLength: 50, maxPatternLength: 20 } },
      message: "repetition maxPatternLength must be a whole number of at least 50, got 20",
    },
    {
      options: { repetition: { windowSize: 20 } },
      message: "repetition windowSize must be a whole number of at least 30, got 20",
    },
    { options: { repetition: { windowSize: 1e9 } }, message: "repetition windowSize must be at most 1000000" },
    { options: { repetition: { unit: "words" } }, message: `got "words"` },
    { options: { repetition: { minReps: 4 } }, message: `got "minReps"` },
    { options: { repetition: "yes" }, message: `repetition must be an object, got "yes"` },
    { options: { repetition: { unit: "tokens", trim: true } }, message: "repetition trim works on characters only" },
    { options: { maxCost: 5 }, message: "maxCost must be an object, got 5" },
    { options: { maxCost: { amount: 1 } }, message: "maxCost perToken must be a number of at least 0, got NaN" },
    { options: { maxCost: { amount: 1, perTokens: 1 } }, message: `got "perTokens"` },
    { options: { stop: [{ text: "a", scop: "all" }] }, message: `got "scop"` },
    { options: { rules: 5 }, message: "rules must be a list, got 5" },
    { options: { now: 5 }, message: "now must be a function, got 5" },
    { options: { kind: "x" }, message: `got "kind"` },
    { options: null, message: "stop rules must be an object, got null" },
  ])("$message", ({ options, message }) => {
    expect(() => createTextGuard(untyped(options))).toThrow(FullstopError);
    expect(() => createTextGuard(untyped(options))).toThrow(message);
  });

  it("shortens a long value in the message", () => {
    expect(() => createTextGuard(untyped({ maxTokens: "9".repeat(500) }))).toThrow("… (502 characters)");
  });

  it("describes a value that refers to itself", () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    expect(() => createTextGuard(untyped({ maxTokens: loop }))).toThrow("got [object Object]");
  });

  it("a chunk that is no text", () => {
    expect(() => createTextGuard().push(untyped(5) as never)).toThrow("chunk must be a string, got 5");
  });

  it.each([7, null, "78", [1.5]])("token ids that are none, which no limit could count: %o", (ids) => {
    const guard = createTextGuard({ maxTokens: 2 });
    expect(() => guard.push("a", ids as never)).toThrow(FullstopError);
    expect(() => guard.push("a", ids as never)).toThrow(
      `tokenIds must be a list of token ids, got ${JSON.stringify(ids)}`,
    );
    guard.push("ab", [1, 2]);
    expect(guard.signal?.reason).toBe("token_limit_reached");
  });

  it("a push after the end, which would lose text", () => {
    const guard = createTextGuard();
    guard.end();
    expect(() => guard.push("more")).toThrow("push was called after end");
  });
});
