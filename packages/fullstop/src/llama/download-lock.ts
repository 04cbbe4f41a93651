import { readFile, rm, writeFile } from "node:fs/promises";
import { ModelLoadError } from "./model-error.ts";

/** The downloads of this process by the path of the file. They settle, and never fail. */
const running = new Map<string, Promise<void>>();

/**
 * Does something to a file while nobody else downloads it. A second caller in this process waits for its turn, and
 * gives up with the signal's reason when that fires. Another process is told by a lock file, and refused.
 */
export async function withDownloadLock<T>(path: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  for (let other = running.get(path); other !== undefined; other = running.get(path)) await waitFor(other, signal);
  const job = lockAndWork(`${path}.lock`, work);
  const settled = job.then(
    () => undefined,
    () => undefined,
  );
  running.set(path, settled);
  try {
    return await job;
  } finally {
    running.delete(path);
  }
}

async function waitFor(other: Promise<void>, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = (): void => {
      signal.removeEventListener("abort", stop);
      resolve();
    };
    signal.addEventListener("abort", stop);
    void other.then(stop);
  });
  signal.throwIfAborted();
}

async function lockAndWork<T>(lock: string, work: () => Promise<T>): Promise<T> {
  await claim(lock);
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function claim(lock: string): Promise<void> {
  if (await tryToLock(lock)) return;
  const owner = Number(await readFile(lock, "utf8").catch(() => ""));
  if (!isOtherProcess(owner)) {
    // Left behind by a process that was killed.
    await rm(lock, { force: true });
    if (await tryToLock(lock)) return;
  }
  const advice = `wait for it, or delete ${lock} if that is not so`;
  throw new ModelLoadError("download_failed", `Another process (${owner}) is downloading the same file: ${advice}`);
}

async function tryToLock(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function isOtherProcess(id: number): boolean {
  if (!Number.isSafeInteger(id) || id <= 0 || id === process.pid) return false;
  try {
    return process.kill(id, 0);
  } catch (error) {
    // A process that may not be signalled is there all the same.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
