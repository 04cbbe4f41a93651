import { describe, expect, it } from "vitest";
import { createTextGuard, defineStopRules } from "../src/index.ts";
import { guardText } from "./support/guard-text.ts";

describe("stop strings", () => {
  it("100,000 of them are fine, and the right one is found", () => {
    const stop = Array.from({ length: 100_000 }, (_, index) => `<stop ${index}>`);
    const rules = defineStopRules({ stop });
    expect(guardText([..."see <stop 98765> now"], rules)).toMatchObject({
      text: "see ",
      signal: { stopSequence: "<stop 98765>" },
    });
    expect(guardText([..."see <stop 100000> now"], rules)).toMatchObject({
      text: "see <stop 100000> now",
      signal: undefined,
    });
  });

  it("100,000 Chinese ones with thousands of different characters are fine too", () => {
    const han = (index: number): string => String.fromCharCode(0x4e00 + (index % 20_000));
    const stop = Array.from({ length: 100_000 }, (_, index) => han(index * 7) + han(index * 13 + 5) + han(index));
    const wanted = stop[54_321]!;
    expect(guardText([`好${wanted}`], { stop }).signal?.stopSequence).toBe(wanted);
  });

  it.each([
    { stop: "STOP", text: "a sToP b", shown: "a " },
    { stop: "straße", text: "die STRAßE dort", shown: "die " },
    { stop: "ΣΑΣ", text: "σας", shown: "" },
    { stop: "Ünï", text: "x üNÏ", shown: "x " },
    { stop: "kelvin", text: "1 \u212aelvin", shown: "1 " },
  ])("$stop is found in $text when case does not matter", ({ stop, text, shown }) => {
    const rules = { stop: [stop], caseInsensitive: true };
    expect(guardText([text], rules)).toMatchObject({ text: shown, signal: { stopSequence: stop } });
    expect(guardText(text.split(""), rules).text).toBe(shown);
    expect(guardText([text], { stop: [stop] }).text).toBe(text);
  });

  it.each([
    { stop: "STRASSE", text: "die straße" },
    { stop: "İ", text: "i\u0307" },
    { stop: "FI", text: "\ufb01" },
    { stop: "𐐀", text: "𐐨" },
  ])("$stop is not found in $text, whose case differs in length or lies beyond the basic plane", ({ stop, text }) => {
    const rules = { stop: [stop], caseInsensitive: true };
    expect(guardText([text], rules).text).toBe(text);
    expect(guardText([stop], rules).text).toBe("");
  });

  it("spellings that differ in case only fold into one, whatever their order", () => {
    for (const stop of [
      ["STOP", "stop"],
      ["stop", "STOP"],
    ]) {
      expect(guardText(["Stop"], { stop, caseInsensitive: true }).signal?.stopSequence).toBe("STOP");
    }
  });

  it("a string given twice, once to be kept, is hidden", () => {
    const kept = { text: "X", include: true };
    const hidden = { text: "X" };
    for (const stop of [
      [kept, hidden],
      [hidden, kept],
    ])
      expect(guardText(["aXb"], { stop }).text).toBe("a");
  });

  it("one set of rules serves many texts at once", () => {
    const rules = defineStopRules({ stop: ["END"], maxTokens: 3 });
    const guards = [createTextGuard(rules), createTextGuard(rules)];
    expect(guards.map((guard) => guard.push("aEN"))).toEqual(["a", "a"]);
    expect(guards[0]!.push("D")).toBe("");
    expect(guards[1]!.push("d")).toBe("ENd");
  });
});
