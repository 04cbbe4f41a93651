import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sectionOf } from "../release/edits.mjs";
import { isBefore } from "../release/problems.mjs";
import { openRegistry } from "./support/package-registry.ts";
import { COMMITTER, copyRepository } from "./support/repository-copy.ts";
import type { RepositoryCopy } from "./support/repository-copy.ts";

const run = promisify(execFile);
let copy: RepositoryCopy;

beforeAll(() => {
  copy = copyRepository();
}, 120_000);
afterAll(() => rmSync(path.dirname(copy.root), { recursive: true }), 120_000);
beforeEach(() => {
  copy.git("switch", "--quiet", "--force", "main");
  copy.git("reset", "--quiet", "--hard", "origin/main");
});

async function release(parameters: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const call = run(process.execPath, ["scripts/release.mjs", ...parameters], {
    cwd: copy.root,
    env: { ...process.env, ...COMMITTER, ...env },
    maxBuffer: 1e8,
  });
  return call.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { readonly code: number; readonly stdout: string; readonly stderr: string }) => error,
  );
}

function read(file: string): string {
  return readFileSync(path.join(copy.root, file), "utf8");
}

/** Puts a section into the changelog, as it is at origin too. */
function announce(version: string, ...items: readonly string[]): void {
  const section = [`## ${version} (unreleased)`, "", ...items, ""].join("\n");
  writeFileSync(path.join(copy.root, "CHANGELOG.md"), `# Changelog\n\n${section}\n## 0.0.9 (2026-01-01)\n\n- Old.\n`);
  copy.git("commit", "--quiet", "--all", "--message", "Announce");
  copy.git("push", "--quiet", "origin", "main");
}

describe("a release", () => {
  it("that is only tried says what it would do, and does nothing", async () => {
    announce("0.2.0", "- Something.");
    const { code, stdout } = await release(["0.2.0"]);
    expect(code).toBe(0);
    expect(stdout).toContain("would run npm test");
    expect(stdout).toContain("would write packages/gateway/package.json");
    expect(stdout).toContain('    "fullstop": "0.2.0"');
    expect(stdout).toMatch(/would write CHANGELOG\.md\n +## 0\.2\.0 \(\d{4}-\d{2}-\d{2}\)/u);
    const order = [...stdout.matchAll(/would run npm publish.*\/(?<file>[^/]+)\.tgz/gu)].map(
      ({ groups }) => groups?.["file"],
    );
    expect(order).toEqual([
      "fullstop-pip-0.2.0",
      "fullstop-0.2.0",
      "fullstop-telegram-0.2.0",
      "fullstop-gateway-0.2.0",
    ]);
    expect(stdout).toContain("Nothing was done.");
    expect(copy.git("status", "--porcelain")).toBe("");
    expect(copy.git("tag")).toBe("");
  });

  it("sets versions, dates the changelog, packs, tags, pushes and publishes", async () => {
    announce("0.3.0-beta.1", "- Something.");
    const registry = await openRegistry();
    writeFileSync(path.join(copy.root, "../npmrc"), `//${registry.url.slice("http://".length)}:_authToken=none\n`);
    const env = { npm_config_registry: registry.url, npm_config_userconfig: path.join(copy.root, "../npmrc") };
    const { code, stderr, stdout } = await release(["0.3.0-beta.1", "--run", "--tests-passed"], env);
    expect(stderr).not.toContain("npm error");
    expect(code).toBe(0);
    expect(stdout).toContain("\nit is built\n");

    expect(registry.published.map(({ name, tags }) => [name, tags])).toEqual([
      ["@fullstop/pip", ["next"]],
      ["fullstop", ["next"]],
      ["@fullstop/telegram", ["next"]],
      ["@fullstop/gateway", ["next"]],
    ]);
    expect(registry.published[3]?.versions["0.3.0-beta.1"]?.dependencies).toMatchObject({
      fullstop: "0.3.0-beta.1",
      "@fullstop/pip": "0.3.0-beta.1",
      "@fullstop/telegram": "0.3.0-beta.1",
    });
    expect(read("CHANGELOG.md")).toMatch(/^## 0\.3\.0-beta\.1 \(\d{4}-\d{2}-\d{2}\)$/mu);
    expect(JSON.parse(read("packages/gateway/openapi.json"))).toMatchObject({ info: { version: "0.3.0-beta.1" } });
    const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, { version: string }> };
    expect(packages["packages/telegram"]).toMatchObject({
      version: "0.3.0-beta.1",
      dependencies: { fullstop: "0.3.0-beta.1" },
    });
    expect(copy.git("status", "--porcelain")).toBe("");
    const commit = copy.git("rev-parse", "HEAD");
    expect(copy.git("ls-remote", "origin", "refs/heads/main", "refs/tags/v0.3.0-beta.1^{}").match(/^\w+/gmu)).toEqual([
      commit,
      commit,
    ]);
  });

  it.each([
    ["a version that is none", "next", () => undefined, 'must be like 1.2.3 or 1.2.3-beta.1, got "next"'],
    [
      "another branch",
      "0.9.0",
      () => copy.git("switch", "--quiet", "--create", `side-${Date.now()}`),
      "Releases are made on main",
    ],
    ["changes", "0.9.0", () => writeFileSync(path.join(copy.root, "new.txt"), ""), "not committed:\n?? new.txt"],
    [
      "commits that are not at origin",
      "0.9.0",
      () => copy.git("commit", "--quiet", "--allow-empty", "--message", "More"),
      "main is not what it is at origin",
    ],
    ["a tag of that name", "0.9.1", () => copy.git("tag", "v0.9.1"), "There is a tag v0.9.1 already"],
    ["an older version", "0.0.1", () => undefined, "0.0.1 comes before"],
    ["nothing in the changelog", "0.9.0", () => undefined, 'no section "## 0.9.0 (unreleased)"'],
    [
      "an empty section in the changelog",
      "0.9.2",
      () => announce("0.9.2"),
      "The section for 0.9.2 in CHANGELOG.md is empty",
    ],
  ])("is refused with %s", async (_name, version, prepare, message) => {
    prepare();
    const { code, stderr } = await release([version]);
    rmSync(path.join(copy.root, "new.txt"), { force: true });
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });

  it("wants a version", async () => {
    expect(await release([])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("usage: npm run release") as string,
    });
  });
});

describe("versions", () => {
  it.each([
    ["1.2.3", "1.2.4", true],
    ["1.9.0", "1.10.0", true],
    ["1.2.3", "1.2.3", false],
    ["1.2.3-beta.1", "1.2.3", true],
    ["1.2.3", "1.2.3-beta.1", false],
    ["1.2.3-beta.2", "1.2.3-beta.10", true],
  ])("%s before %s: %s", (one, other, expected) => {
    expect(isBefore(one, other)).toBe(expected);
  });
});

describe("the section of a version in the changelog", () => {
  it("is what stands up to the next one", () => {
    const changelog = "# Changelog\n\n## 0.2.0 (unreleased)\n\n- Two.\n\n## 0.1.0 (2026-01-01)\n\n- One.\n";
    expect(sectionOf(changelog, "0.2.0")).toBe("- Two.");
    expect(sectionOf(changelog, "0.1.0")).toBeUndefined();
  });
});
