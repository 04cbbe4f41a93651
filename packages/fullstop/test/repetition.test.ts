import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PeriodDetector } from "../src/stop/period-detector.ts";
import { DEFAULT_TEXT_PROFILE, createFixedProfile } from "../src/stop/repetition-profiles.ts";
import { defineGuard } from "../src/index.ts";
import type { GenerationEvent } from "../src/index.ts";
import { pushThrough } from "./support/events.ts";
import { guardText, guardTokens, metadataOf } from "./support/guard-text.ts";
import { firstRepetition } from "./support/oracle.ts";
import { same } from "./support/same.ts";

/** A text whose letters follow no pattern, the same every time. */
function noise(length: number, letters = "abcdefghijklmnopqrstuvwxyz .,"): string {
  let state = 12_345;
  let text = "";
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text += letters.charAt((state >>> 16) % letters.length);
  }
  return text;
}

describe("the period detector", () => {
  it("agrees with the plain rule on sequences made of repetitions inside repetitions", () => {
    const letters = fc.array(fc.nat(2), { minLength: 1, maxLength: 30 });
    const nested = fc
      .tuple(letters, fc.integer({ min: 1, max: 3 }), letters)
      .map(([inner, times, other]) => [...Array.from({ length: times }, () => inner).flat(), ...other]);
    const parts = fc.array(fc.tuple(fc.oneof(letters, nested), fc.integer({ min: 1, max: 5 })), { maxLength: 5 });
    const settings = fc.record({
      minPatternLength: fc.integer({ min: 1, max: 12 }),
      maxPatternLength: fc.integer({ min: 12, max: 120 }),
      minRepetitions: fc.integer({ min: 2, max: 5 }),
    });
    fc.assert(
      fc.property(parts, settings, (pieces, { minPatternLength, maxPatternLength, minRepetitions }) => {
        const sequence = pieces.flatMap(([unit, times]) => Array.from({ length: times }, () => unit).flat());
        const windowSize = 10_000;
        const profile = createFixedProfile(minPatternLength, maxPatternLength, minRepetitions, windowSize);
        const detector = new PeriodDetector(profile, Int32Array);
        const end = sequence.findIndex((symbol) => detector.push(symbol)) + 1;
        const rule = { minPatternLength, maxPatternLength, minRepetitions, windowSize };
        same(end, firstRepetition(sequence, rule)?.end ?? 0);
      }),
      { numRuns: 10_000 },
    );
  });

  it("reads text as it reads symbols", () => {
    const letters = fc.array(fc.constantFrom("a", "b", "ab", "ba"), { maxLength: 60 });
    fc.assert(
      fc.property(letters, fc.integer({ min: 2, max: 4 }), (parts, repetitions) => {
        const text = parts.join("");
        const profile = createFixedProfile(2, 20, repetitions, 1000);
        const [bySymbol, byText] = [new PeriodDetector(profile, Int32Array), new PeriodDetector(profile, Uint16Array)];
        const end = text.split("").findIndex((letter) => bySymbol.push(letter.charCodeAt(0))) + 1;
        same(byText.readText(text, 0), end);
        same(byText.loop, bySymbol.loop);
      }),
      { numRuns: 10_000 },
    );
  });

  it("never takes noise for a loop", () => {
    const detector = new PeriodDetector(DEFAULT_TEXT_PROFILE, Uint16Array);
    expect(detector.readText(noise(300_000, "ab"), 0)).toBe(0);
  });
});

describe("the settings of the plain rule", () => {
  const plain = { minPatternLength: 10, maxPatternLength: 100, minRepetitions: 3, windowSize: 1000 };

  it.each([
    { what: "a pattern of the shortest length", text: "abcdefghij".repeat(3), count: 3, pattern: "abcdefghij" },
    {
      what: "a pattern of the longest length",
      text: noise(100).repeat(3),
      count: 3,
      pattern: noise(100).slice(0, 60) + "…",
    },
    { what: "a shorter unit, by its multiple", text: "abc".repeat(12), count: 3, pattern: "abcabcabcabc" },
    { what: "one letter", text: "a".repeat(30), count: 3, pattern: "aaaaaaaaaa" },
  ])("find $what", ({ text, count, pattern }) => {
    const guarded = guardText([text + "rest"], { repetition: plain });
    expect(guarded.text).toBe(text);
    expect(guarded.signal).toMatchObject({
      reason: "repetition_detected",
      message: `Repetition detected: ${pattern} repeated ${count} times`,
    });
  });

  it.each([
    { what: "one copy too few", text: "abcdefghij".repeat(2) + "abcdefghi" },
    { what: "a pattern that is too long", text: noise(101).repeat(5) },
    { what: "a pattern that would not fit the window three times", text: noise(90).repeat(6), window: 250 },
  ])("do not find $what", ({ text, window = 1000 }) => {
    expect(guardText([text], { repetition: { ...plain, windowSize: window } }).signal).toBeUndefined();
  });

  it("any one of them switches the plain rule on, with the usual values for the others", () => {
    expect(guardText(["abcdefghij".repeat(3)], { repetition: { minRepetitions: 3 } }).signal).toBeDefined();
    expect(guardText(["abcdefghij".repeat(3)], { repetition: {} }).signal).toBeUndefined();
    expect(guardText(["abcdefghij".repeat(3)], { repetition: false }).signal).toBeUndefined();
  });
});

describe("the default profile", () => {
  const leadIn = noise(777);

  it.each([1, 2, 3, 5, 8, 13, 16, 17, 40, 100, 250, 999, 1500, 2000])(
    "recognises a loop of period %i, counts its primitive unit, and reports where it lies",
    (period) => {
      const unit = noise(period, "abcdefghijklmnop qrstuvwxyz");
      const text = `${leadIn}#${unit.repeat(Math.ceil(6000 / period) + 6)}`;
      const { signal } = guardText([text], { repetition: true });
      expect(signal?.reason).toBe("repetition_detected");
      expect(metadataOf(signal)).toMatchObject({ period, start: leadIn.length + 1, keep: leadIn.length + 1 + period });
    },
  );

  it.each([
    { what: "a sentence", unit: "I should check the file again. ", most: 330 },
    { what: "a short word", unit: "okay ", most: 420 },
    { what: "a number", unit: "3.14159 ", most: 1020 },
    { what: "a rule", unit: "-", most: 2520 },
    { what: "dots", unit: ". ", most: 2520 },
    { what: "zeros", unit: "0, ", most: 2520 },
  ])("asks for more evidence the less is said: $what", ({ unit, most }) => {
    const { text } = guardText([unit.repeat(4000)], { repetition: true });
    expect(text.length).toBeLessThanOrEqual(most);
    expect(
      guardText([unit.repeat(Math.floor((most * 0.85) / unit.length))], { repetition: true }).signal,
    ).toBeUndefined();
  });

  const unit = "Wait, let me think about that again. ";
  const thinking: GenerationEvent = { type: "reasoning", text: unit.repeat(30) };
  const call: GenerationEvent = { type: "tool-call-delta", callId: "1", json: unit.repeat(30) };

  it.each([
    { event: thinking, repetition: true, loop: true },
    { event: thinking, repetition: { scope: "text" as const }, loop: false },
    { event: call, repetition: true, loop: false },
    { event: call, repetition: { scope: "tool-arguments" as const }, loop: true },
  ])("watches $event.type under $repetition: $loop", ({ event, repetition, loop }) => {
    const last = pushThrough(defineGuard({ repetition }), [event]).at(-1);
    expect(last?.type === "finish" && last.signal.reason === "repetition_detected").toBe(loop);
  });

  it.each([
    { what: "with ids of their own", idOf: (index: number) => `${index}` },
    { what: "by a source that uses one id for all", idOf: () => "0" },
  ])("takes identical tool calls, $what, for calls and not for one loop", ({ idOf }) => {
    const calls = Array.from({ length: 20 }, (_, index): GenerationEvent[] => [
      { type: "tool-call-start", callId: idOf(index), name: "poll" },
      { type: "tool-call-delta", callId: idOf(index), json: `{"path": "/var/log/messages", "lines": 100}` },
      { type: "tool-call-end", callId: idOf(index) },
    ]).flat();
    const guard = defineGuard({ repetition: { scope: "tool-arguments" } });
    expect(pushThrough(guard, calls)).toEqual(calls);
  });

  it("takes halves of characters neither for a loop nor apart", () => {
    const settings = { minPatternLength: 1, maxPatternLength: 4, minRepetitions: 2 };
    const text = "\u{20200}😀😁 fine";
    expect(guardText([text], { repetition: settings })).toMatchObject({ text, signal: undefined });
    const halves = Array.from({ length: 4 }, () => "\ud83d");
    const inPieces = guardText(halves, { repetition: settings });
    expect(guardText([halves.join("")], { repetition: settings }).text).toBe(inPieces.text);
  });

  it("works on token ids", () => {
    const pieces = Array.from({ length: 600 }, (_, index) => [" ", [7, 8, 9, 10][index % 4]!] as const);
    const { signal } = guardTokens(pieces, { repetition: { unit: "tokens" } });
    expect(signal).toMatchObject({ message: "Repetition detected: [7, 8, 9, 10] repeated 32 times" });
    expect(metadataOf(signal)).toMatchObject({ unit: "tokens", start: 0, end: 128, period: 4 });
  });

  it("shows line breaks in its message as such and shortens long units", () => {
    const { signal } = guardText([`${"a long line of thought, ".repeat(4)}\nand an end\n`.repeat(9)], {
      repetition: true,
    });
    expect(signal?.message).toMatch(/^Repetition detected: a long line of thought, .{35,}… repeated 5 times$/);
    const lines = guardText(["one line\n".repeat(99)], { repetition: true });
    expect(lines.signal?.message).toBe(String.raw`Repetition detected: one line\n repeated 44 times`);
  });
});

describe("trimming", () => {
  const unit = "And then the story begins once more. ";

  it("leaves one copy and what was out before the run was recognised", () => {
    const text = `Once:${unit.repeat(30)}`;
    const trimmed = guardText([text], { repetition: { trim: true } });
    expect(text.startsWith(trimmed.text)).toBe(true);
    expect(trimmed.text.length).toBeLessThan(`Once:${unit}${unit}`.length);
    expect(trimmed.text.startsWith(`Once:${unit}`)).toBe(true);
    expect(text.slice(0, metadataOf(trimmed.signal)["keep"] as number)).toBe(`Once:${unit}`);
  });

  it("does not cut a character in two for half a one that stands alone behind it", () => {
    const text = "<😀\ude00";
    const repetition = { minPatternLength: 1, maxPatternLength: 6, minRepetitions: 4, trim: true };
    expect(guardText([text], { repetition }).shown).toEqual(["<😀"]);
    expect(guardText([text], { repetition }).text).toBe(text);
  });

  it("lets a run that ends in time out whole", () => {
    const text = `Once:${unit.repeat(3)}The end, at last, of this.`;
    expect(guardText(text.split(""), { repetition: { trim: true } })).toMatchObject({ text, signal: undefined });
  });
});
