import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import * as main from "../src/index.ts";
import * as stores from "../src/stores/index.ts";
import { createFolder } from "./support/folder.ts";

/** The entries, by how they are imported. */
const entries: Readonly<Record<string, object>> = { "@fullstop/gateway": main, "@fullstop/gateway/stores": stores };

const folder = createFolder();

describe("the gateway as a package", () => {
  it.each(Object.entries(entries))("exports exactly this from %s", async (entry, exported) => {
    const names = Object.keys(exported).sort();
    await expect(`${names.join("\n")}\n`).toMatchFileSnapshot(`exports/${path.basename(entry)}.txt`);
  });

  it.each(Object.entries(entries))("exports the same from %s as it is built", async (entry, exported) => {
    const built = (await import(entry)) as object;
    expect(Object.keys(built).sort()).toEqual(Object.keys(exported).sort());
  });

  it("lists every entry in its manifest", () => {
    const manifest = JSON.parse(readFileSync(path.resolve(import.meta.dirname, "../package.json"), "utf8")) as {
      readonly name: string;
      readonly exports: object;
    };
    const listed = Object.keys(manifest.exports).map((entry) => path.join(manifest.name, entry));
    expect(listed).toEqual(Object.keys(entries));
  });

  it("opens a store for whoever imports it", async () => {
    const { openSqliteStore } = await import("@fullstop/gateway/stores");
    const store = await openSqliteStore({ file: folder.path("store.db") });
    await store.writeDocument("f", "n", "value", { keepMilliseconds: 60_000, expected: "none" });
    expect((await store.readDocument("f", "n"))?.value).toBe("value");
    await store.close();
  });
});
