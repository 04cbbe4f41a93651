import { spawn } from "node:child_process";
import path from "node:path";
import { text } from "node:stream/consumers";
import { main } from "../../src/main.ts";
import type { OutputStream, Terminal } from "../../src/terminal.ts";

/** What a run of the command line left behind. */
export interface Outcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a run finds around it. */
export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
  /** The folder of a process of its own. */
  readonly cwd?: string;
}

const bin = path.resolve(import.meta.dirname, "../../bin/fullstop.js");

/** Runs the installed command in a process of its own. */
export async function runBin(parameters: readonly string[], { env = {}, stdin = "", cwd }: Surroundings = {}) {
  const child = spawn(process.execPath, [bin, ...parameters], { env, cwd });
  child.stdin.end(stdin);
  const exit = new Promise<number | null>((resolve) => void child.on("close", resolve));
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { exitCode, stdout, stderr } satisfies Outcome;
}

/** Runs the installed command for a reader that leaves before the first word. */
export async function runBinUnread(parameters: readonly string[]): Promise<Omit<Outcome, "stdout">> {
  const child = spawn(process.execPath, [bin, ...parameters], { env: {} });
  child.stdin.end();
  child.stdout.destroy();
  const exit = new Promise<number | null>((resolve) => void child.on("close", resolve));
  const [stderr, exitCode] = await Promise.all([text(child.stderr), exit]);
  return { exitCode, stderr };
}

/** What a run in this process finds around it. */
export interface TerminalParts extends Surroundings {
  readonly columns?: number;
  readonly isTTY?: boolean;
  /** What every write to standard output fails with. */
  readonly writeError?: Error;
}

/** Runs the command line in this process. */
export async function runMain(parameters: readonly string[], parts: TerminalParts = {}): Promise<Outcome> {
  const written = { stdout: "", stderr: "" };
  const output = (name: keyof typeof written, error?: Error): OutputStream => ({
    isTTY: parts.isTTY,
    columns: parts.columns,
    on: () => undefined,
    write(chunk, done) {
      if (error === undefined) written[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      done(error);
    },
  });
  const terminal: Terminal = {
    env: parts.env ?? {},
    stdin: toStream(parts.stdin ?? ""),
    stdout: output("stdout", parts.writeError),
    stderr: output("stderr"),
  };
  return { exitCode: await main(parameters, terminal), ...written };
}

async function* toStream(content: string | Uint8Array): AsyncGenerator<string | Uint8Array> {
  yield content;
}
