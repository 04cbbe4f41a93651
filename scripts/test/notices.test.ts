import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, "../..");

describe("the notices of what the page is bundled with", () => {
  it("are as they would be written", async () => {
    await expect(run(process.execPath, ["scripts/write-notices.mjs", "--check"], { cwd: root })).resolves.toBeDefined();
  });

  it("name each package with its licence", () => {
    const notices = readFileSync(path.join(root, "packages/gateway/THIRD-PARTY-NOTICES.txt"), "utf8");
    const names = [...notices.matchAll(/^(?<name>\S+) [\d.]+ \((?<licence>\S+)\)$/gmu)].map(
      ({ groups }) => groups?.["name"],
    );
    expect(names).toEqual(["preact", "uplot"]);
    expect(notices.match(/^Permission is hereby granted/gmu)).toHaveLength(2);
  });
});
