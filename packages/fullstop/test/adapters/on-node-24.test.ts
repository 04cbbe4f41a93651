import { describe, expect, it } from "vitest";
import { runOnNode24 } from "../support/node-24.ts";

const files = await runOnNode24();

it("has tests on Node 24", () => {
  expect(files.flatMap(({ tests }) => tests).length).toBeGreaterThan(300);
});

describe.each(files)("on Node 24: $file", ({ tests }) => {
  // By their places in a list: names that are filled in by key are shortened.
  it.each(tests.map(({ name, failure }) => [name, failure] as const))("%s", (_name, failure) => {
    expect(failure).toBe("");
  });
});
