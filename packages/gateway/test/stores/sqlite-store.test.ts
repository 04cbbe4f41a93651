import { STORE_CONTRACT } from "fullstop/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSqliteStore } from "../../src/stores/sqlite-store.ts";
import { createFolder } from "../support/folder.ts";

const folder = createFolder();

describe("the store in a file", () => {
  it.each(STORE_CONTRACT)("$name", async ({ name, run }) => {
    let time = 1_700_000_000_000;
    const store = await openSqliteStore({ file: folder.path(`${name}.sqlite`), clock: { now: () => time } });
    onTestFinished(() => store.close());
    const harness = {
      // One process has the file, so it is one store.
      open: async () => store,
      pass: async (milliseconds: number) => void (time += milliseconds),
    };
    await expect(run(harness)).resolves.toBeUndefined();
  });
});
