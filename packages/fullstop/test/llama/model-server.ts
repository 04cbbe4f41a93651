import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { modelPath } from "@fullstop/pip";
import { onTestFinished } from "vitest";

/** A real model to serve. */
export const PIP = readFileSync(modelPath);

/** How a server that has files answers. */
export interface FileReply {
  readonly file: Buffer;
  /** The version it states; none if null. Default: one that is made of the file's bytes. */
  readonly etag?: string | null;
  /** Whether it can send a part of the file. Default true. */
  readonly ranges?: boolean;
  /** The most bytes it sends of a part. Default: all that were asked for. */
  readonly partLimit?: number;
  /** Whether it heeds the version a client asks for. Default true. */
  readonly heedsIfRange?: boolean;
  /** Whether it states the length. Default true. */
  readonly length?: boolean;
  /** The connection breaks after so many bytes. */
  readonly cutAfter?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How a server answers that has no file to give. */
export interface StatusReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request as it came in, and what was sent in return. */
export interface SeenRequest {
  readonly path: string;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly authorization: string | undefined;
  readonly userAgent: string | undefined;
  sentBytes: number;
}

/** A server on this machine that has models. */
export interface ModelServer {
  readonly origin: string;
  readonly requests: readonly SeenRequest[];
  close(): Promise<void>;
}

const SLICE = 65_536;

/** Opens a server that answers by a function of the request and of how many came before it. */
export async function openModelServer(
  answer: (request: SeenRequest, index: number) => FileReply | StatusReply,
): Promise<ModelServer> {
  const requests: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    const seen = readRequest(incoming);
    requests.push(seen);
    const reply = answer(seen, requests.length - 1);
    const sending = "file" in reply ? sendFile(reply, seen, response) : sendStatus(reply, response);
    sending.catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, close };
}

function readRequest({ url, headers }: IncomingMessage): SeenRequest {
  const ifRange = headers["if-range"];
  return {
    path: url ?? "",
    range: headers.range,
    ifRange: typeof ifRange === "string" ? ifRange : undefined,
    authorization: headers.authorization,
    userAgent: headers["user-agent"],
    sentBytes: 0,
  };
}

async function sendStatus({ status, headers = {}, body = "" }: StatusReply, response: ServerResponse): Promise<void> {
  response.writeHead(status, headers).end(body);
  await once(response, "close");
}

async function sendFile(reply: FileReply, seen: SeenRequest, response: ServerResponse): Promise<void> {
  const { file, ranges = true, heedsIfRange = true, length = true, cutAfter = Infinity, headers = {} } = reply;
  const etag = reply.etag === undefined ? `"${hashOf(file).slice(0, 16)}"` : reply.etag;
  const start = Number(/^bytes=(?<start>\d+)-$/u.exec(seen.range ?? "")?.groups?.["start"] ?? Number.NaN);
  const isSameVersion = !heedsIfRange || seen.ifRange === undefined || seen.ifRange === etag;
  const isPartial = ranges && isSameVersion && !Number.isNaN(start);
  if (isPartial && start >= file.length) {
    response.writeHead(416, { "content-range": `bytes */${file.length}` }).end();
    return;
  }
  const from = isPartial ? start : 0;
  const to = isPartial ? Math.min(file.length, from + (reply.partLimit ?? Infinity)) : file.length;
  response.writeHead(isPartial ? 206 : 200, {
    ...(etag !== null && { etag }),
    ...(ranges && { "accept-ranges": "bytes" }),
    ...(length && { "content-length": to - from }),
    ...(isPartial && { "content-range": `bytes ${from}-${to - 1}/${file.length}` }),
    ...headers,
  });
  const end = Math.min(to, from + cutAfter);
  const slices = function* (): Generator<Buffer> {
    for (let position = from; position < end; position += SLICE) {
      const slice = file.subarray(position, Math.min(position + SLICE, end));
      seen.sentBytes += slice.length;
      yield slice;
    }
  };
  const isWhole = end === to;
  await pipeline(Readable.from(slices()), response, { end: isWhole });
  if (!isWhole) response.write("", () => response.destroy());
}

/** The SHA-256 of some bytes. */
export function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** An empty folder that is gone after the test. */
export async function createFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "fullstop-models-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
