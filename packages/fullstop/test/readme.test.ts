import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { transform } from "esbuild";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { openEveryProvider } from "./support/every-provider.ts";

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

const examples = ["packages/fullstop/README.md", "docs/adapters.md"].flatMap((page) =>
  examplesOf(page).map((code, index) => ({ name: `${page}, example ${index + 1}`, code })),
);

describe("the examples", () => {
  // What clients ask by default, in place of the providers themselves.
  beforeAll(async () => {
    const { address, close } = await openEveryProvider();
    vi.stubEnv("OPENAI_BASE_URL", `${address}/v1`);
    vi.stubEnv("ANTHROPIC_BASE_URL", address);
    vi.stubEnv("GOOGLE_GEMINI_BASE_URL", address);
    for (const name of ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"]) vi.stubEnv(name, "none");
    return async () => {
      vi.unstubAllEnvs();
      await close();
    };
  });

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
