import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import path from "node:path";
import { expect, onTestFinished } from "vitest";

/** The folder of the examples. */
export const EXAMPLES: string = path.resolve(import.meta.dirname, "../..");

/** A Node that reads TypeScript by itself, and is new enough for the libraries of the examples. */
const NODE_24: string = path.resolve(
  EXAMPLES,
  `../packages/fullstop/test/node-24/node_modules/node-linux-${process.arch}/bin/node`,
);

/** An example in a process of its own. */
export interface ExampleProcess {
  readonly child: ChildProcess;
  /** Everything that came on standard output so far. */
  readonly stdout: () => string;
  /** Everything that came on standard error so far. */
  readonly stderr: () => string;
  /** How it ended: its exit code, or the signal that killed it. */
  readonly exit: Promise<number | NodeJS.Signals | null>;
  /** The address on which it listens, once it does. */
  url(): Promise<string>;
}

/** Starts an example until the end of the test, with nothing of the environment but what is given. */
export function startExample(
  folder: string,
  parameters: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program: string = NODE_24,
): ExampleProcess {
  const child = spawn(program, parameters, {
    cwd: path.join(EXAMPLES, folder),
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? signal));
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exit;
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    exit,
    async url() {
      const pattern = /Listening on (?<url>http:\/\/\S+)/u;
      await expect.poll(() => stdout + stderr).toMatch(pattern);
      return pattern.exec(stdout)?.groups?.["url"] ?? "";
    },
  };
}
