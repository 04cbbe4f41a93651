import { execFile } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { MUTATIONS } from "../../../../torture/mutations/mutations.ts";

const ROOT = path.resolve(import.meta.dirname, "../../../..");

/** The short form of `npm run torture`, which does thirty times as many. */
const RUN = ["torture/run.ts", "--seed", "11", "--count", "320", "--at-once", "40"];

describe("random generations through two replicas, under random faults", () => {
  it("keep every guarantee, and see every kind of fault", async () => {
    const run = promisify(execFile)(process.execPath, ["--import", "./scripts/typescript-hooks.mjs", ...RUN], {
      cwd: ROOT,
    });
    const { stdout, code } = await run.then(
      ({ stdout: text }) => ({ stdout: text, code: 0 }),
      (error: { readonly stdout: string; readonly code: number }) => error,
    );
    expect(stdout).toMatch(/^320 generations in \d+ s \(seed 11\): 0 violations$/mu);
    expect(stdout).not.toContain("seen too rarely");
    expect(code).toBe(0);
  });
});

describe("the checker of the torture", () => {
  it.each(MUTATIONS)("can be shown a mistake: $name", ({ file, text, instead }) => {
    const built = readFileSync(path.join(ROOT, "packages", file), "utf8");
    expect(built.split(text)).toHaveLength(2);
    expect(instead).not.toBe(text);
  });

  it("takes nothing from the code that it judges", () => {
    const folder = path.join(ROOT, "torture/checker");
    const imports = readdirSync(folder).flatMap((file) => {
      const source = readFileSync(path.join(folder, file), "utf8");
      return [...source.matchAll(/from "(?<target>[^"]+)"/gu)].map(({ groups }) => groups?.["target"] ?? "");
    });
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.filter((target) => !/^(?:\.\/|node:|\.\.\/(?!\.\.))/u.test(target))).toEqual([]);
  });
});
