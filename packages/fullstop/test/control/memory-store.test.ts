import { describe, expect, it } from "vitest";
import { applyRetention, createMemoryStore } from "../../src/control/index.ts";
import type { MemoryStoreOptions, Store } from "../../src/control/index.ts";
import { DOCUMENT_CONTRACT, STORE_CONTRACT } from "../../src/testing/index.ts";
import { createMovingClock } from "../support/moving-clock.ts";

interface Harness {
  readonly open: () => Promise<Store>;
  readonly pass: (milliseconds: number) => Promise<void>;
}

function harness(): Harness {
  const clock = createMovingClock();
  const store = createMemoryStore({ clock });
  return {
    open: async () => store,
    pass: (milliseconds) => clock.advance(milliseconds),
  };
}

function heapAfterCollection(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

describe("the store in memory", () => {
  it("forgets replicas that have not said for long that they live", async () => {
    const clock = createMovingClock();
    const store = createMemoryStore({ clock });
    const renew = async (from: number, to: number): Promise<void> => {
      for (let index = from; index < to; index += 1) {
        await store.renew(`replica ${index}, whose name is kept as long as its lease`, 100);
        if (index % 100 === 0) await clock.advance(100);
      }
    };
    await renew(0, 1_000);
    const before = heapAfterCollection();
    await renew(1_000, 60_000);
    expect(globalThis.gc).toBeDefined();
    // A list that kept all of them would have grown by more than six million bytes.
    expect(heapAfterCollection() - before).toBeLessThan(2_000_000);
  });

  it("forgets documents whose time is over, and their folders, in a round of retention", async () => {
    const clock = createMovingClock();
    const store = createMemoryStore({ clock });
    const round = async (number: number): Promise<void> => {
      for (let index = 0; index < 1_000; index += 1) {
        const value = JSON.stringify(Array.from({ length: 200 }, (_, place) => number * index + place));
        await store.writeDocument(`folder ${number} ${index}`, "n", value, { keepMilliseconds: 100, expected: "none" });
      }
      await clock.advance(100);
      await applyRetention(store, {});
    };
    await round(1);
    const before = heapAfterCollection();
    for (let number = 2; number < 12; number += 1) await round(number);
    expect(globalThis.gc).toBeDefined();
    // A store that kept all of them would have grown by more than ten million bytes, and by two with their folders only.
    expect(heapAfterCollection() - before).toBeLessThan(1_000_000);
  });

  it("refuses options that it does not have", () => {
    expect(() => createMemoryStore({ clok: undefined } as MemoryStoreOptions)).toThrow(`got "clok"`);
  });

  it.each([...STORE_CONTRACT, ...DOCUMENT_CONTRACT])("$name", async ({ run }) => {
    await expect(run(harness())).resolves.toBeUndefined();
  });
});
