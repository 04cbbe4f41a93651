import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../src/commands.ts";
import { chatStream } from "./support/answers.ts";
import { createFolder } from "./support/folder.ts";
import { runBin, runBinUnread, runMain } from "./support/run.ts";

const folder = createFolder();
const manifest = JSON.parse(readFileSync(path.resolve(import.meta.dirname, "../package.json"), "utf8")) as {
  version: string;
};

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

/** The files of the package that a run loads, by their names inside `dist`. */
async function loadedFiles(name: string, parameters: readonly string[]): Promise<string[]> {
  const directory = folder.path(name);
  const { exitCode } = await runBin(parameters, { env: { NODE_V8_COVERAGE: directory } });
  expect(exitCode).toBe(0);
  const reports = readdirSync(directory).map(
    (file) => JSON.parse(readFileSync(path.join(directory, file), "utf8")) as Coverage,
  );
  const urls = reports.flatMap(({ result }) => result.map(({ url }) => url));
  return urls.flatMap((url) => url.split("/gateway/dist/")[1] ?? []);
}

describe("the command line", () => {
  it("says its version", async () => {
    const expected = { exitCode: 0, stdout: `${manifest.version}\n`, stderr: "" };
    expect(await runMain(["--version"])).toEqual(expected);
    expect(await runMain(["-v"])).toEqual(expected);
    expect(await runBin(["--version"])).toEqual(expected);
  });

  it("helps with a command however it is asked", async () => {
    expect(await runMain(["help", "inspect"])).toEqual(await runMain(["inspect", "--help"]));
    expect(await runMain(["help", "inspekt"])).toMatchObject({ exitCode: 2, stdout: "" });
  });

  it.each([["--help"], ["-h"], ["help"]])("lists its commands on %s", async (option) => {
    const { exitCode, stdout, stderr } = await runMain([option]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^usage: fullstop COMMAND/u);
    expect(stdout).toMatch(/^ {2}inspect +\S/mu);
  });

  it.each([
    { parameters: [], complaint: "a command is missing" },
    { parameters: ["inspekt", "a.sse"], complaint: 'there is no command "inspekt"' },
    { parameters: ["--verbose"], complaint: 'there is no option "--verbose"' },
    { parameters: ["\u001B[2J"], complaint: 'there is no command "\\u001b[2J"' },
    { parameters: ["constructor"], complaint: 'there is no command "constructor"' },
  ])("refuses $parameters", async ({ parameters, complaint }) => {
    expect(await runMain(parameters)).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `fullstop: ${complaint}; the commands are: ${[...COMMANDS.keys()].join(", ")}\nusage: fullstop COMMAND [OPTION…] (see fullstop --help)\n`,
    });
  });

  it("loads the code of a command only when it is asked for", async () => {
    const answer = folder.write("answer.sse", chatStream);
    expect(await loadedFiles("inspect", ["inspect", answer])).toContain("inspect/command.js");
    const files = await loadedFiles("version", ["--version"]);
    expect(files).toContain("cli.js");
    expect(files.filter((file) => file.includes("/"))).toEqual([]);
  });

  it("is silent when its reader leaves", async () => {
    const answer = folder.write("unread.sse", chatStream);
    const expected = { exitCode: 0, stderr: "" };
    expect(await runBinUnread(["inspect", "--json", ...Array.from({ length: 200 }, () => answer)])).toEqual(expected);
    const writeError = Object.assign(new Error("write EPIPE"), { code: "EPIPE", errno: -32 });
    expect(await runMain(["inspect", answer], { writeError })).toMatchObject(expected);
  });

  it("says so when its output cannot be written", async () => {
    const writeError = Object.assign(new Error("ENOSPC: no space left on device, write"), {
      code: "ENOSPC",
      errno: -28,
    });
    expect(await runMain(["--version"], { writeError })).toMatchObject({
      exitCode: 1,
      stderr: "fullstop: cannot go on: no space left on device\n",
    });
  });
});
