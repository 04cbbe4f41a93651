import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/commands.ts";
import { writeBashScript } from "../../src/completion/bash.ts";
import type { DescribedCommand } from "../../src/completion/described-command.ts";
import { writeFishScript } from "../../src/completion/fish.ts";
import { SHELLS } from "../../src/completion/options.ts";
import { writeZshScript } from "../../src/completion/zsh.ts";
import { createFolder } from "../support/folder.ts";
import { runMain } from "../support/run.ts";

const folder = createFolder();
const script = (await runMain(["completion", "bash"])).stdout;
const file = folder.write("completion.bash", script);

mkdirSync(folder.path("here"));
for (const name of ["answer.sse", "answer two.sse", "fullstop.config.json"]) folder.write(`here/${name}`, "");

/** What bash suggests for the last of some words. */
function complete(...words: readonly string[]): readonly string[] {
  const { stdout, stderr, status } = spawnSync(
    "bash",
    [
      "--norc",
      "-c",
      `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _fullstop 2> /dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`,
      file,
      "fullstop",
      ...words,
    ],
    { cwd: folder.path("here"), encoding: "utf8" },
  );
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout.trimEnd().split("\n").filter(Boolean).sort();
}

/** Commands with everything that quoting and the kinds of options can bring. */
const EXAMPLE: readonly DescribedCommand[] = [
  {
    name: "sing",
    summary: "it's a song: a \\ long one",
    options: {
      loud: { type: "flag", help: "doesn't whisper [much]" },
      key: { type: "value", value: "K", help: "the key: of the song", choices: ["major", "minor"] },
      sheet: { type: "value", value: "FILE", help: "the sheet", isFile: true },
      verse: { type: "values", value: "N", help: "which verses" },
    },
    operands: { usage: "FILE…", suggests: "files" },
  },
  { name: "rest", summary: "rest", options: {}, operands: { usage: "WORD", suggests: ["short", "long"] } },
  { name: "leave", summary: "leave", options: {} },
];

describe("completion in bash", () => {
  it("suggests commands first", () => {
    expect(complete("")).toEqual([...COMMANDS.keys(), "--help", "--version"].sort());
    expect(complete("se")).toEqual(["serve"]);
    expect(complete("--v")).toEqual(["--version"]);
    expect(complete("nothing")).toEqual([]);
  });

  it.each([...COMMANDS])(
    "suggests all options of %s, which its help has too",
    async (name, { describe: describeIt }) => {
      const { options } = await describeIt();
      const names = [...Object.keys(options), "help"].map((each) => `--${each}`).sort();
      expect(complete(name, "--")).toEqual(names);
      const { exitCode, stdout } = await runMain([name, "--help"]);
      expect(exitCode).toBe(0);
      for (const each of names) expect(stdout).toMatch(new RegExp(`^  ${each}\\b`, "mu"));
      expect(stdout).toMatch(/^examples?:\n {2}\S/mu);
      expect(stdout).toMatch(/^exit codes:\n {2}0 /mu);
    },
  );

  it.each([
    { words: ["pipe", "--re"], suggested: ["--repetition"] },
    { words: ["telegram", "--when-busy", ""], suggested: ["ignore", "interrupt", "queue"] },
    { words: ["telegram", "--when-busy", "i"], suggested: ["ignore", "interrupt"] },
    { words: ["inspect", "--format", "gem"], suggested: ["gemini", "gemini-interactions"] },
    { words: ["serve", "--port", ""], suggested: [] },
    { words: ["serve", "--config", "full"], suggested: ["fullstop.config.json"] },
    { words: ["inspect", "an"], suggested: ["answer two.sse", "answer.sse"] },
    { words: ["inspect", "answer.sse", "an"], suggested: ["answer two.sse", "answer.sse"] },
    { words: ["models", ""], suggested: ["list", "pull", "remove"] },
    { words: ["models", "pull", ""], suggested: [] },
    { words: ["models", "pull", "--"], suggested: ["--config", "--directory", "--help", "--json"] },
    { words: ["completion", "z"], suggested: ["zsh"] },
    { words: ["pipe", ""], suggested: [] },
    { words: ["nobody", "--"], suggested: [] },
  ])("$words", ({ words, suggested }) => {
    expect(complete(...words)).toEqual(suggested);
  });

  it("has no word of a description run", () => {
    const risky = EXAMPLE.map((command) => ({ ...command, summary: "$(touch x) `touch y`" }));
    const cwd = folder.path("risky");
    mkdirSync(cwd);
    const { status, stderr } = spawnSync("bash", [], { input: writeBashScript(risky), cwd, encoding: "utf8" });
    expect({ status, stderr, written: readdirSync(cwd) }).toEqual({ status: 0, stderr: "", written: [] });
  });
});

describe("the scripts", () => {
  it.each([
    { shell: "bash", write: writeBashScript },
    { shell: "zsh", write: writeZshScript },
    { shell: "fish", write: writeFishScript },
  ])("are written like this for $shell", async ({ shell, write }) => {
    await expect(write(EXAMPLE)).toMatchFileSnapshot(`scripts/example.${shell}`);
  });

  it.each(SHELLS)("know all commands and options in %s", async (shell) => {
    const { exitCode, stdout, stderr } = await runMain(["completion", shell]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    for (const name of COMMANDS.keys()) expect(stdout).toContain(name);
    expect(stdout).toMatch(/when-busy/u);
  });

  it.each([
    { parameters: [], says: "a shell is missing: bash, zsh, fish" },
    { parameters: ["tcsh"], says: 'the shell must be one of bash, zsh, fish, got "tcsh"' },
    { parameters: ["bash", "zsh"], says: 'there is nothing to do with "zsh"' },
  ])("are refused for $parameters", async ({ parameters, says }) => {
    const { exitCode, stderr } = await runMain(["completion", ...parameters]);
    expect(exitCode).toBe(2);
    expect(stderr).toBe(`fullstop completion: ${says}\nusage: fullstop completion bash | zsh | fish\n`);
  });
});
