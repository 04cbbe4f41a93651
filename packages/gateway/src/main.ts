import { readFileSync } from "node:fs";
import { COMMANDS } from "./commands.ts";
import { quote } from "./printable.ts";
import { describeSystemError } from "./system-error.ts";
import { guardOutput, writeText } from "./terminal.ts";
import type { Terminal } from "./terminal.ts";

const USAGE = "usage: fullstop COMMAND [OPTION…] (see fullstop --help)\n";

/** Runs the command line with the parameters that follow the program's name, and gives the exit code. */
export async function main(parameters: readonly string[], terminal: Terminal): Promise<number> {
  guardOutput(terminal);
  try {
    return await dispatch(parameters, terminal);
  } catch (error) {
    const words = describeSystemError(error);
    // Anything that is not the system's doing is a mistake of ours, and its trace is wanted.
    if (words === undefined) throw error;
    await writeText(terminal.stderr, `fullstop: cannot go on: ${words}\n`);
    return 1;
  }
}

async function dispatch([name, ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  const { stdout, stderr } = terminal;
  // What people try first, before they know how help is asked for here.
  if (name === "help" && rest[0] !== undefined) return dispatch([rest[0], "--help"], terminal);
  if (name === "--help" || name === "-h" || name === "help") {
    await writeText(stdout, helpText());
    return 0;
  }
  if (name === "--version" || name === "-v") {
    await writeText(stdout, `${readVersion()}\n`);
    return 0;
  }
  const command = name === undefined ? undefined : COMMANDS.get(name);
  if (command !== undefined) return (await command.load())(rest, terminal);
  const kind = name?.startsWith("-") === true ? "option" : "command";
  const complaint = name === undefined ? "a command is missing" : `there is no ${kind} ${quote(name)}`;
  await writeText(stderr, `fullstop: ${complaint}; the commands are: ${[...COMMANDS.keys()].join(", ")}\n${USAGE}`);
  return 2;
}

function helpText(): string {
  const width = Math.max(...[...COMMANDS.keys()].map((name) => name.length));
  const commands = [...COMMANDS].map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `usage: fullstop COMMAND [OPTION…]

commands:
${commands.join("\n")}

fullstop COMMAND --help says more about a command.
fullstop --version says which version this is.
`;
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const isManifest = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return isManifest ? String(manifest.version) : "unknown";
}
