import { describe, expect, it } from "vitest";
import { compileRules } from "../../src/rules/compile-rules.ts";

describe("compiling rules", () => {
  it("is done once for rules that say the same", () => {
    const rules = { stop: ["END"], repetition: true };
    const compiled = compileRules(rules);
    expect(compileRules(rules)).toBe(compiled);
    expect(compileRules({ stop: ["END"], repetition: true })).toBe(compiled);
    expect(compileRules({ stop: ["END"], repetition: false })).not.toBe(compiled);
  });

  it("keeps the latest sets, and none that are very long", () => {
    const first = compileRules({ stop: ["the first"] });
    for (let count = 0; count < 100; count += 1) compileRules({ stop: [`stop ${count}`] });
    expect(compileRules({ stop: ["the first"] })).not.toBe(first);
    const long = { stop: Array.from({ length: 1000 }, (_, index) => `string ${index}`) };
    expect(compileRules({ ...long })).not.toBe(compileRules({ ...long }));
  });

  it("refuses what cannot be used, every time", () => {
    for (let time = 0; time < 2; time += 1) expect(() => compileRules({ stop: [""] })).toThrow(/empty string/u);
  });
});
