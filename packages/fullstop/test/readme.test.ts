import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { transform } from "esbuild";
import { describe, expect, it, vi } from "vitest";

const root = path.resolve(import.meta.dirname, "../../..");

/** The TypeScript examples of a page. */
function examplesOf(page: string): string[] {
  const text = readFileSync(path.join(root, page), "utf8");
  return [...text.matchAll(/```ts\n(?<code>.*?)```/gs)].map((match) => match.groups!["code"]!);
}

/** What an example says it prints: the comments behind its `console.log` lines. */
function promisesOf(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\); \/\/ (?<output>.*)$/gm)].map((match) => match.groups!["output"]!);
}

const examples = ["README.md", "packages/fullstop/README.md"].flatMap((page) =>
  examplesOf(page).map((code, index) => ({ name: `${page}, example ${index + 1}`, code })),
);

describe("the examples", () => {
  it("are there", () => {
    expect(examples.length).toBeGreaterThanOrEqual(3);
  });

  it.each(examples)("$name prints what it says", async ({ code }) => {
    const { code: script } = await transform(code, { loader: "ts" });
    // Inside the package, so that its own name means it, as it is built.
    const file = path.resolve(
      import.meta.dirname,
      `../dist/.example-${examples.findIndex((one) => one.code === code)}.mjs`,
    );
    writeFileSync(file, script);
    const printed: string[] = [];
    const log = vi
      .spyOn(console, "log")
      .mockImplementation((...values: unknown[]) => void printed.push(values.join(" ")));
    try {
      await import(/* @vite-ignore */ pathToFileURL(file).href);
    } finally {
      log.mockRestore();
      rmSync(file);
    }
    expect(printed.map((line) => line.trimEnd())).toEqual(promisesOf(code));
  });
});
