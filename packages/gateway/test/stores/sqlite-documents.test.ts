import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";
import { applyRetention } from "fullstop/control";
import type { Store } from "fullstop/control";
import { DOCUMENT_CONTRACT } from "fullstop/testing";
import Database from "libsql";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSqliteFile } from "../../src/stores/sqlite-file.ts";
import { createSqliteStore, openSqliteStore } from "../../src/stores/sqlite-store.ts";
import { createFolder } from "../support/folder.ts";

const CRASHES = 10;
const DOCUMENTS = 50;

const folder = createFolder();
const script = path.resolve(import.meta.dirname, "sqlite-documents-child.mjs");

const hour = { keepMilliseconds: 3_600_000, expected: "any" } as const;

/** What a process has said last of a document; nothing of whether it is there while that is not known. */
interface Line {
  readonly name: string;
  readonly count: number;
  readonly isThere?: boolean;
}

/** Lets a process change documents until it has said so many lines, kills it, and gives what it has said last of each. */
async function changeAndCrash(file: string, place: string, lines: number): Promise<ReadonlyMap<string, Line>> {
  const child = spawn(process.execPath, [script, file, place, String(DOCUMENTS)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const last = new Map<string, Line>();
  let said = 0;
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Line;
    last.set(line.name, line);
    said += 1;
    if (said === lines) child.kill("SIGKILL");
  }
  return last;
}

/** Whether a document is as it was acknowledged to be, or one change further, of which nobody was told. */
async function isAsSaid(store: Store, place: string, { name, count, isThere }: Line): Promise<boolean> {
  const found = await store.readDocument(place, name);
  const isNext = found !== undefined && (JSON.parse(found.value) as Line).count === count + 1;
  const isSame = found !== undefined && (JSON.parse(found.value) as Line).count === count;
  if (isThere === undefined) return isSame || found === undefined;
  return isNext || (isThere ? isSame : found === undefined);
}

describe("documents in a file", () => {
  it.each(DOCUMENT_CONTRACT.map(({ name, run }) => [name, run] as const))("%s", async (name, run) => {
    let time = 1_700_000_000_000;
    const file = folder.path(`${name.replaceAll(/\W/gu, "-")}.sqlite`);
    const store = await openSqliteStore({ file, clock: { now: () => time } });
    onTestFinished(() => store.close());
    const harness = {
      // One process has the file, so it is one store.
      open: async () => store,
      pass: async (milliseconds: number) => void (time += milliseconds),
    };
    await expect(run(harness)).resolves.toBeUndefined();
  });

  it("are there when the file is opened again, with their versions", async () => {
    const file = folder.path("again.sqlite");
    const store = await openSqliteStore({ file });
    const written = await store.writeDocument("f", "n", "value", hour);
    await store.close();
    await expect(store.readDocument("f", "n")).rejects.toThrow("The store was closed");
    await expect(store.writeDocument("f", "n", "2", hour)).rejects.toThrow("The store was closed");
    const again = await openSqliteStore({ file });
    onTestFinished(() => again.close());
    expect(await again.readDocument("f", "n")).toEqual(written);
    expect(await again.documentNames("f")).toEqual(["n"]);
    expect(await again.writeDocument("f", "n", "2", { ...hour, expected: written ?? "none" })).toBeDefined();
  });

  it("leave the file in a round of retention when their time is over, however many they are", async () => {
    let time = 1_700_000_000_000;
    const database = await openSqliteFile(folder.path("expired.sqlite"));
    const store = createSqliteStore(database, { now: () => time });
    onTestFinished(() => store.close());
    const brief = { keepMilliseconds: 10, expected: "any" } as const;
    const names = Array.from({ length: 250 }, (_, index) => String(index));
    await Promise.all(names.map((name) => store.writeDocument("f", name, "value", brief)));
    await store.writeDocument("f", "stays", "value", hour);
    time += 10;
    const rows = (): unknown => database.prepare("SELECT count(*) FROM document").raw().get();
    expect(rows()).toEqual([251]);
    await applyRetention(store, {});
    expect(rows()).toEqual([1]);
    expect(await store.documentNames("f")).toEqual(["stays"]);
  });

  it("can be kept in a file from before there were any, which keeps what is in it", async () => {
    const file = folder.path("version-1.sqlite");
    const old = await openSqliteStore({ file });
    await old.open({ id: "g", owner: "alice", model: "pip", startedAt: 1, holder: "one" });
    await old.append("g", 0, [{ type: "text", text: "kept" }]);
    await old.close();
    const database = new Database(file);
    database.exec("DROP TABLE document; PRAGMA user_version = 1");
    database.close();
    for (const value of ["first", "second"]) {
      const store = await openSqliteStore({ file });
      expect((await store.read("g", 0))[0]).toEqual({ type: "text", text: "kept" });
      expect((await store.readDocument("f", "n"))?.value).toBe(value === "first" ? undefined : "first");
      await store.writeDocument("f", "n", value, hour);
      await store.close();
    }
  });

  it(`are as they were acknowledged to be after each of ${CRASHES} crashes`, async () => {
    const file = folder.path("crash.sqlite");
    for (let crash = 0; crash < CRASHES; crash += 1) {
      const place = `crash ${crash}`;
      const said = await changeAndCrash(file, place, 500 + crash * 377);
      expect(said.size).toBe(DOCUMENTS);
      const store = await openSqliteStore({ file });
      const wrong: Line[] = [];
      for (const line of said.values()) if (!(await isAsSaid(store, place, line))) wrong.push(line);
      await store.close();
      expect(wrong).toEqual([]);
    }
  });
});
