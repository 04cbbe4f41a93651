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

/** Starts `fullstop serve` and waits until it listens. */
export async function startServe(
  parameters: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<ServeProcess> {
  const child = spawn(process.execPath, [bin, "serve", ...parameters], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
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
