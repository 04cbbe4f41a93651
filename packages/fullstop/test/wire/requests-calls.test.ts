import { describe, expect, it } from "vitest";
import { createCallIds } from "../../src/wire/requests/calls.ts";

describe("the ids of calls that come without", () => {
  it("are found for half a million results without looking through all of them each time", () => {
    const count = 500_000;
    const ids = createCallIds();
    for (let made = 0; made < count; made += 1) ids.ofCall(undefined, "f");
    let last = "";
    for (let found = 0; found < count; found += 1) last = ids.ofResult(undefined, "f");
    expect(last).toBe(`call_${count - 1}`);
  });

  it("are made up for as many calls, whatever ids the others have", () => {
    const count = 100_000;
    const ids = createCallIds();
    for (let given = 0; given < count; given += 1) ids.ofCall(`call_${count + given}`, "f");
    let last = "";
    for (let made = 0; made < count; made += 1) last = ids.ofCall(undefined, "f");
    expect(last).toBe(`call_${3 * count - 1}`);
  });

  it("pass over calls that have their result, and those of other tools", () => {
    const ids = createCallIds();
    for (const name of ["f", "g", "f", "f"]) ids.ofCall(undefined, name);
    expect(ids.ofResult("call_0", "f")).toBe("call_0");
    expect(ids.ofResult(undefined, "f")).toBe("call_2");
    expect(ids.ofResult(undefined, "g")).toBe("call_1");
    expect(ids.ofResult(undefined, "g")).toBe("call_4");
  });
});
