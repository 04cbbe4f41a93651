import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { transform } from "esbuild";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { openEveryProvider } from "./every-provider.ts";

const root = path.resolve(import.meta.dirname, "../../../..");

/** A TypeScript example of a page. */
interface Example {
  readonly name: string;
  readonly code: string;
}

/** The TypeScript examples of the pages on the library. */
export const EXAMPLES: readonly Example[] = ["packages/fullstop/README.md", "docs/adapters.md"].flatMap((page) =>
  examplesOf(page).map((code, index) => ({ name: `${page}, example ${index + 1}`, code })),
);

function examplesOf(page: string): string[] {
  const text = readFileSync(path.join(root, page), "utf8");
  return [...text.matchAll(/```ts\n(?<code>.*?)```/gs)].map((match) => match.groups!["code"]!);
}

/** Whether an example is of the AI SDK, which needs a newer Node than fullstop. */
export function isOfAiSdk({ code }: Example): boolean {
  return /from "(?:ai|@ai-sdk\/[\w-]+)"/u.test(code);
}

/** What an example says it prints: the comments behind its `console.log` lines. */
function promisesOf(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\); \/\/ (?<output>.*)$/gm)].map((match) => match.groups!["output"]!);
}

/** Describes that examples print what they say, run in a folder from which all that they import is found. */
export function describeExamples(examples: readonly Example[], folder: string): void {
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

    it.each(examples)("$name prints what it says", async ({ name, code }) => {
      const { code: script } = await transform(code, { loader: "ts" });
      const file = path.join(folder, `.example-${name.replaceAll(/\W/gu, "-")}.mjs`);
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
}
