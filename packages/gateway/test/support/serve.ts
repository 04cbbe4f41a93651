import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";

/** A server in a process of its own. */
export interface ServeProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** Everything that came on standard output so far. */
  readonly stdout: () => string;
  /** Everything that came on standard error so far. */
  readonly stderr: () => string;
  /** How the process ended: its exit code, or the signal that killed it. */
  readonly exit: Promise<number | NodeJS.Signals | null>;
}

const bin = path.resolve(import.meta.dirname, "../../bin/fullstop.js");

/** Where a server is started. */
interface ServeSurroundings {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The program that starts it. Default: `fullstop serve`. */
  readonly program?: readonly string[];
}

/** Starts a server and waits until it listens. */
export async function startServe(
  parameters: readonly string[],
  { cwd, env = {}, program = [bin, "serve"] }: ServeSurroundings,
): Promise<ServeProcess> {
  const child = spawn(process.execPath, [...program, ...parameters], {
    cwd,
    // Nothing is left behind in the user's own file, unless a test is about what is.
    env: { FULLSTOP_STORE: "memory", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.on("close", (code, signal) => resolve(code ?? signal));
  });
  let stdout = "";
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      stdout += `${line}\n`;
      const address = /^fullstop is listening on (?<url>http:\/\/\S+)$/u.exec(line)?.groups?.["url"];
      if (address !== undefined) resolve(address);
    });
    void exit.then((code) => reject(new Error(`it ended with ${code}: ${stderr}`)));
  });
  return { child, url, exit, stdout: () => stdout, stderr: () => stderr };
}
