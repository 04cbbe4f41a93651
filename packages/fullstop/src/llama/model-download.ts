import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { sleep } from "../clock.ts";
import type { Clock } from "../clock.ts";
import { attemptTransfer } from "./download-attempt.ts";
import type { Transfer } from "./download-attempt.ts";
import { withDownloadLock } from "./download-lock.ts";
import { checkGgufFile } from "./gguf-check.ts";
import { messageOf } from "./message-of.ts";
import { ModelLoadError } from "./model-error.ts";
import { showAddress } from "./model-request.ts";
import type { FileRequester } from "./model-request.ts";
import { PartialFile } from "./partial-file.ts";
import type { HeldPart } from "./partial-file.ts";

/** How far the download of a file has come. A model that is split into several files is told of file by file. */
export interface DownloadProgress {
  /** The name of the file on disk. */
  readonly file: string;
  /** What has arrived, with what had arrived in earlier attempts. */
  readonly downloadedBytes: number;
  /** The size of the file; undefined where the server does not say. */
  readonly totalBytes: number | undefined;
}

/** What a download needs. */
export interface DownloadSettings {
  readonly request: FileRequester;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
}

/** How often in a row an attempt may fail before the download is given up. */
const MOST_FAILURES = 5;
/** An attempt that has brought this much was a good one, after which the count begins anew. */
const WORTHWHILE_BYTES = 1_000_000;
const FIRST_WAIT_MILLISECONDS = 500;
const LONGEST_WAIT_MILLISECONDS = 60_000;

/**
 * Downloads one GGUF file to a path, checks it, and gives the path. What is there of it already is not fetched again, if
 * the server says that the file is still the same. A file that is not what it should be is removed.
 *
 * node-llama-cpp's own downloader is not used: with 3.21.1 a connection that breaks can leave a wrong file that looks
 * finished, so can a cancelled download, and a part of the model is fetched at every start only to be thrown away.
 */
export async function downloadModelFile(url: string, to: string, settings: DownloadSettings): Promise<string> {
  const { request, signal, onProgress } = settings;
  const file = path.basename(to);
  const partial = new PartialFile(to);
  const report = (downloadedBytes: number, totalBytes: number | undefined): void =>
    onProgress?.({ file, downloadedBytes, totalBytes });
  try {
    await mkdir(path.dirname(to), { recursive: true });
    await withDownloadLock(to, signal, async () => {
      if (await isThere(to)) return;
      const held = await fetchWhole({ url, partial, request, signal, report }, settings.clock);
      await check(partial, held, showAddress(url), signal);
      await partial.finish();
    });
  } catch (error) {
    signal.throwIfAborted();
    throw describeDiskError(error, to);
  }
  return to;
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

/** A disk that is full or may not be written to, said in words of ours. */
function describeDiskError(error: unknown, to: string): unknown {
  const isOfSystem = error instanceof Error && "syscall" in error;
  if (!isOfSystem) return error;
  return new ModelLoadError("download_failed", `${to} cannot be written: ${error.message}`, { cause: error });
}

/** Tries until the whole file is there, or until trying is no use. */
async function fetchWhole(transfer: Transfer, clock: Clock): Promise<HeldPart> {
  const { url, partial, signal } = transfer;
  let failures = 0;
  let isReachable = false;
  for (;;) {
    const outcome = await attemptTransfer(transfer);
    if (outcome.type === "whole") return outcome.held;
    isReachable ||= outcome.type === "broken";
    const isGood = outcome.type === "broken" && outcome.gained >= WORTHWHILE_BYTES;
    failures = isGood ? 1 : failures + 1;
    // A server that has never answered is more likely misspelt than busy.
    if (!isReachable || failures >= MOST_FAILURES) {
      const bytes = (await partial.read())?.bytes ?? 0;
      const kept = bytes === 0 ? "" : `; the ${bytes} bytes that are there are kept for the next attempt`;
      throw new ModelLoadError("download_failed", `Downloading ${showAddress(url)} failed: ${outcome.why}${kept}`);
    }
    const asked = outcome.type === "broken" ? outcome.waitMilliseconds : undefined;
    const wait = asked ?? FIRST_WAIT_MILLISECONDS * 2 ** (failures - 1);
    await sleep(clock, Math.min(wait, LONGEST_WAIT_MILLISECONDS), signal);
    signal.throwIfAborted();
  }
}

/** Refuses what is no whole GGUF file, or not the one that the server has stated the hash of, and removes it. */
async function check(partial: PartialFile, held: HeldPart, address: string, signal: AbortSignal): Promise<void> {
  const { origin } = held;
  try {
    await checkGgufFile(partial.path, `What ${address} sent`);
    if (origin.sha256 !== undefined && origin.sha256 !== (await hashOf(partial.path, signal))) {
      throw new ModelLoadError("invalid_file", `What ${address} sent is damaged: its SHA-256 is not the one stated`);
    }
  } catch (error) {
    if (!(error instanceof ModelLoadError) || error.kind !== "invalid_file") throw error;
    await partial.remove();
    throw new ModelLoadError("invalid_file", `${messageOf(error)}. It was removed.`, { cause: error });
  }
}

/** The hash of what is on the disk. Read again, and not as it arrives, to find out what was written wrongly too. */
async function hashOf(file: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash, { signal });
  return hash.digest("hex");
}
