import { describe, expect, it } from "vitest";
import { Lockstep } from "../../src/llama/lockstep.ts";

/** A lockstep with deferral by hand, and a log of which steps were under way together. */
function createRig() {
  const deferred: (() => void)[] = [];
  const lockstep = new Lockstep((callback) => void deferred.push(callback));
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    lockstep,
    started,
    step(name: string, number = 0): Promise<void> {
      return lockstep.step(number, () => {
        started.push(name);
        return new Promise((resolve) => ends.set(name, resolve));
      });
    },
    end: (name: string): void => ends.get(name)!(),
    runDeferred: (): void => deferred.splice(0).forEach((callback) => callback()),
    get deferrals(): number {
      return deferred.length;
    },
  };
}

/** Lets everything go on that can. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("Lockstep", () => {
  it("lets one alone go at once", async () => {
    const rig = createRig();
    rig.lockstep.join();
    void rig.step("a");
    await settle();
    expect(rig.started).toEqual(["a"]);
    expect(rig.deferrals).toBe(0);
  });

  it("starts steps together once everybody has come", async () => {
    const rig = createRig();
    rig.lockstep.join();
    rig.lockstep.join();
    void rig.step("a");
    await settle();
    expect(rig.started).toEqual([]);
    void rig.step("b");
    await settle();
    expect(rig.started).toEqual(["a", "b"]);
  });

  it("starts steps in the order of their sequences, whoever came first", async () => {
    const rig = createRig();
    for (let members = 0; members < 3; members += 1) rig.lockstep.join();
    void rig.step("c", 2);
    void rig.step("a", 0);
    void rig.step("b", 1);
    await settle();
    expect(rig.started).toEqual(["a", "b", "c"]);
  });

  it("keeps whoever is done first until the others are done", async () => {
    const rig = createRig();
    rig.lockstep.join();
    rig.lockstep.join();
    const first = [rig.step("a"), rig.step("b")];
    await settle();
    rig.end("a");
    await first[0];
    void rig.step("a2");
    await settle();
    rig.runDeferred();
    expect(rig.started).toEqual(["a", "b"]);
    rig.end("b");
    await first[1];
    void rig.step("b2");
    await settle();
    expect(rig.started).toEqual(["a", "b", "a2", "b2"]);
  });

  it("does not wait for one whose reader dawdles", async () => {
    const rig = createRig();
    rig.lockstep.join();
    rig.lockstep.join();
    void rig.step("a");
    await settle();
    rig.runDeferred();
    await settle();
    expect(rig.started).toEqual(["a"]);
  });

  it("lets the others go when one leaves", async () => {
    const rig = createRig();
    rig.lockstep.join();
    rig.lockstep.join();
    void rig.step("a");
    rig.lockstep.leave();
    await settle();
    expect(rig.started).toEqual(["a"]);
  });

  it("goes on after a step that failed", async () => {
    const rig = createRig();
    rig.lockstep.join();
    await expect(rig.lockstep.step(0, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    void rig.step("a");
    await settle();
    expect(rig.started).toEqual(["a"]);
  });
});
