import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** The scripts that take options, as package.json starts them. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  bench: ["bench/run.mjs"],
  fuzz: ["fuzz/run.mjs"],
  torture: ["--import", "./scripts/typescript-hooks.mjs", "torture/run.ts"],
  newcomer: ["--import", "./scripts/typescript-hooks.mjs", "scripts/newcomer.mjs"],
  release: ["scripts/release.mjs"],
};

function run(name: string, option: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...(SCRIPTS[name] ?? []), option], {
    cwd: ROOT,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe.each(Object.keys(SCRIPTS))("npm run %s", (name) => {
  it("says what it can do when it is asked", () => {
    const { status, stdout } = run(name, "--help");
    expect(status).toBe(0);
    expect(stdout).toContain(`npm run ${name}`);
  });

  it("does nothing with an option that there is not, and says what there is", () => {
    const { status, stdout, stderr } = run(name, "--nonsense");
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain("--nonsense");
    expect(stderr).toContain(`npm run ${name}`);
    expect(stderr).not.toMatch(/^ {4}at /mu);
  });
});
