import { readFileSync } from "node:fs";
import { quote } from "./printable.ts";
import { describeSystemError } from "./system-error.ts";
import { guardOutput, writeText } from "./terminal.ts";
import type { RunCommand, Terminal } from "./terminal.ts";

interface Command {
  readonly summary: string;
  /** Loads the command's code. Nothing else may import it, so that no command has to wait for another's. */
  load(): Promise<RunCommand>;
}

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  [
    "serve",
    {
      summary: "start the gateway: one server in front of every model, that stops when told",
      load: async () => (await import("./serve/command.ts")).runServe,
    },
  ],
  [
    "telegram",
    {
      summary: "run a Telegram bot whose answers can be interrupted",
      load: async () => (await import("./telegram/command.ts")).runTelegram,
    },
  ],
  [
    "inspect",
    {
      summary: "say what a recorded answer of a model provider is and how it ended",
      load: async () => (await import("./inspect/command.ts")).runInspect,
    },
  ],
]);

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
  if (name === "--help" || name === "-h") {
    await writeText(stdout, helpText());
    return 0;
  }
  if (name === "--version") {
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
