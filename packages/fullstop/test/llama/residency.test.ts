import { describe, expect, it } from "vitest";
import { Residency } from "../../src/llama/residency.ts";
import { createGate } from "../../src/testing/index.ts";
import { createManualClock } from "../support/manual-clock.ts";

/** A residency of something that counts how often it was loaded and freed. */
function createRig(load: (attempt: number) => Promise<void> = () => Promise.resolve()) {
  const clock = createManualClock();
  const log: string[] = [];
  let attempts = 0;
  const residency = new Residency({
    clock,
    idleMilliseconds: 100,
    load: async () => {
      attempts += 1;
      const attempt = attempts;
      await load(attempt);
      log.push(`load ${attempt}`);
      return {
        attempt,
        dispose: () => {
          log.push(`free ${attempt}`);
          return Promise.resolve();
        },
      };
    },
  });
  return { clock, log, residency };
}

describe("Residency", () => {
  it("loads once for all who wait, and frees after a while without users", async () => {
    const { clock, log, residency } = createRig();
    await Promise.all([residency.use(), residency.use()]);
    residency.release();
    expect(clock.running()).toEqual([]);
    residency.release();
    expect(clock.running()).toEqual([100]);
    await clock.fire(100);
    expect(log).toEqual(["load 1", "free 1"]);
    expect(residency.resident).toBeUndefined();
  });

  it("does not free what is used again", async () => {
    const { clock, log, residency } = createRig();
    await residency.use();
    residency.release();
    await residency.use();
    expect(clock.running()).toEqual([]);
    expect(log).toEqual(["load 1"]);
  });

  it("frees at once when told to, after the last user, and sets no timer", async () => {
    const { clock, log, residency } = createRig();
    await residency.use();
    const unloading = residency.unload();
    expect(log).toEqual(["load 1"]);
    residency.release();
    expect(clock.running()).toEqual([]);
    await unloading;
    expect(log).toEqual(["load 1", "free 1"]);
    await residency.use();
    expect(log).toEqual(["load 1", "free 1", "load 2"]);
  });

  it("cancels the timer when it is unloaded before", async () => {
    const { clock, residency } = createRig();
    await residency.use();
    residency.release();
    await residency.unload();
    expect(clock.running()).toEqual([]);
  });

  it("fails for all who wait, and is tried again by the next", async () => {
    const gate = createGate();
    const { log, residency } = createRig(async (attempt) => {
      if (attempt === 1) {
        await gate.pass();
        throw new Error("no such file");
      }
    });
    const waiting = [residency.use(), residency.use()];
    const failures = Promise.allSettled(waiting);
    gate.open();
    // The first who hears of the failure tries again before the second has heard of it.
    const again = waiting[0]!.catch(() => residency.use());
    expect((await failures).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const resident = await again;
    expect(await residency.use()).toBe(resident);
    expect(log).toEqual(["load 2"]);
  });

  it("refuses everybody once it is closed", async () => {
    const { clock, log, residency } = createRig();
    await residency.use();
    const closing = residency.close();
    await expect(residency.use()).rejects.toMatchObject({ kind: "shutdown" });
    residency.release();
    await closing;
    expect(log).toEqual(["load 1", "free 1"]);
    expect(clock.running()).toEqual([]);
  });
});
