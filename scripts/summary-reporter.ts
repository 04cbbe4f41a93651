import type { Reporter, TestModule } from "vitest/node";

/**
 * Ends the output of a test run with one plain line, `412 passed, 0 failed`. Where the environment says `CI=true`
 * a skipped test counts as a failure: what CI did not run, it did not show.
 */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      if (module.state() === "failed" && [...module.children.allTests("failed")].length === 0) counts.failed += 1;
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
    }
    const skipped = counts.skipped + counts.pending;
    if (skipped > 0 && process.env["CI"] === "true") {
      counts.failed += skipped;
      process.exitCode = 1;
      console.error(`${skipped} tests were skipped, which CI does not accept`);
    }
    console.log(`${counts.passed} passed, ${counts.failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`);
  }
}
