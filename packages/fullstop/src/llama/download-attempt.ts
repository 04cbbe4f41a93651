import type { FileHandle } from "node:fs/promises";
import { ModelLoadError } from "./model-error.ts";
import { describeStatus, reasonOf, showAddress } from "./model-request.ts";
import type { FileRequester, FileResponse } from "./model-request.ts";
import { isSameFile } from "./partial-file.ts";
import type { FileOrigin, HeldPart, PartialFile } from "./partial-file.ts";

/** One download: where from, where to, and how. */
export interface Transfer {
  readonly url: string;
  readonly partial: PartialFile;
  readonly request: FileRequester;
  readonly signal: AbortSignal;
  readonly report: (downloadedBytes: number, totalBytes: number | undefined) => void;
}

/** How an attempt ended: with the whole file, without a word from the server, or somewhere in between. */
export type Outcome =
  | { readonly type: "whole"; readonly held: HeldPart }
  | { readonly type: "unreachable"; readonly why: string }
  | { readonly type: "broken"; readonly why: string; readonly gained: number; readonly waitMilliseconds?: number };

/**
 * Fetches what is missing of a file, as far as the connection holds. Throws if the server refuses, if the disk does, and
 * when the signal fires.
 */
export async function attemptTransfer(transfer: Transfer): Promise<Outcome> {
  const { url, partial, signal, report } = transfer;
  const held = await partial.read();
  if (held !== undefined && held.bytes === held.origin.total) {
    report(held.bytes, held.origin.total);
    return { type: "whole", held };
  }
  let answer: FileResponse;
  try {
    answer = await transfer.request(url, requestHeaders(held), signal);
  } catch (error) {
    signal.throwIfAborted();
    return { type: "unreachable", why: reasonOf(error) };
  }
  const { response } = answer;
  const origin = originOf(answer);
  if (response.status === 200) return receive(transfer, response, 0, origin);
  if (held !== undefined && response.status === 206 && continues(response, held, origin)) {
    return receive(transfer, response, held.bytes, origin);
  }
  await response.body?.cancel();
  if (held !== undefined && (response.status === 206 || response.status === 416)) {
    // The file has changed since, so that the rest of it does not fit to what is there.
    await partial.remove();
    return attemptTransfer(transfer);
  }
  return refusal(url, response);
}

function requestHeaders(held: HeldPart | undefined): Readonly<Record<string, string>> {
  // Compressed bytes could neither be counted nor continued.
  const headers = { "accept-encoding": "identity" };
  if (held === undefined || held.bytes === 0) return headers;
  const { sha256, version } = held.origin;
  const range = `bytes=${held.bytes}-`;
  // A hash names the same bytes on every server, where the version is one server's own word.
  if (sha256 !== undefined) return { ...headers, range };
  return version === undefined ? headers : { ...headers, range, "if-range": version };
}

function originOf({ response, sha256 }: FileResponse): FileOrigin {
  const { status, headers } = response;
  const range = /\/(?<total>\d+)$/u.exec(headers.get("content-range") ?? "")?.groups?.["total"];
  const length = status === 200 && !headers.has("content-encoding") ? headers.get("content-length") : null;
  const stated = range ?? length;
  const etag = headers.get("etag");
  // A weak ETag may be shared by files that are not the same to the byte.
  const version = etag !== null && !etag.startsWith("W/") ? etag : headers.get("last-modified");
  return { total: stated === null ? undefined : Number(stated), sha256, version: version ?? undefined };
}

function continues(response: Response, held: HeldPart, origin: FileOrigin): boolean {
  const start = /^bytes (?<start>\d+)-/u.exec(response.headers.get("content-range") ?? "")?.groups?.["start"];
  return Number(start) === held.bytes && isSameFile(held.origin, origin);
}

function refusal(url: string, { status, headers }: Response): Outcome {
  const why = describeStatus(status);
  const isBusy = status === 408 || status === 429 || status >= 500;
  if (!isBusy) {
    const kind = status === 404 || status === 410 ? "not_found" : "download_failed";
    throw new ModelLoadError(kind, `${showAddress(url)} cannot be downloaded: ${why}`);
  }
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return { type: "broken", why, gained: 0, ...(seconds >= 0 && { waitMilliseconds: seconds * 1000 }) };
}

/** Writes the body of an answer to the file, from a position on. */
async function receive(transfer: Transfer, response: Response, from: number, origin: FileOrigin): Promise<Outcome> {
  const { partial, signal, report } = transfer;
  const reader = response.body?.getReader();
  let position = from;
  let handle: FileHandle | undefined;
  try {
    handle = await partial.openAt(from, origin);
    report(position, origin.total);
    for (;;) {
      const read = await readNext(reader);
      signal.throwIfAborted();
      if ("why" in read) return { type: "broken", why: read.why, gained: position - from };
      if (read.chunk === undefined) break;
      await writeAll(handle, read.chunk, position);
      position += read.chunk.length;
      report(position, origin.total);
    }
    // Renaming a file whose bytes are not on the disk yet could leave an empty one after a loss of power.
    await handle.sync();
  } finally {
    await handle?.close();
    // What an abandoned body has to say to it concerns nobody.
    await reader?.cancel().catch(() => undefined);
  }
  if (origin.total !== undefined && position < origin.total) {
    return { type: "broken", why: "the connection ended early", gained: position - from };
  }
  return { type: "whole", held: { bytes: position, origin } };
}

type ChunkReader = ReadableStreamDefaultReader<Uint8Array>;

async function readNext(reader: ChunkReader | undefined): Promise<{ chunk: Uint8Array | undefined } | { why: string }> {
  try {
    return { chunk: (await reader?.read())?.value };
  } catch (error) {
    return { why: reasonOf(error) };
  }
}

async function writeAll(handle: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < chunk.length;) {
    const { bytesWritten } = await handle.write(chunk, written, chunk.length - written, position + written);
    written += bytesWritten;
  }
}
