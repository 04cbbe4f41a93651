import { describe, expect, it } from "vitest";
import { runOnNode24 } from "../support/node-24.ts";

const files = await runOnNode24();

it("has tests on Node 24", () => {
  expect(files.flatMap(({ tests }) => tests).length).toBeGreaterThan(100);
});

describe.each(files)("on Node 24: $file", ({ tests }) => {
  it.each(tests)("$name", ({ failure }) => {
    expect(failure).toBe("");
  });
});
