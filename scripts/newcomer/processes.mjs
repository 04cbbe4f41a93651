// @ts-check
import { spawn } from "node:child_process";

/**
 * A command of a shell, in a group of its own so that all that it starts can be ended with it.
 *
 * @typedef {{
 *   readonly output: () => string,
 *   readonly standardOutput: () => string,
 *   readonly ended: Promise<number | NodeJS.Signals | null>,
 *   readonly end: (signal?: NodeJS.Signals) => Promise<number | NodeJS.Signals | null>,
 *   readonly until: (pattern: RegExp, seconds: number) => Promise<RegExpExecArray>,
 * }} Command
 */

/**
 * Starts a command.
 *
 * @param {string} command
 * @param {{ readonly cwd: string, readonly env: NodeJS.ProcessEnv }} surroundings
 * @returns {Command}
 */
export function start(command, { cwd, env }) {
  const child = spawn("bash", ["-o", "pipefail", "-c", command], {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [output, standardOutput] = ["", ""];
  /** @type {(() => void)[]} */
  let listeners = [];
  const hear = () => {
    const told = listeners;
    listeners = [];
    for (const listener of told) listener();
  };
  child.stdout.on("data", (/** @type {Buffer} */ chunk) => {
    output += chunk.toString();
    standardOutput += chunk.toString();
    hear();
  });
  child.stderr.on("data", (/** @type {Buffer} */ chunk) => {
    output += chunk.toString();
    hear();
  });
  /** @type {Promise<number | NodeJS.Signals | null>} */
  const ended = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve(code ?? signal));
  });
  return {
    output: () => output,
    standardOutput: () => standardOutput,
    ended,
    end(signal = "SIGTERM") {
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
        process.kill(-child.pid, signal);
      }
      return ended;
    },
    async until(pattern, seconds) {
      const timeout = AbortSignal.timeout(seconds * 1000);
      const tooLate = new Promise((_resolve, reject) => {
        timeout.addEventListener("abort", () => reject(new Error(`It did not say ${pattern} within ${seconds} s.`)));
      });
      const isOver = ended.then((code) => {
        throw new Error(`It ended with ${String(code)} before it said ${pattern}.`);
      });
      for (;;) {
        const match = pattern.exec(output);
        if (match !== null) {
          isOver.catch(() => undefined);
          tooLate.catch(() => undefined);
          return match;
        }
        await Promise.race([new Promise((resolve) => void listeners.push(() => resolve(undefined))), isOver, tooLate]);
      }
    },
  };
}

/**
 * Runs a command to its end, and ends it when it takes too long.
 *
 * @param {string} command
 * @param {{ readonly cwd: string, readonly env: NodeJS.ProcessEnv, readonly seconds: number }} surroundings
 */
export async function run(command, { seconds, ...surroundings }) {
  const started = start(command, surroundings);
  const timer = setTimeout(() => void started.end("SIGKILL"), seconds * 1000);
  const code = await started.ended;
  clearTimeout(timer);
  return { code, output: started.output(), standardOutput: started.standardOutput() };
}
