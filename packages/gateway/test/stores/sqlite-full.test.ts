import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { cancelledSignal } from "fullstop";
import type { GenerationEvent } from "fullstop";
import type { GenerationStore } from "fullstop/control";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openSqliteFile } from "../../src/stores/sqlite-file.ts";
import { createSqliteStore, openSqliteStore } from "../../src/stores/sqlite-store.ts";
import { createFolder } from "../support/folder.ts";

const folder = createFolder();
const child = path.resolve(import.meta.dirname, "sqlite-full-child.mjs");

interface LimitedStore {
  readonly store: GenerationStore;
  /** Lets the file have so many pages from now on. */
  readonly limit: (pages: number) => void;
  readonly pages: () => number;
}

async function openLimited(name: string): Promise<LimitedStore> {
  const database = await openSqliteFile(folder.path(name));
  const store = createSqliteStore(database);
  onTestFinished(() => store.close());
  return {
    store,
    limit: (pages) => void database.pragma(`max_page_count = ${pages}`),
    pages() {
      const [row] = database.pragma("page_count") as readonly { readonly page_count: number }[];
      return row?.page_count ?? 0;
    },
  };
}

const open = (store: GenerationStore, id: string): Promise<void> =>
  store.open({ id, owner: "alice", model: "pip", startedAt: 1, holder: "one" });

const pieceOf = (id: string, index: number): GenerationEvent => ({
  type: "text",
  text: `${id} ${index} ${"x".repeat(500)}`,
});

async function readAll(store: GenerationStore, id: string): Promise<readonly GenerationEvent[]> {
  const events: GenerationEvent[] = [];
  for (let batch = await store.read(id, 0); batch.length > 0; batch = await store.read(id, events.length)) {
    events.push(...batch);
  }
  return events;
}

/** Appends to all generations at once, again and again, until the store has no more room. */
async function fill(store: GenerationStore, ids: readonly string[], recorded: Map<string, number>): Promise<void> {
  for (;;) {
    const results = await Promise.allSettled(
      ids.map(async (id) => {
        const offset = recorded.get(id) ?? 0;
        const result = await store.append(id, offset, [pieceOf(id, offset), pieceOf(id, offset + 1)]);
        expect(result).toEqual({ state: "recorded" });
        recorded.set(id, offset + 2);
      }),
    );
    const failures = results.flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []));
    if (failures.length === 0) continue;
    for (const failure of failures) expect(failure).toContain("full");
    return;
  }
}

const ids = Array.from({ length: 20 }, (_, index) => `g${index}`);

describe("a store without room", () => {
  it("refuses what does not fit, has all that it took, and goes on when there is room", async () => {
    const { store, limit, pages } = await openLimited("full.sqlite");
    for (const id of ids) await open(store, id);
    const recorded = new Map<string, number>();
    // Several times, so that it fails while it makes chunks as well as while it writes its journal.
    for (let room = 0; room < 8; room += 1) {
      limit(pages() + 20 + room * 7);
      await fill(store, ids, recorded);
      await expect(store.finish("g0", cancelledSignal(), 1_000_000)).resolves.toMatchObject({ state: "behind" });
      for (const id of ids) {
        const count = recorded.get(id) ?? 0;
        expect((await store.find(id))?.events).toBe(count);
        expect(await readAll(store, id)).toEqual(Array.from({ length: count }, (_, index) => pieceOf(id, index)));
      }
    }
    limit(1_000_000);
    for (const id of ids) {
      expect(await store.finish(id, cancelledSignal(), recorded.get(id))).toEqual({ state: "recorded" });
    }
    expect(await store.live()).toEqual([]);
    expect((await readAll(store, "g7")).length).toBe((recorded.get("g7") ?? 0) + 1);
  });

  it("can still delete, and then has room", async () => {
    const { store, limit, pages } = await openLimited("delete.sqlite");
    await open(store, "old");
    await store.append(
      "old",
      0,
      Array.from({ length: 1_000 }, (_, index) => pieceOf("old", index)),
    );
    await store.finish("old", cancelledSignal());
    for (const id of ids) await open(store, id);
    limit(pages() + 10);
    const recorded = new Map<string, number>();
    await fill(store, ids, recorded);
    const offset = recorded.get("g0") ?? 0;
    const [failing, deleting] = await Promise.allSettled([
      store.append("g0", offset, [{ type: "text", text: "x".repeat(1_000_000) }]),
      store.delete("old"),
    ]);
    expect([failing.status, deleting]).toEqual(["rejected", { status: "fulfilled", value: true }]);
    expect(await store.append("g0", offset, [pieceOf("g0", offset)])).toEqual({ state: "recorded" });
  });

  it("gives room that was freed back to the disk, but for what may be needed soon", async () => {
    const { store, pages } = await openLimited("vacuum.sqlite");
    await Promise.all(
      ids.map(async (id) => {
        await open(store, id);
        await store.append(
          id,
          0,
          Array.from({ length: 500 }, (_, index) => pieceOf(id, index)),
        );
        await store.finish(id, cancelledSignal());
      }),
    );
    const before = pages();
    await Promise.all(ids.slice(1).map((id) => store.delete(id)));
    await vi.waitFor(() => expect(pages()).toBeLessThan(before / 4), { timeout: 20_000 });
    expect((await readAll(store, "g0")).length).toBe(501);
  });

  it("can be closed on a disk that is full, and has all that it took", async () => {
    const file = folder.path("full-disk.sqlite");
    const before = await openSqliteStore({ file });
    await open(before, "older");
    const pieces = Array.from({ length: 500 }, (_, index) => pieceOf("older", index));
    await before.append("older", 0, pieces);
    await before.close();
    // The shell has the system let no file grow beyond 200 KiB, which this one is: to whoever writes, its disk is full.
    const limited = ["-c", 'ulimit -f 400; exec "$0" "$@"', process.execPath, child, file];
    const { stdout } = await promisify(execFile)("sh", limited);
    const events = Number(stdout);
    expect(events).toBeGreaterThan(10);
    const store = await openSqliteStore({ file });
    onTestFinished(() => store.close());
    expect((await readAll(store, "g")).slice(0, -1)).toHaveLength(events);
    expect((await store.find("g"))?.signal?.detail).toBe("truncated");
  });

  it("refuses only the events that cannot be written as JSON", async () => {
    const { store } = await openLimited("json.sqlite");
    await open(store, "g");
    const [bad, good] = await Promise.allSettled([
      store.append("g", 0, [{ type: "opaque", format: "gemini", value: 1n }]),
      store.append("g", 0, [pieceOf("g", 0)]),
    ]);
    expect([bad.status, good.status]).toEqual(["rejected", "fulfilled"]);
    expect(await store.read("g", 0)).toEqual([pieceOf("g", 0)]);
  });
});
