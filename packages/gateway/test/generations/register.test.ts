import { describe, expect, it } from "vitest";
import { Register } from "../../src/generations/register.ts";

describe("a register", () => {
  it("has what was put in and not taken out, in the order in which it came", () => {
    const register = new Register<{ readonly number: number }>();
    for (let number = 0; number < 100; number += 1) register.set(String(number), { number });
    for (let number = 0; number < 100; number += 2) register.delete(String(number));
    expect(register.all().map(({ number }) => number)).toEqual(Array.from({ length: 50 }, (_, index) => 2 * index + 1));
    expect(register.get("1")).toEqual({ number: 1 });
    expect(register.get("2")).toBeUndefined();
  });

  it("has what was put in last under a name, also after that was taken out before", () => {
    const register = new Register<{ readonly text: string }>();
    register.set("a", { text: "first" });
    register.delete("a");
    register.delete("never there");
    register.set("a", { text: "second" });
    expect(register.get("a")).toEqual({ text: "second" });
    expect(register.all()).toHaveLength(1);
  });
});
