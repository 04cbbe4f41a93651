import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { SummaryReporter } from "./scripts/summary-reporter.ts";

export default defineConfig({
  test: {
    include: [
      "packages/*/test/**/*.test.ts",
      "bench/accuracy/*.test.ts",
      "bench/test/**/*.test.ts",
      "examples/test/**/*.test.ts",
      "fuzz/*.test.ts",
      "scripts/test/**/*.test.ts",
    ],
    // What needs a newer Node is run by one, and shown here by `packages/fullstop/test/adapters/on-node-24.test.ts`.
    exclude: [...configDefaults.exclude, "packages/fullstop/test/node-24/**"],
    reporters: ["default", new SummaryReporter()],
    // Properties run tens of thousands of cases; on a busy two-core machine that takes minutes and not the default 5 s.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // What is waited for comes when it comes: a browser, a model and a server may share the two cores.
    expect: { poll: { timeout: 30_000 } },
    execArgv: ["--expose-gc"],
    // Most tests wait for processes and sockets, so even on two cores two files at a time are done sooner than one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
