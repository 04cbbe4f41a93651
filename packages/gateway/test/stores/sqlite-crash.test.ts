import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { cancelledSignal, truncatedSignal } from "fullstop";
import type { GenerationEvent } from "fullstop";
import type { GenerationStore } from "fullstop/control";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/stores/sqlite-store.ts";
import { createFolder } from "../support/folder.ts";

const CRASHES = 20;
const STREAMS = 200;

const folder = createFolder();
const script = path.resolve(import.meta.dirname, "sqlite-child.mjs");

/** What a process was told to be in the file: how many events of each generation, and which have ended. */
interface Acknowledged {
  readonly events: Map<string, number>;
  readonly finished: Set<string>;
}

type Line =
  | { readonly type: "opened" }
  | { readonly type: "recorded"; readonly id: string; readonly events: number }
  | { readonly type: "finished"; readonly id: string };

function start(file: string, prefix: string): ChildProcess & { readonly stdout: NodeJS.ReadableStream } {
  return spawn(process.execPath, [script, file, prefix, String(STREAMS)], { stdio: ["ignore", "pipe", "inherit"] });
}

/** Lets a process record until it has said so many lines, kills it, and gives everything that it has said. */
async function recordAndCrash(file: string, prefix: string, lines: number): Promise<Acknowledged> {
  const child = start(file, prefix);
  const acknowledged: Acknowledged = { events: new Map(), finished: new Set() };
  let said = 0;
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Line;
    if (line.type === "recorded") acknowledged.events.set(line.id, line.events);
    if (line.type === "finished") acknowledged.finished.add(line.id);
    said += 1;
    if (said === lines) child.kill("SIGKILL");
  }
  return acknowledged;
}

async function readAll(store: GenerationStore, id: string): Promise<readonly GenerationEvent[]> {
  const events: GenerationEvent[] = [];
  for (let batch = await store.read(id, 0); batch.length > 0; batch = await store.read(id, events.length)) {
    events.push(...batch);
  }
  return events;
}

/** Compares what is in the file with what was acknowledged; there may be more, of which nobody was told. */
async function check(store: GenerationStore, { events, finished }: Acknowledged): Promise<void> {
  for (const [id, count] of events) {
    const found = await store.find(id);
    const all = await readAll(store, id);
    const texts = all.slice(0, -1);
    expect(found?.events).toBe(all.length);
    expect(texts.length).toBeGreaterThanOrEqual(count);
    const wrong = texts.find((event, index) => event.type !== "text" || event.text !== `${id} ${index}`);
    expect(wrong).toBeUndefined();
    expect(all.at(-1)).toEqual({ type: "finish", signal: found?.signal });
    const endings = finished.has(id) ? [cancelledSignal(id)] : [truncatedSignal(), cancelledSignal(id)];
    expect(endings).toContainEqual(found?.signal);
  }
}

function integrityOf(file: string): unknown {
  const database = new Database(file);
  try {
    return database.pragma("integrity_check");
  } finally {
    database.close();
  }
}

describe("a store whose process is killed", () => {
  it(`has everything it has acknowledged, after each of ${CRASHES} crashes with ${STREAMS} generations`, async () => {
    const file = folder.path("crash.sqlite");
    const all: Acknowledged[] = [];
    for (let crash = 0; crash < CRASHES; crash += 1) {
      const acknowledged = await recordAndCrash(file, `crash${crash}`, 1_000 + crash * 377);
      all.push(acknowledged);
      const store = await openSqliteStore({ file });
      await check(store, acknowledged);
      expect(await store.live()).toEqual([]);
      const truncated = [...acknowledged.events.keys()].filter((id) => !acknowledged.finished.has(id));
      expect(truncated.length).toBeGreaterThanOrEqual(STREAMS / 4);
      await store.close();
      expect(integrityOf(file)).toEqual([{ integrity_check: "ok" }]);
    }
    const store = await openSqliteStore({ file });
    for (const acknowledged of all) await check(store, acknowledged);
    await store.close();
  }, 300_000);

  it("is refused to another process while it lives, and given to it when it was killed", async () => {
    const file = folder.path("lock.sqlite");
    const child = start(file, "first");
    for await (const line of createInterface({ input: child.stdout })) {
      expect(JSON.parse(line)).toEqual({ type: "opened" });
      break;
    }
    await expect(openSqliteStore({ file })).rejects.toThrow(
      `the store ${JSON.stringify(file)} is in use by another process: end that one, or give this one a file of its own`,
    );
    const ended = once(child, "close");
    child.kill("SIGKILL");
    await ended;
    const store = await openSqliteStore({ file });
    await store.close();
  });
});
