import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/stores/open-store.ts";
import type { OpenedStore } from "../../src/stores/open-store.ts";
import { createFolder } from "../support/folder.ts";

const folder = createFolder();

async function open(ownFile: string): Promise<OpenedStore> {
  const opened = await openStore({
    place: undefined,
    environment: { XDG_STATE_HOME: folder.path("state") },
    ownFile,
    onError: () => undefined,
  });
  onTestFinished(() => opened.store.close());
  return opened;
}

describe("a Redis that cannot be reached", () => {
  it("is told of as such, and does not keep anybody from starting", async () => {
    const problems: unknown[] = [];
    const { store, description } = await openStore({
      place: undefined,
      environment: { FULLSTOP_STORE: "redis://127.0.0.1:1" },
      ownFile: "one.db",
      onError: (error) => void problems.push(error),
    });
    onTestFinished(() => store.close());
    expect(description).toMatch(/^in Redis, as soon as it can be reached: .*ECONNREFUSED/u);
    expect(problems).not.toEqual([]);
  });
});

describe("the store of whoever has said nothing", () => {
  it("is a file of the name that the command has for it, so that two commands do not share one", async () => {
    const [first, second] = [await open("one.db"), await open("two.db")];
    const files = ["one.db", "two.db"].map((name) => path.join(folder.path("state"), "fullstop", name));
    expect([first.description, second.description]).toEqual(files.map((file) => `in ${file}`));
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });

  it("is in memory, documents as well, where another process has the file, and says so", async () => {
    await open("taken.db");
    const { store, description } = await open("taken.db");
    expect(description).toMatch(/^in memory, until the process ends, because the store ".+" is in use by another/u);
    await store.writeDocument("f", "n", "value", { keepMilliseconds: 60_000, expected: "none" });
    expect((await store.readDocument("f", "n"))?.value).toBe("value");
  });
});
