import { execFile } from "node:child_process";
import { symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { createFolder } from "../support/folder.ts";
import { openGatewayForFile } from "../support/gateway.ts";
import { ROOT, promisesOf, readPages, snippetsOf } from "../support/pages.ts";
import type { Snippet } from "../support/pages.ts";

const run = promisify(execFile);

/** Pages whose examples a test of the library runs, with providers of its own behind them. */
const RUN_ELSEWHERE: ReadonlySet<string> = new Set(["packages/fullstop/README.md", "docs/adapters.md"]);

/** The address that examples ask; a gateway of the test's own is there instead. */
const EXAMPLE_ADDRESS = "http://127.0.0.1:8787";

/** Where the AI SDK is installed, which needs a newer Node than the rest. */
const AI_SDK = path.join(ROOT, "packages/fullstop/test/node-24/node_modules");

/** What readers bring themselves. Whether it is used rightly cannot be told here. */
const READERS_OWN = ["@opentelemetry/sdk-node"];

const snippets = readPages().flatMap((page) => snippetsOf(page, "ts", "js"));
const runnable = snippets.filter((snippet) => promisesOf(snippet).length > 0 && !RUN_ELSEWHERE.has(snippet.page));

/** A folder in which the packages of this repository are installed. */
const folder = createFolder();

beforeAll(() => {
  symlinkSync(path.join(ROOT, "node_modules"), folder.path("node_modules"));
});

describe("the examples of the documentation", () => {
  it("are all well-typed", async () => {
    const files = snippets.map(({ language, code, place }, index) =>
      folder.write(`${index}-${place.replaceAll(/\W/gu, "-")}.m${language}`, `${code}\nexport {};\n`),
    );
    const shims = READERS_OWN.map((name) => `declare module "${name}";\n`).join("");
    const compilerOptions = {
      noEmit: true,
      strict: true,
      allowJs: true,
      target: "es2022",
      lib: ["es2023", "dom", "dom.asynciterable"],
      module: "nodenext",
      types: ["node"],
      skipLibCheck: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: true,
      paths: {
        ai: [path.join(AI_SDK, "ai/dist/index.d.ts")],
        "@ai-sdk/*": [path.join(AI_SDK, "@ai-sdk/*/dist/index.d.ts")],
      },
    };
    files.push(folder.write("shims.d.ts", shims));
    const project = folder.write("tsconfig.json", JSON.stringify({ compilerOptions, files }));
    const compiler = path.join(
      path.dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
      "bin/tsc",
    );
    const { stdout } = await run(process.execPath, [compiler, "-p", project]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe("");
  });

  it("are run where they say what they print", () => {
    expect(runnable.length).toBeGreaterThan(15);
  });

  describe("each as a program", async () => {
    const gateway = await openGatewayForFile();

    it.each(runnable)("$place prints what it says", async (snippet: Snippet) => {
      const code = snippet.code.replaceAll(EXAMPLE_ADDRESS, gateway.url);
      const { code: script } = await transform(code, { loader: "ts" });
      const file = folder.write(`run-${snippet.place.replaceAll(/\W/gu, "-")}.mjs`, script);
      const { stdout } = await run(process.execPath, [file]);
      const lines = stdout.split("\n").map((line) => line.trimEnd());
      expect(lines.slice(0, -1)).toEqual(promisesOf(snippet));
    });
  });
});
