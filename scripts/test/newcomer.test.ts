import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { start } from "../newcomer/processes.mjs";
import { commandOf, examplesOf, promisesOf } from "../newcomer/readme.mjs";

const examples = examplesOf(readFileSync(path.resolve(import.meta.dirname, "../../README.md"), "utf8"));
const surroundings = { cwd: import.meta.dirname, env: { PATH: process.env["PATH"] } };

describe("the newcomer", () => {
  it("finds an example for each door in the README", () => {
    const doors = examples.map(({ language, heading }) => `${language} ${heading}`);
    expect(doors).toEqual([
      "sh fullstop",
      "ts The library",
      "ts The client you have",
      "sh The gateway",
      "sh The bot",
      "sh The pipe",
    ]);
  });

  it("finds the two commands, without what is said about them", () => {
    expect(commandOf(examples, "npm ci && npm start")).toBe("npm ci && npm start");
    expect(commandOf(examples, "npm ci && npm test")).toBe("npm ci && npm test");
    expect(() => commandOf(examples, "make")).toThrow('no command that begins with "make"');
  });

  it("knows what examples promise to print", () => {
    expect(examples.flatMap(promisesOf)).toContain("stop_sequence </answer>");
  });

  it("waits for words, and says so when a command ends without them", async () => {
    const command = start("echo ready; sleep 100", surroundings);
    expect((await command.until(/rea(?<rest>dy)/u, 30))[0]).toBe("ready");
    expect(await command.end()).toBe("SIGTERM");
    await expect(start("echo no; exit 3", surroundings).until(/ready/u, 30)).rejects.toThrow("It ended with 3");
  });
});
