import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { createMemoryStore } from "fullstop/control";
import type { GenerationStore } from "fullstop/control";
import { describe, expect, it } from "vitest";
import { readHistory } from "../../src/generations/history.ts";
import { openSqliteStore } from "../../src/stores/sqlite-store.ts";
import { createFolder } from "../support/folder.ts";
import { createRedisRoom, endingOf, recordOf } from "../support/redis-room.ts";

const folder = createFolder();
const room = createRedisRoom();

/** A clock of which several endings share a moment. */
function slowClock() {
  let looks = 0;
  return { now: () => 1_700_000_000_000 + Math.floor((looks += 1) / 4), after: () => () => undefined };
}

interface OpenedStore {
  readonly store: GenerationStore;
  readonly close?: () => Promise<void>;
}

const STORES = {
  memory: async (): Promise<() => Promise<OpenedStore>> => async () => ({
    store: createMemoryStore({ clock: slowClock() }),
  }),
  SQLite: async (): Promise<() => Promise<OpenedStore>> => async () => {
    const store = await openSqliteStore({ file: folder.path(`${randomUUID()}.sqlite`), clock: slowClock() });
    return { store, close: () => store.close() };
  },
  Redis: async (): Promise<() => Promise<OpenedStore>> => {
    const { url } = await room.start();
    return async () => ({ store: await room.open({ url, prefix: `${randomUUID()}:` }) });
  },
};

/** Ends so many generations, of two owners in turn, and gives their ids. */
async function fill(store: GenerationStore, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const record = recordOf({ owner: index % 3 === 2 ? "bob" : "alice" });
    await store.open(record);
    await store.finish(record.id, endingOf("user"));
    if (record.owner === "alice") ids.push(record.id);
  }
  return ids;
}

describe.each(Object.entries(STORES))("the pages of a history in %s", (_name, prepare) => {
  it("have each that is left once, whatever is deleted between them", async () => {
    const open = await prepare();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.array(fc.nat(30), { maxLength: 4 }), { maxLength: 8 }),
        async (limit, deletions) => {
          const { store, close } = await open();
          const ids = await fill(store, 20);
          const seen: string[] = [];
          const gone = new Set<string>();
          let before: string | undefined;
          for (let page = 0; ; page += 1) {
            const { generations, next } = await readHistory(store, "alice", { limit, before });
            seen.push(...generations.map(({ id }) => id));
            if (next === null) break;
            before = next;
            // Always the row at which the page has ended, too.
            const last = generations.at(-1)?.id;
            const places = page < deletions.length ? deletions[page]! : [];
            for (const id of [last, ...places.map((place) => ids[place])]) {
              if (id === undefined || gone.has(id)) continue;
              gone.add(id);
              await store.delete(id);
            }
          }
          expect(new Set(seen).size).toBe(seen.length);
          expect(ids.filter((id) => !gone.has(id) && !seen.includes(id))).toEqual([]);
          await close?.();
        },
      ),
      { numRuns: 15 },
    );
  });

  it("go on behind an id alone, as cursors were before", async () => {
    const { store, close } = await (await prepare())();
    const ids = await fill(store, 9);
    const { generations } = await readHistory(store, "alice", { limit: 100, before: undefined });
    expect(generations).toHaveLength(ids.length);
    const [first, ...others] = generations.map(({ id }) => id);
    const rest = await readHistory(store, "alice", { limit: 100, before: first });
    expect(rest.generations.map(({ id }) => id)).toEqual(others);
    await close?.();
  });
});
