import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { BotApi } from "./bot-api/index.ts";

const CHILD = path.resolve(import.meta.dirname, "bot-child.mjs");

/** Where a bot keeps what it knows: in a file, or in a Redis. */
export type ChildStore = { readonly file: string } | { readonly redis: string };

/** A bot in a process of its own. What it answers is in `bot-child.mjs`. */
export interface BotProcess {
  /** Lets the model say the second half of its answers. */
  readonly goOn: () => void;
  /** Makes it stand still, as a machine does that is out of memory, or lets it go on. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** Ends it as a crash does. */
  readonly kill: () => Promise<void>;
  /** Has the bot be stopped, and waits until the process has ended by itself. Gives its exit code. */
  readonly stop: () => Promise<number | NodeJS.Signals | null>;
}

/** Starts a bot in a process of its own and waits until it runs. It is killed when the test is over. */
export async function startBotProcess(
  api: BotApi,
  store: ChildStore,
  options: {
    readonly leaseMilliseconds?: number;
    readonly graceMilliseconds?: number;
    readonly mergeMilliseconds?: number;
  } = {},
): Promise<BotProcess> {
  const { leaseMilliseconds = 10_000, graceMilliseconds = 10_000, mergeMilliseconds = 0 } = options;
  const kept = "file" in store ? ["file", store.file] : ["redis", store.redis];
  const times = [leaseMilliseconds, graceMilliseconds, mergeMilliseconds].map(String);
  const settings = [api.token, api.url, ...kept, ...times];
  const fetched = api.callsOf("getUpdates").length;
  const child = spawn(process.execPath, [CHILD, ...settings], { stdio: ["ignore", "pipe", "inherit"] });
  const exit = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.on("close", (code, signal) => resolve(code ?? signal));
  });
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exit;
  };
  onTestFinished(kill);
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line === "running") resolve();
    });
    void exit.then((code) => reject(new Error(`The bot has ended with ${code} before it ran`)));
  });
  await api.until(() => api.callsOf("getUpdates").length > fetched, "the bot fetches updates");
  return {
    goOn: () => void child.kill("SIGUSR2"),
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    kill,
    async stop() {
      child.kill("SIGTERM");
      return exit;
    },
  };
}
