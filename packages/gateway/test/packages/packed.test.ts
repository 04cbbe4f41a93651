import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import type { Problem } from "@arethetypeswrong/core";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, "../../../..");
const folder = mkdtempSync(path.join(tmpdir(), "fullstop-packages-"));

/** The packages that are published, with the most bytes that each may have as people download it. */
const PACKAGES = [
  { name: "fullstop", directory: "packages/fullstop", limit: 1_150_000 },
  { name: "@fullstop/telegram", directory: "packages/telegram", limit: 250_000 },
  { name: "@fullstop/gateway", directory: "packages/gateway", limit: 650_000 },
  { name: "@fullstop/pip", directory: "models/pip", limit: 8_000_000 },
] as const;

interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly overrides: Readonly<Record<string, unknown>>;
}

function manifestOf(directory: string): Manifest {
  return JSON.parse(readFileSync(path.join(root, directory, "package.json"), "utf8")) as Manifest;
}

const packed = new Map<string, Packed>();

beforeAll(async () => {
  for (const { name, directory } of PACKAGES) {
    const parameters = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
    const { stdout } = await run("npm", parameters, { cwd: path.join(root, directory), maxBuffer: 1e8 });
    const [found] = JSON.parse(stdout) as [Packed];
    packed.set(name, found);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

function packedOf(name: string): Packed {
  return packed.get(name)!;
}

/** The packages are made of ES modules, which Node 20.19 lets others `require`; whoever has less cannot have them. */
function isExpected(problem: Problem): boolean {
  const isOld = "resolutionKind" in problem && problem.resolutionKind === "node10";
  return isOld || problem.kind === "CJSResolvesToESM";
}

/** What can be imported from a package, as people write it. */
function entriesOf({ name, directory }: (typeof PACKAGES)[number]): readonly string[] {
  return Object.keys(manifestOf(directory).exports).map((entry) => path.posix.join(name, entry));
}

describe.each(PACKAGES)("$name", ({ name, directory, limit }) => {
  test("has its manifest, its words, its licence and its code, and nothing else", () => {
    const strays = packedOf(name).files.filter(
      ({ path: file }) =>
        !/^(?:package\.json|README\.md|LICENSE|MODEL\.md|THIRD-PARTY-NOTICES\.txt|config\.schema\.json|openapi\.json|index\.(?:js|d\.ts)|pip-q8_0\.gguf)$/u.test(
          file,
        ) && !/^(?:dist|src|bin)\/(?!.*(?:\.test\.|tsbuildinfo|\.example-))/u.test(file),
    );

    expect(strays).toEqual([]);
    expect(packedOf(name).files.map(({ path: file }) => file)).toEqual(
      expect.arrayContaining(["package.json", "LICENSE"]),
    );
  });

  test(`has at most ${limit} bytes`, () => {
    expect(packedOf(name).size).toBeLessThanOrEqual(limit);
  });

  test("is as publint wants packages to be", async () => {
    const { messages } = await publint({ pkgDir: path.join(root, directory), pack: "npm", strict: true });

    expect(messages).toEqual([]);
  });

  test("has types for whoever imports it as it is meant to be", async () => {
    const tarball = new Uint8Array(readFileSync(path.join(folder, packedOf(name).filename)));
    const analysis = await checkPackage(createPackageFromTarballData(tarball));
    const problems = "problems" in analysis ? analysis.problems : [];

    expect(problems.filter((problem) => !isExpected(problem))).toEqual([]);
  });
});

describe("in an empty project", () => {
  const project = path.join(folder, "project");
  const entries = PACKAGES.flatMap(entriesOf);

  beforeAll(async () => {
    mkdirSync(project);
    // As in this repository, the binaries for graphics cards are left out, which are 600 MB.
    const overrides = { "node-llama-cpp": manifestOf(".").overrides["node-llama-cpp"] };
    const manifest = { name: "empty", private: true, type: "module", overrides };
    writeFileSync(path.join(project, "package.json"), JSON.stringify(manifest));
    const tarballs = PACKAGES.map(({ name }) => path.join(folder, packedOf(name).filename));
    const parameters = ["install", "--no-audit", "--no-fund", "--prefer-offline", ...tarballs];
    await run("npm", parameters, { cwd: project, maxBuffer: 1e8 });
  }, 300_000);

  test("everything that is listed can be imported", async () => {
    const lines = entries.map((entry) => `console.log("${entry}", Object.keys(await import("${entry}")).length > 0);`);
    writeFileSync(path.join(project, "import.mjs"), lines.join("\n"));
    const { stdout } = await run(process.execPath, ["import.mjs"], { cwd: project });

    expect(stdout.trim().split("\n")).toEqual(entries.map((entry) => `${entry} true`));
  });

  test.each(["nodenext", "bundler"])("types are found with %s", async (resolution) => {
    const lines = entries.map((entry, index) => `import * as entry${index} from "${entry}";\nvoid entry${index};`);
    writeFileSync(path.join(project, "types.mts"), lines.join("\n"));
    const tsc = path.join(root, "node_modules/typescript/bin/tsc");
    const module = resolution === "nodenext" ? "nodenext" : "esnext";
    const flags = ["--module", module, "--moduleResolution", resolution, "--strict", "--noEmit", "--skipLibCheck"];
    const types = ["--types", "node", "--typeRoots", path.join(root, "node_modules/@types")];
    const { stdout } = await run(process.execPath, [tsc, ...flags, ...types, "--target", "es2022", "types.mts"], {
      cwd: project,
    });

    expect(stdout).toBe("");
  });

  test("the embedded model answers", async () => {
    const script = `
      import { createLlamaEngine } from "fullstop/llama";
      const engine = createLlamaEngine({ model: "pip" });
      const content = [{ type: "text", text: "What number comes before 395?" }];
      let answer = "";
      for await (const event of engine.generate({ model: "pip", messages: [{ role: "user", content }] }, new AbortController().signal)) {
        if (event.type === "text") answer += event.text;
      }
      console.log(answer);
      await engine.dispose();`;
    writeFileSync(path.join(project, "answer.mjs"), script);
    const { stdout } = await run(process.execPath, ["answer.mjs"], { cwd: project });

    expect(stdout).toContain("394");
  });

  test("the command runs", async () => {
    const { stdout } = await run("npx", ["--no-install", "fullstop", "--help"], { cwd: project });

    expect(stdout).toContain("usage: fullstop COMMAND");
  });
});
