import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/index.ts";
import { downloadModelFile } from "../../src/llama/model-download.ts";
import type { DownloadProgress, DownloadSettings } from "../../src/llama/model-download.ts";
import { ModelLoadError } from "../../src/llama/model-error.ts";
import { createRequester } from "../../src/llama/model-request.ts";
import { PIP, createFolder, hashOf, openModelServer } from "./model-server.ts";
import type { ModelServer, SeenRequest } from "./model-server.ts";

/** Pip, with something else in the middle of its weights. */
const OTHER = Buffer.from(PIP).fill(7, 3_000_000, 3_000_100);

/** A clock on which every wait is over at once. */
function createInstantClock(): Clock & { readonly waits: readonly number[] } {
  const waits: number[] = [];
  return {
    waits,
    now: () => 0,
    after(milliseconds, callback) {
      waits.push(milliseconds);
      const timer = setImmediate(callback);
      return () => clearImmediate(timer);
    },
  };
}

interface Setting {
  readonly folder: string;
  readonly file: string;
  readonly clock: ReturnType<typeof createInstantClock>;
  /** Downloads `/pip.gguf` to the file. */
  readonly download: (server: ModelServer, settings?: Partial<DownloadSettings>) => Promise<string>;
  /** What lies in the folder. */
  readonly names: () => readonly string[];
  readonly read: () => Buffer;
}

async function prepare(): Promise<Setting> {
  const folder = await createFolder();
  const file = path.join(folder, "pip.gguf");
  const clock = createInstantClock();
  return {
    folder,
    file,
    clock,
    download: (server, settings = {}) =>
      downloadModelFile(`${server.origin}/pip.gguf`, file, {
        request: createRequester(undefined),
        signal: new AbortController().signal,
        clock,
        ...settings,
      }),
    names: () => readdirSync(folder),
    read: () => readFileSync(file),
  };
}

function promiseWithResolvers<T>(): { promise: Promise<T>; resolve: (value: Promise<T>) => void } {
  let resolve: (value: Promise<T>) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}

async function failure(promise: Promise<unknown>): Promise<ModelLoadError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ModelLoadError) return error;
  throw new Error("expected a ModelLoadError", { cause: error });
}

/** The bytes that a server sent although they had been sent before. */
const sentTwice = ({ requests }: ModelServer): number =>
  requests.reduce((sum, { sentBytes }) => sum + sentBytes, -PIP.length);

/** What is under way when a connection breaks is lost, as far as it has not been read. */
const UNDER_WAY = 300_000;

/** Where the part of the file begins that was asked for. */
const startOf = (request: SeenRequest | undefined): number => Number(/^bytes=(\d+)-$/u.exec(request?.range ?? "")?.[1]);

describe("a download", () => {
  it("brings the file in one request, and leaves nothing else behind", async () => {
    const { download, file, names, read } = await prepare();
    const server = await openModelServer(() => ({ file: PIP }));
    expect(await download(server)).toBe(file);
    expect(read().equals(PIP)).toBe(true);
    expect(names()).toEqual(["pip.gguf"]);
    expect(server.requests).toMatchObject([{ path: "/pip.gguf", range: undefined }]);
  });

  it("tells how it gets on: more every time, and at last all of it", async () => {
    const { download } = await prepare();
    const server = await openModelServer(() => ({ file: PIP }));
    const seen: DownloadProgress[] = [];
    await download(server, { onProgress: (progress) => seen.push(progress) });
    const bytes = seen.map(({ downloadedBytes }) => downloadedBytes);
    expect(bytes.length).toBeGreaterThan(10);
    expect(bytes).toEqual([...new Set(bytes)].toSorted((one, other) => one - other));
    expect(seen[0]).toEqual({ file: "pip.gguf", downloadedBytes: 0, totalBytes: PIP.length });
    expect(seen.at(-1)).toEqual({ file: "pip.gguf", downloadedBytes: PIP.length, totalBytes: PIP.length });
  });

  it("is not begun when the file is there", async () => {
    const { download, file } = await prepare();
    const server = await openModelServer(() => ({ file: PIP }));
    writeFileSync(file, "mine");
    await download(server);
    expect(server.requests).toEqual([]);
  });

  it("works without a stated length", async () => {
    const { download, read } = await prepare();
    const server = await openModelServer(() => ({ file: PIP, length: false }));
    const totals = new Set<number | undefined>();
    await download(server, { onProgress: ({ totalBytes }) => totals.add(totalBytes) });
    expect(read().equals(PIP)).toBe(true);
    expect([...totals]).toEqual([undefined]);
  });

  it("is made once when two ask for it at the same time", async () => {
    const { download, names } = await prepare();
    const server = await openModelServer(() => ({ file: PIP }));
    await Promise.all([download(server), download(server)]);
    expect(server.requests).toHaveLength(1);
    expect(names()).toEqual(["pip.gguf"]);
  });

  it("passes on what the one who is told throws, and does not try again", async () => {
    const { download } = await prepare();
    const server = await openModelServer(() => ({ file: PIP }));
    const onProgress = (): never => {
      throw new RangeError("no such bar");
    };
    await expect(download(server, { onProgress })).rejects.toThrow(new RangeError("no such bar"));
    expect(server.requests).toHaveLength(1);
  });
});

describe("a connection that breaks", () => {
  it("is made again for the rest of the file", async () => {
    const { download, names, read, clock } = await prepare();
    const half = PIP.length / 2;
    const server = await openModelServer((_, index) => (index === 0 ? { file: PIP, cutAfter: half } : { file: PIP }));
    await download(server);
    expect(server.requests).toHaveLength(2);
    expect(startOf(server.requests[1])).toBeGreaterThan(half - UNDER_WAY);
    expect(sentTwice(server)).toBeLessThan(UNDER_WAY);
    expect(read().equals(PIP)).toBe(true);
    expect(names()).toEqual(["pip.gguf"]);
    expect(clock.waits).toEqual([500]);
  });

  it("five times in a row is given up, and what has arrived is the beginning of the next attempt", async () => {
    const { download, file, read, clock } = await prepare();
    let isHealthy = false;
    const server = await openModelServer(() => (isHealthy ? { file: PIP } : { file: PIP, cutAfter: 400_000 }));
    const error = await failure(download(server));
    expect(error.kind).toBe("download_failed");
    const { size } = statSync(`${file}.part`);
    expect(error.message).toMatch(/\/pip\.gguf failed: ./u);
    expect(error.message).toContain(`; the ${size} bytes that are there are kept`);
    expect(clock.waits).toEqual([500, 1000, 2000, 4000]);
    isHealthy = true;
    await download(server);
    expect(startOf(server.requests.at(-1))).toBe(size);
    expect(server.requests.at(-1)?.sentBytes).toBe(PIP.length - size);
    expect(read().equals(PIP)).toBe(true);
  });

  it("is not counted against one that brings a good piece each time", async () => {
    const { download, read } = await prepare();
    const server = await openModelServer(() => ({ file: PIP, cutAfter: 1_000_000 + UNDER_WAY }));
    await download(server);
    expect(server.requests.length).toBeGreaterThan(5);
    expect(read().equals(PIP)).toBe(true);
  });

  it("anywhere and any number of times gives the same file, and hardly a byte is sent twice", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(PIP.length - 1), { maxLength: 4 }), async (cuts) => {
        const { download, read } = await prepare();
        const server = await openModelServer((_, index) => ({ file: PIP, cutAfter: cuts[index] ?? Infinity }));
        await download(server);
        expect(read().equals(PIP)).toBe(true);
        expect(sentTwice(server)).toBeLessThanOrEqual(cuts.length * UNDER_WAY);
        await server.close();
      }),
      { numRuns: 25 },
    );
  });
});

describe("a cancelled download", () => {
  it("rejects with the signal's reason, and is gone on with later", async () => {
    const { download, file, names, read } = await prepare();
    const server = await openModelServer(() => ({ file: PIP }));
    const controller = new AbortController();
    const reason = new Error("enough");
    const cancelled = download(server, {
      signal: controller.signal,
      onProgress: ({ downloadedBytes }) => downloadedBytes > 2_000_000 && controller.abort(reason),
    });
    await expect(cancelled).rejects.toBe(reason);
    expect(names().toSorted()).toEqual(["pip.gguf.part", "pip.gguf.part.json"]);
    const { size } = statSync(`${file}.part`);
    expect(size).toBeGreaterThan(2_000_000);
    expect(size).toBeLessThan(PIP.length);
    const seen: number[] = [];
    await download(server, { onProgress: ({ downloadedBytes }) => seen.push(downloadedBytes) });
    expect(server.requests.map(({ range }) => range)).toEqual([undefined, `bytes=${size}-`]);
    expect(server.requests[1]?.sentBytes).toBe(PIP.length - size);
    expect(seen[0]).toBe(size);
    expect(read().equals(PIP)).toBe(true);
  });

  it("can be cancelled while it waits to try again", async () => {
    const { download } = await prepare();
    const server = await openModelServer(() => ({ status: 503 }));
    const controller = new AbortController();
    const clock: Clock = {
      now: () => 0,
      after: () => {
        queueMicrotask(() => controller.abort(new Error("enough")));
        return () => undefined;
      },
    };
    await expect(download(server, { clock, signal: controller.signal })).rejects.toThrow("enough");
    expect(server.requests).toHaveLength(1);
  });

  it("asks nobody when the signal has fired before", async () => {
    const { download } = await prepare();
    const server = await openModelServer(() => ({ file: PIP }));
    await expect(download(server, { signal: AbortSignal.abort(new Error("too late")) })).rejects.toThrow("too late");
    expect(server.requests).toEqual([]);
  });

  /** Begins a download, and a second one as soon as the first is under way. */
  async function downloadTwice(
    { download }: Setting,
    first: { readonly signal?: AbortSignal },
    second: { readonly signal?: AbortSignal },
    onProgress: (bytes: number) => void,
  ): Promise<readonly string[]> {
    const order: string[] = [];
    const note = (name: string, promise: Promise<unknown>): Promise<unknown> =>
      promise.then(
        () => order.push(`${name} is there`),
        () => order.push(`${name} is cancelled`),
      );
    const server = await openModelServer(() => ({ file: PIP }));
    const { promise, resolve } = promiseWithResolvers<string>();
    const begun = download(server, {
      ...first,
      onProgress({ downloadedBytes }) {
        if (downloadedBytes === 0) resolve(download(server, second));
        onProgress(downloadedBytes);
      },
    });
    await Promise.all([note("first", begun), note("second", promise)]);
    return order;
  }

  it("leaves the file to another who waits for it", async () => {
    const setting = await prepare();
    const controller = new AbortController();
    const order = await downloadTwice(setting, { signal: controller.signal }, {}, (bytes) => {
      if (bytes > 1_000_000) controller.abort();
    });
    expect(order).toEqual(["first is cancelled", "second is there"]);
    expect(setting.read().equals(PIP)).toBe(true);
  });

  it("is no longer waited for by one who gives up", async () => {
    const setting = await prepare();
    const controller = new AbortController();
    const order = await downloadTwice(setting, {}, { signal: controller.signal }, (bytes) => {
      if (bytes > 1_000_000) controller.abort();
    });
    expect(order).toEqual(["second is cancelled", "first is there"]);
  });
});

describe("going on with what is there", () => {
  /** Leaves about the first 3 MB of Pip in the folder, and says how much it is. */
  async function beginWith(
    setting: Setting,
    reply: { readonly etag?: string | null; readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<number> {
    const server = await openModelServer((_, index) =>
      index === 0 ? { file: PIP, cutAfter: 3_000_000, ...reply } : { status: 410 },
    );
    await failure(setting.download(server));
    return statSync(`${setting.file}.part`).size;
  }

  it.each([
    { what: "by a server that heeds the version asked for", heedsIfRange: true, requests: 1 },
    { what: "by a server that sends a part all the same", heedsIfRange: false, requests: 2 },
  ])("does not mix two versions of a file, $what", async ({ heedsIfRange, requests }) => {
    const setting = await prepare();
    await beginWith(setting);
    const server = await openModelServer(() => ({ file: OTHER, heedsIfRange }));
    await setting.download(server);
    expect(server.requests).toHaveLength(requests);
    expect(setting.read().equals(OTHER)).toBe(true);
  });

  it("does not take files of different lengths for the same, whatever the server calls them", async () => {
    const setting = await prepare();
    await beginWith(setting, { etag: '"pip"' });
    const longer = Buffer.concat([PIP, Buffer.alloc(1_000)]);
    const server = await openModelServer(() => ({ file: longer, etag: '"pip"' }));
    await setting.download(server);
    expect(server.requests).toHaveLength(2);
    expect(setting.read().equals(longer)).toBe(true);
  });

  it("goes by the hash where one is stated, whatever the storage calls the version", async () => {
    const setting = await prepare();
    const headers = { "x-linked-etag": `"${hashOf(PIP)}"` };
    const size = await beginWith(setting, { etag: '"one"', headers });
    const server = await openModelServer(() => ({ file: PIP, etag: '"other"', headers }));
    await setting.download(server);
    expect(server.requests).toMatchObject([{ range: `bytes=${size}-`, ifRange: undefined }]);
    expect(setting.read().equals(PIP)).toBe(true);
  });

  it("goes by the date where there is no version", async () => {
    const setting = await prepare();
    const headers = { "last-modified": "Sat, 15 Nov 2025 10:00:00 GMT" };
    const size = await beginWith(setting, { etag: null, headers });
    const server = await openModelServer(() => ({ file: PIP, etag: null, heedsIfRange: false, headers }));
    await setting.download(server);
    expect(server.requests).toMatchObject([{ range: `bytes=${size}-`, ifRange: headers["last-modified"] }]);
    expect(setting.read().equals(PIP)).toBe(true);
  });

  it.each([
    { what: "the server names no version", etag: null },
    { what: "the version is a weak one", etag: 'W/"pip"' },
  ])("begins anew when $what", async ({ etag }) => {
    const setting = await prepare();
    await beginWith(setting, { etag });
    const server = await openModelServer(() => ({ file: PIP, etag }));
    await setting.download(server);
    expect(server.requests).toMatchObject([{ range: undefined, sentBytes: PIP.length }]);
    expect(setting.read().equals(PIP)).toBe(true);
  });

  it("begins anew when the server sends everything", async () => {
    const setting = await prepare();
    const size = await beginWith(setting);
    const server = await openModelServer(() => ({ file: PIP, ranges: false }));
    await setting.download(server);
    expect(server.requests).toMatchObject([{ range: `bytes=${size}-`, sentBytes: PIP.length }]);
    expect(setting.read().equals(PIP)).toBe(true);
  });

  it("asks again when less is sent than was asked for", async () => {
    const setting = await prepare();
    await beginWith(setting);
    const server = await openModelServer(() => ({ file: PIP, partLimit: 2_000_000 }));
    await setting.download(server);
    expect(server.requests).toHaveLength(3);
    expect(setting.read().equals(PIP)).toBe(true);
  });

  it("begins anew when there is more of it than there should be", async () => {
    const setting = await prepare();
    await beginWith(setting);
    writeFileSync(`${setting.file}.part`, Buffer.concat([PIP, PIP]));
    const server = await openModelServer(() => ({ file: PIP }));
    await setting.download(server);
    expect(server.requests).toHaveLength(2);
    expect(setting.read().equals(PIP)).toBe(true);
  });

  it("begins anew when it is not known what it is a part of", async () => {
    const setting = await prepare();
    await beginWith(setting);
    writeFileSync(`${setting.file}.part.json`, "{");
    const server = await openModelServer(() => ({ file: PIP }));
    await setting.download(server);
    expect(server.requests).toMatchObject([{ range: undefined }]);
    expect(setting.read().equals(PIP)).toBe(true);
  });

  it("asks nobody when only the check was left to do, which can be cancelled too", async () => {
    const setting = await prepare();
    await beginWith(setting, { headers: { "x-linked-etag": `"${hashOf(PIP)}"` } });
    writeFileSync(`${setting.file}.part`, PIP);
    const server = await openModelServer(() => ({ file: PIP }));
    const controller = new AbortController();
    const reason = new Error("enough");
    const cancelled = setting.download(server, {
      signal: controller.signal,
      onProgress: () => controller.abort(reason),
    });
    await expect(cancelled).rejects.toBe(reason);
    await setting.download(server);
    expect(server.requests).toEqual([]);
    expect(setting.names()).toEqual(["pip.gguf"]);
  });
});

describe("a file that is not what it should be", () => {
  const page = Buffer.from("<!DOCTYPE html><title>Sign in</title>");
  const wrongHash = { "x-linked-etag": `"${hashOf(OTHER)}"` };

  it.each([
    { what: "a page", reply: { file: page }, says: "looks like an HTML page" },
    { what: "nothing", reply: { file: Buffer.alloc(0) }, says: "is empty" },
    { what: "half of a model", reply: { file: PIP.subarray(0, PIP.length / 2) }, says: "is cut off" },
    { what: "half of one without a length", reply: { file: PIP.subarray(0, 4e6), length: false }, says: "is cut off" },
    { what: "half of a header", reply: { file: PIP.subarray(0, 2_000) }, says: "is cut off" },
    { what: "a damaged header", reply: { file: Buffer.from(PIP).fill(255, 8, 16) }, says: "has a damaged header" },
    {
      what: "noise behind the magic",
      reply: { file: Buffer.from(PIP).fill(255, 24, 32) },
      says: "has a damaged header",
    },
    {
      what: "one of another hash",
      reply: { file: PIP, headers: wrongHash },
      says: "its SHA-256 is not the one stated",
    },
  ])("is refused and removed: $what", async ({ reply, says }) => {
    const { download, names } = await prepare();
    const server = await openModelServer(() => reply);
    const error = await failure(download(server));
    expect(error.kind).toBe("invalid_file");
    expect(error.message).toMatch(/^What http:\/\/127\.0\.0\.1:\d+\/pip\.gguf sent /u);
    expect(error.message).toContain(says);
    expect(error.message).toMatch(/It was removed\.$/u);
    expect(names()).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });
});

describe("a server that does not give the file", () => {
  it.each([
    { status: 404, kind: "not_found", requests: 1, says: "has no such file (status 404)" },
    { status: 401, kind: "download_failed", requests: 1, says: "check the access token" },
    { status: 403, kind: "download_failed", requests: 1, says: "check the access token" },
    { status: 418, kind: "download_failed", requests: 1, says: "status 418" },
    { status: 206, kind: "download_failed", requests: 1, says: "status 206" },
    { status: 500, kind: "download_failed", requests: 5, says: "status 500" },
    { status: 429, kind: "download_failed", requests: 5, says: "status 429" },
  ])("with status $status is asked $requests times", async ({ status, kind, requests, says }) => {
    const { download, names } = await prepare();
    const server = await openModelServer(() => ({ status }));
    const error = await failure(download(server));
    expect([error.kind, error.message]).toEqual([kind, expect.stringContaining(says)]);
    expect(server.requests).toHaveLength(requests);
    expect(names()).toEqual([]);
  });

  it.each([
    { asks: "7", waits: [7_000] },
    { asks: "3600", waits: [60_000] },
    { asks: "tomorrow", waits: [500] },
  ])("and asks to wait $asks is left alone for $waits ms", async ({ asks, waits }) => {
    const { download, clock } = await prepare();
    const server = await openModelServer((_, index) =>
      index === 0 ? { status: 503, headers: { "retry-after": asks } } : { file: PIP },
    );
    await download(server);
    expect(clock.waits).toEqual(waits);
  });

  it("because it is not there is not waited for", async () => {
    const { download, clock } = await prepare();
    const server = await openModelServer(() => ({ file: PIP }));
    await server.close();
    const error = await failure(download(server));
    expect([error.kind, error.message]).toEqual(["download_failed", expect.stringContaining("ECONNREFUSED")]);
    expect(clock.waits).toEqual([]);
  });

  it("but leads in circles is left", async () => {
    const { download } = await prepare();
    const server = await openModelServer(() => ({ status: 302, headers: { location: "/pip.gguf" } }));
    expect((await failure(download(server))).message).toContain("more than 10 redirects");
    expect(server.requests).toHaveLength(11);
  });
});

describe("a version that looks like a hash", () => {
  it("is none: storages put hashes of other kinds there", async () => {
    const { download, read } = await prepare();
    const server = await openModelServer(() => ({ file: PIP, etag: `"${hashOf(OTHER)}"` }));
    await download(server);
    expect(read().equals(PIP)).toBe(true);
  });
});

describe("a redirect", () => {
  it("is followed, with the token left behind and the hash kept in mind", async () => {
    const setting = await prepare();
    const storage = await openModelServer(() => ({ file: PIP, etag: `"${hashOf(OTHER)}"` }));
    const hub = await openModelServer(({ path: asked }) =>
      asked === "/pip.gguf"
        ? { status: 307, headers: { location: "/moved.gguf" } }
        : { status: 302, headers: { location: `${storage.origin}/blob`, "x-linked-etag": `"${hashOf(PIP)}"` } },
    );
    await setting.download(hub, { request: createRequester({ origin: hub.origin, token: "secret" }) });
    expect(hub.requests.map(({ authorization }) => authorization)).toEqual(["Bearer secret", "Bearer secret"]);
    expect(storage.requests).toMatchObject([{ path: "/blob", authorization: undefined }]);
    expect(setting.read().equals(PIP)).toBe(true);
  });

  it("states the hash that the file is checked against", async () => {
    const setting = await prepare();
    const storage = await openModelServer(() => ({ file: PIP }));
    const hub = await openModelServer(() => ({
      status: 302,
      headers: { location: `${storage.origin}/blob`, "x-linked-etag": `"${hashOf(OTHER)}"` },
    }));
    expect((await failure(setting.download(hub))).kind).toBe("invalid_file");
  });
});

describe("on the disk", () => {
  it("another process that downloads the same file is left to it", async () => {
    const { download, file } = await prepare();
    const server = await openModelServer(() => ({ file: PIP }));
    writeFileSync(`${file}.lock`, String(process.ppid));
    const error = await failure(download(server));
    expect(error.kind).toBe("download_failed");
    expect(error.message).toContain(`Another process (${process.ppid}) is downloading the same file`);
    expect(server.requests).toEqual([]);
  });

  it.each([
    { what: "a process that has died", owner: () => String(spawnSync(process.execPath, ["-e", ""]).pid) },
    { what: "an earlier process of this number", owner: () => String(process.pid) },
    { what: "nobody", owner: () => "" },
  ])("the lock of $what does not count", async ({ owner }) => {
    const { download, file, names } = await prepare();
    const server = await openModelServer(() => ({ file: PIP }));
    writeFileSync(`${file}.lock`, owner());
    await download(server);
    expect(names()).toEqual(["pip.gguf"]);
  });

  it("a folder that cannot be made is said in words", async () => {
    const { folder, clock } = await prepare();
    const server = await openModelServer(() => ({ file: PIP }));
    writeFileSync(path.join(folder, "taken"), "");
    const to = path.join(folder, "taken", "pip.gguf");
    const settings = { request: createRequester(undefined), signal: new AbortController().signal, clock };
    const error = await failure(downloadModelFile(`${server.origin}/pip.gguf`, to, settings));
    expect(error.message).toContain(`${to} cannot be written: `);
  });
});
