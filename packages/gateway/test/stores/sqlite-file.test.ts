import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import Database from "libsql";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConfigError } from "../../src/config/config-error.ts";
import { openSqliteStore } from "../../src/stores/sqlite-store.ts";
import { createFolder } from "../support/folder.ts";

const folder = createFolder();
const NOBODY = 65_534;

function modeOf(file: string): number {
  return statSync(file).mode & 0o777;
}

/** Runs as a user who may not do everything, also where the tests run as one who may. */
async function withoutPrivileges(run: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    await run();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

/** A file as a store leaves it, with something about it changed. */
async function writeStore(name: string, sql: string): Promise<string> {
  const file = folder.path(name);
  const store = await openSqliteStore({ file });
  await store.close();
  const database = new Database(file);
  database.exec(sql);
  database.close();
  return file;
}

describe("the file of a store", () => {
  it("is made with its folder, and nobody else can read them", async () => {
    const file = folder.path("a/b/new.sqlite");
    const store = await openSqliteStore({ file });
    onTestFinished(() => store.close());
    expect([file, `${file}-wal`].map(modeOf)).toEqual([0o600, 0o600]);
    expect([path.dirname(file), folder.path("a")].map(modeOf)).toEqual([0o700, 0o700]);
  });

  it("is a single file when the store was closed, and can be opened again at once", async () => {
    const file = folder.path("closed.sqlite");
    const store = await openSqliteStore({ file });
    await store.open({ id: "g", owner: "alice", model: "pip", startedAt: 1, holder: "one" });
    await store.close();
    await store.close();
    expect([`${file}-wal`, `${file}-shm`, `${file}-journal`].filter((name) => existsSync(name))).toEqual([]);
    const again = await openSqliteStore({ file });
    onTestFinished(() => again.close());
    expect((await again.find("g"))?.signal?.detail).toBe("truncated");
  });

  it("is refused to a second store of the same process, and stays that of the first", async () => {
    const file = folder.path("twice.sqlite");
    const store = await openSqliteStore({ file });
    onTestFinished(() => store.close());
    await expect(openSqliteStore({ file })).rejects.toThrow("is in use by another process");
    await expect(openSqliteStore({ file })).rejects.toThrow("is in use by another process");
    await store.open({ id: "g", owner: "alice", model: "pip", startedAt: 1, holder: "one" });
    expect((await store.find("g"))?.events).toBe(0);
  });

  it("says that the store was closed when it is used after that", async () => {
    const store = await openSqliteStore({ file: folder.path("after.sqlite") });
    await store.close();
    await expect(store.live()).rejects.toThrow("The store was closed");
    await expect(store.append("g", 0, [])).rejects.toThrow("The store was closed");
  });

  const refused: readonly (readonly [what: string, make: () => string | Promise<string>, words: string])[] = [
    ["that is not SQLite", () => folder.write("text", "no database at all\n".repeat(100)), "is not a SQLite file"],
    [
      "of a newer version",
      () => writeStore("newer", "PRAGMA user_version = 7"),
      "was made by a newer fullstop (its version is 7, this program knows 2): use that fullstop, or name another file",
    ],
    [
      "of another program",
      () => writeStore("other", "PRAGMA application_id = 9"),
      "is a file of another program: name another file",
    ],
    ["in a folder that is a file", () => path.join(folder.write("file", ""), "store"), "cannot be written: "],
    [
      "that is a folder",
      () => (mkdirSync(folder.path("folder")), folder.path("folder")),
      "is a folder: name a file in it",
    ],
  ];

  it.each(refused)("is refused where it is one %s, and left as it is", async (_what, make, words) => {
    const file = await make();
    const before = contentOf(file);
    const opening = openSqliteStore({ file });
    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow(`the store ${JSON.stringify(file)} ${words}`);
    expect(contentOf(file)).toEqual(before);
    // Again, as a lock that is left behind would show.
    await expect(openSqliteStore({ file })).rejects.toThrow(words);
  });

  it.each([
    ["a file", 0o444, 0o777],
    ["a folder", 0o666, 0o555],
  ])("is refused with words where %s cannot be written", async (what, fileMode, folderMode) => {
    const parent = folder.path(what);
    mkdirSync(parent);
    const file = path.join(parent, "store");
    const store = await openSqliteStore({ file });
    await store.close();
    chmodSync(folder.path("."), 0o755);
    chmodSync(file, fileMode);
    chmodSync(parent, folderMode);
    onTestFinished(() => chmodSync(parent, 0o755));
    await withoutPrivileges(() =>
      expect(openSqliteStore({ file })).rejects.toThrow(`the store ${JSON.stringify(file)} cannot be written: `),
    );
  });
});

function contentOf(file: string): Buffer | undefined {
  return existsSync(file) && statSync(file).isFile() ? readFileSync(file) : undefined;
}
