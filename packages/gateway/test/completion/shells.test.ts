import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/commands.ts";
import { createFolder } from "../support/folder.ts";
import { runMain } from "../support/run.ts";

const folder = createFolder();
mkdirSync(folder.path("here"));
for (const name of ["answer.sse", "answer two.sse", "fullstop.config.json"]) folder.write(`here/${name}`, "");

/** How each shell is asked what it suggests at the end of a line, with the script and the line as its last words. */
const ASK = {
  zsh: ["zsh", "-f", path.resolve(import.meta.dirname, "zsh/suggestions.zsh")],
  fish: ["fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]"],
} as const;

describe.each(["zsh", "fish"] as const)("completion in %s", async (shell) => {
  const file = folder.write(`completion.${shell}`, (await runMain(["completion", shell])).stdout);

  /** What the shell suggests at the end of a line, without what it says about it. */
  function complete(line: string): readonly string[] {
    const [program, ...parameters] = ASK[shell];
    const { stdout, stderr, status } = spawnSync(program, [...parameters, file, line], {
      cwd: folder.path("here"),
      encoding: "utf8",
      env: { ...process.env, HOME: folder.path(""), TERM: "xterm" },
      timeout: 60_000,
    });
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    const words = stdout.split("\n").map((suggestion) => suggestion.split("\t")[0] ?? "");
    return words.filter((word) => word !== "").sort();
  }

  it("suggests commands first", () => {
    expect(complete("fullstop ")).toEqual(expect.arrayContaining([...COMMANDS.keys()]));
    expect(complete("fullstop se")).toEqual(["serve"]);
    expect(complete("fullstop nothing")).toEqual([]);
  });

  it.each([...COMMANDS])("suggests all options of %s", async (name, { describe: describeIt }) => {
    const { options } = await describeIt();
    const names = [...Object.keys(options), "help"].map((each) => `--${each}`).sort();
    expect(complete(`fullstop ${name} --`)).toEqual(names);
  });

  it.each([
    ["fullstop pipe --re", ["--repetition"]],
    ["fullstop telegram --when-busy ", ["ignore", "interrupt", "queue"]],
    ["fullstop telegram --when-busy i", ["ignore", "interrupt"]],
    ["fullstop inspect --format gem", ["gemini", "gemini-interactions"]],
    ["fullstop serve --port ", []],
    ["fullstop serve --config full", ["fullstop.config.json"]],
    ["fullstop inspect an", ["answer two.sse", "answer.sse"]],
    ["fullstop inspect answer.sse an", ["answer two.sse", "answer.sse"]],
    ["fullstop models p", ["pull"]],
    ["fullstop models pull r", []],
    ["fullstop models pull --j", ["--json"]],
    ["fullstop completion z", ["zsh"]],
    ["fullstop nobody --", []],
  ])("%s", (line, suggested) => {
    expect(complete(line)).toEqual(suggested);
  });
});
