import { spawn } from "node:child_process";
import path from "node:path";
import { onTestFinished } from "vitest";

/** A command in a terminal of its own: what it writes is seen as a terminal sees it, what is typed are keys. */
export interface TerminalRun {
  /** Presses keys. */
  type(keys: string): void;
  /** Everything that was written so far. */
  readonly output: () => string;
  /** Waits until something new is written, after what was waited for before. */
  until(text: string): Promise<void>;
  readonly exitCode: Promise<number | null>;
}

const bin = path.resolve(import.meta.dirname, "../../bin/fullstop.js");

/** Starts the installed command in a terminal. */
export function startInTerminal(
  parameters: readonly string[],
  { env = {}, cwd }: { readonly env?: Readonly<Record<string, string>>; readonly cwd: string },
): TerminalRun {
  const command = [process.execPath, bin, ...parameters].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn("script", ["-qfec", command, "/dev/null"], {
    cwd,
    env: { PATH: process.env["PATH"], TERM: "xterm-256color", SHELL: "/bin/sh", ...env },
  });
  onTestFinished(() => void child.kill());
  let output = "";
  let seen = 0;
  let look: () => void = () => undefined;
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    look();
  });
  const exitCode = new Promise<number | null>((resolve) => void child.on("close", resolve));
  return {
    type: (keys) => void child.stdin.write(keys),
    output: () => output,
    until: (text) =>
      new Promise((resolve, reject) => {
        look = () => {
          const index = output.indexOf(text, seen);
          if (index < 0) return;
          seen = index + text.length;
          look = () => undefined;
          resolve();
        };
        look();
        void exitCode.then((code) =>
          reject(new Error(`it ended with ${code} before ${JSON.stringify(text)}: ${output}`)),
        );
      }),
    exitCode,
  };
}
