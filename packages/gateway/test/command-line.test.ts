import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../src/commands.ts";
import { runMain } from "./support/run.ts";

const page = readFileSync(path.resolve(import.meta.dirname, "../../../docs/command-line.md"), "utf8");

describe("docs/command-line.md", () => {
  it.each([[], ...[...COMMANDS.keys()].map((name) => [name])])(
    "holds the help of fullstop %s as it is",
    async (...name) => {
      const { exitCode, stdout } = await runMain([...name, "--help"]);
      expect(exitCode).toBe(0);
      expect(page).toContain(`\`\`\`text\n${stdout}\`\`\`\n`);
    },
  );
});
