import { describe, expect, it } from "vitest";
import { runOnNode24 } from "../support/node-24.ts";

const files = await runOnNode24();

it("has tests on Node 24", () => {
  expect(files.flatMap(({ tests }) => tests).length).toBeGreaterThan(300);
});

// Not `it.each`, which shortens names.
for (const { file, tests } of files) {
  describe(`on Node 24: ${file}`, () => {
    for (const { name, failure } of tests) {
      it(`${name}`, () => {
        expect(failure).toBe("");
      });
    }
  });
}
