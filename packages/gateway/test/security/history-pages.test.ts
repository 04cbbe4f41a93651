import { createTerminationSignal } from "fullstop";
import { createMemoryStore } from "fullstop/control";
import { describe, expect, it } from "vitest";
import { readHistory } from "../../src/generations/history.ts";

const signal = createTerminationSignal({ reason: "natural_completion", originalField: "x", originalValue: "stop" });

/** A store in which generations have ended one after the other, several in one moment. */
async function storeOf(owners: readonly string[]) {
  let now = 1;
  const store = createMemoryStore({ clock: { now: () => Math.floor(now / 3), after: () => () => undefined } });
  for (const [index, owner] of owners.entries()) {
    const id = `${owner}-${index}`;
    await store.open({ id, owner, model: "m", startedAt: 1, holder: "h" });
    await store.finish(id, signal);
    now += 1;
  }
  return store;
}

/** All pages of somebody's history. */
async function pagesOf(store: Awaited<ReturnType<typeof storeOf>>, owner: string | undefined, limit: number) {
  const ids: string[] = [];
  const cursors: string[] = [];
  for (let before: string | undefined; ;) {
    const { generations, next } = await readHistory(store, owner, { limit, before });
    ids.push(...generations.map(({ id }) => id));
    if (next === null) return { ids, cursors };
    // A page that leads back would never come to an end, and leave nobody the time to notice.
    if (cursors.includes(next)) throw new Error(`the pages lead in a circle, by ${next}`);
    cursors.push(next);
    before = next;
  }
}

describe("the pages of a history", () => {
  /** How many are looked at for one page. */
  const LOOKED_AT = 2000;

  /** More of somebody else's than are looked at for one page, several times over. One of her own is where that ends. */
  const ownersOf = (length: number): readonly string[] =>
    Array.from({ length }, (_, index) => (index % 3100 === 50 || index === length - LOOKED_AT - 1 ? "alice" : "bob"));
  const owners = ownersOf(7000);

  // Three end in each moment: the look ends between two moments, and at both places within one.
  it.each([1, 2, 100].flatMap((limit) => [7000, 7001, 7002].map((length) => [limit, length] as const)))(
    "have all that is one's own, once, and no id of anybody else, %i at a time of %i",
    async (limit, length) => {
      const all = ownersOf(length);
      const mine = all.flatMap((owner, index) => (owner === "alice" ? [`alice-${index}`] : [])).toReversed();
      const { ids, cursors } = await pagesOf(await storeOf(all), "alice", limit);
      expect(ids).toEqual(mine);
      expect(cursors.length).toBeGreaterThan(1);
      expect(cursors.filter((cursor) => !/^@\d+(?:\.alice-\d+)?$/u.test(cursor))).toEqual([]);
    },
  );

  it("have everything for operators, once", async () => {
    const { ids } = await pagesOf(await storeOf(owners), undefined, 1000);
    expect(ids.toSorted()).toEqual(owners.map((owner, index) => `${owner}-${index}`).toSorted());
    // Three share a moment, in which the ids decide.
    const moments = ids.map((id) => Math.floor((Number(id.split("-")[1]) + 1) / 3));
    expect(moments).toEqual(moments.toSorted((one, other) => other - one));
  });

  it("begin with the newest after an id of somebody else, as after none", async () => {
    const store = await storeOf(["alice", "bob", "alice", "bob", "alice"]);
    const pageAfter = (before: string) => readHistory(store, "alice", { limit: 10, before });
    const { generations } = await pageAfter("bob-3");
    expect(generations.map(({ id }) => id)).toEqual(["alice-4", "alice-2", "alice-0"]);
    expect(await pageAfter("bob-3")).toEqual(await pageAfter("bob-77"));
    expect((await pageAfter("alice-4")).generations.map(({ id }) => id)).toEqual(["alice-2", "alice-0"]);
  });
});
