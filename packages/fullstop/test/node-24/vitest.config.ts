import { defineConfig } from "vitest/config";

/** Run by Node 24 on its own; `test/adapters/on-node-24.test.ts` shows its results among all others. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    testTimeout: 120_000,
  },
});
