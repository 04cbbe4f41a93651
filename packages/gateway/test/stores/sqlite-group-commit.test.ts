import { afterEach, describe, expect, it, vi } from "vitest";
import { GroupCommit } from "../../src/stores/sqlite-group-commit.ts";
import type { Transaction } from "../../src/stores/sqlite-group-commit.ts";

/** A transaction that writes down what it is told. */
function createJournal(parts: Partial<Transaction> = {}) {
  const steps: string[] = [];
  const step = (name: string) => () => void steps.push(name);
  const group = new GroupCommit({
    begin: step("begin"),
    commit: step("commit"),
    rollback: step("rollback"),
    committed: step("committed"),
    ...parts,
  });
  const write = (name: string) => group.add(() => (steps.push(name), name));
  return { steps, group, write };
}

afterEach(() => vi.useRealTimers());

describe("a group of writes", () => {
  it("is all that came in one turn, in its order, and everybody is told after the commit", async () => {
    const { steps, write } = createJournal();
    const told = ["a", "b", "c"].map(async (name) => steps.push(`told ${await write(name)}`));
    await Promise.all(told);
    expect(steps).toEqual(["begin", "a", "b", "c", "commit", "committed", "told a", "told b", "told c"]);
  });

  it("gathers what comes soon after a commit", async () => {
    vi.useFakeTimers();
    const { steps, write } = createJournal();
    const first = write("a");
    await vi.runAllTimersAsync();
    const second = write("b");
    await vi.advanceTimersByTimeAsync(1);
    const third = write("c");
    await vi.runAllTimersAsync();
    await Promise.all([first, second, third]);
    expect(steps).toEqual(["begin", "a", "commit", "committed", "begin", "b", "c", "commit", "committed"]);
  });

  it("fails as a whole when a write fails, and those that come later do not", async () => {
    const { steps, group, write } = createJournal();
    const full = new Error("full");
    const fail = () =>
      group.add(() => {
        throw full;
      });
    const results = await Promise.allSettled([write("a"), fail(), write("b")]);
    expect(results).toEqual(Array.from({ length: 3 }, () => ({ status: "rejected", reason: full })));
    await expect(write("c")).resolves.toBe("c");
    expect(steps).toEqual(["begin", "a", "rollback", "begin", "c", "commit", "committed"]);
  });

  it("fails as a whole when the commit fails", async () => {
    const full = new Error("full");
    const { write } = createJournal({
      commit() {
        throw full;
      },
    });
    const results = await Promise.allSettled([write("a"), write("b")]);
    expect(results).toEqual(Array.from({ length: 2 }, () => ({ status: "rejected", reason: full })));
  });

  it("is cut when it takes long, and the rest is done next", async () => {
    const { steps, group, write } = createJournal();
    const slow = group.add(() => {
      for (const until = performance.now() + 20; performance.now() < until;);
    });
    await Promise.all([slow, write("a"), write("b")]);
    expect(steps).toEqual(["begin", "commit", "committed", "begin", "a", "b", "commit", "committed"]);
  });

  it("is done at once when that is asked for", async () => {
    const { steps, group, write } = createJournal();
    const written = write("a");
    group.drain();
    expect(steps).toEqual(["begin", "a", "commit", "committed"]);
    await expect(written).resolves.toBe("a");
  });
});
