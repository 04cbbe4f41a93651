import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openGatewayForFile } from "../support/gateway.ts";
import { ROOT, readPage, readPages, snippetsOf } from "../support/pages.ts";
import { runMain } from "../support/run.ts";
import { readScript } from "../support/shell.ts";
import type { ShellCommand } from "../support/shell.ts";

const LOCAL = "http://127.0.0.1:8787";

const commands = readPages()
  .flatMap((page) => snippetsOf(page, "sh"))
  .flatMap(({ place, code }) => readScript(code).map((words) => ({ place, words, line: words.join(" ") })));

/** What follows the name of our own program; undefined for other programs. */
function ownParameters([program = "", ...rest]: ShellCommand): ShellCommand | undefined {
  const isRunner = program === "npx" && ["fullstop", "@fullstop/gateway"].includes(rest[0] ?? "");
  if (isRunner) return rest.slice(1);
  return program.split("/").at(-1) === "fullstop" ? rest : undefined;
}

/** The options of a call that the program does not tell of. */
async function unknownOptions([command = "", ...rest]: ShellCommand): Promise<readonly string[]> {
  if (command.startsWith("-")) return ["--help", "--version", "-h"].includes(command) ? [] : [command];
  const { exitCode, stdout } = await runMain([command, "--help"]);
  if (exitCode !== 0) return [command];
  const told = new Set(stdout.match(/(?<![\w-])--?[a-z][\w-]*/gu));
  const options = rest.filter((word) => /^--?[a-z]/u.test(word)).map((word) => word.replace(/=.*/su, ""));
  return options.filter((option) => option !== "--help" && !told.has(option));
}

const own = commands.flatMap(({ place, words, line }) => {
  const parameters = ownParameters(words);
  return parameters === undefined ? [] : [{ place, line, parameters }];
});

describe("the commands of the documentation", () => {
  it("are there", () => {
    expect(own.length).toBeGreaterThan(8);
  });

  it.each(own)("exist, with their options: $line ($place)", async ({ parameters }) => {
    expect(await unknownOptions(parameters)).toEqual([]);
  });

  it("of npm are scripts that there are", () => {
    const { scripts } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as { scripts: object };
    const wanted = commands
      .filter(({ words }) => words[0] === "npm")
      .map(({ words: [, verb = "", name = ""] }) => (verb === "run" ? name : verb))
      .filter((name) => !["ci", "install"].includes(name));
    expect(wanted.length).toBeGreaterThan(1);
    expect(wanted.filter((name) => !(name in scripts))).toEqual([]);
  });
});

/** A call of curl, as far as the documentation uses it. */
function readCurl(words: ShellCommand): { readonly url: string; readonly init: RequestInit } {
  const headers: Record<string, string> = {};
  let [url, method, body]: (string | undefined)[] = [];
  for (let index = 1; index < words.length; index++) {
    const word = words[index] ?? "";
    const value = words[index + 1] ?? "";
    if (word === "-H") headers[value.split(":")[0] ?? ""] = value.slice(value.indexOf(":") + 1).trim();
    else if (word === "-X") method = value;
    else if (word === "-d") body = value;
    else if (/^https?:/u.test(word)) url = word;
    else if (!/^-[Nsf]+$/u.test(word))
      throw new Error(`The documentation calls curl with ${word}, which is not known here`);
    if (["-H", "-X", "-d"].includes(word)) index += 1;
  }
  return {
    url: url ?? "",
    init: { method: method ?? (body === undefined ? "GET" : "POST"), headers, ...(body !== undefined && { body }) },
  };
}

describe("the requests of the documentation", async () => {
  const gateway = await openGatewayForFile();
  const requests = commands.filter(({ words }) => words[0] === "curl" && words.some((word) => word.startsWith(LOCAL)));

  it("are there", () => {
    expect(requests.length).toBeGreaterThan(2);
  });

  it.each(requests)("are answered: $place", async ({ words }) => {
    const { url, init } = readCurl(words);
    const response = await fetch(url.replace(LOCAL, gateway.url), init);
    expect({ status: response.status, body: await response.text() }).toMatchObject({ status: 200 });
  });
});

describe("the unit of systemd", () => {
  const unit = snippetsOf(readPage("docs/deployment.md"), "ini")[0]?.code ?? "";
  const settings = new Map([...unit.matchAll(/^(\w+)=(.*)$/gmu)].map(([, name = "", value = ""]) => [name, value]));

  const [node, ...words] = (settings.get("ExecStart") ?? "").split(" ");
  const program = words.findIndex((word) => !word.startsWith("--"));

  it("starts a command that there is, with options that there are", async () => {
    const parameters = ownParameters(words.slice(program));
    expect(parameters?.[0]).toBe("serve");
    expect(await unknownOptions(parameters ?? [])).toEqual([]);
  });

  it("has the settings of Node that npm start and the container have", () => {
    const flags = words.slice(0, program);
    const { scripts } = JSON.parse(readPage("package.json").text) as { scripts: { start: string } };
    expect(node).toBe("/usr/bin/node");
    expect(scripts.start.startsWith(`node ${flags.join(" ")} packages/`)).toBe(true);
    expect(readPage("deploy/Dockerfile").text).toContain(
      JSON.stringify(["node", ...flags])
        .slice(0, -1)
        .replaceAll(",", ", "),
    );
  });

  it("waits longer than the server takes to end", () => {
    const [shutdownMilliseconds, readersMilliseconds] = [10_000, 2000];
    expect(Number(settings.get("TimeoutStopSec")) * 1000).toBeGreaterThan(shutdownMilliseconds + readersMilliseconds);
  });
});
