import { same } from "./contract.ts";
import type { StoreContractCase } from "./contract.ts";
import { endingOf, pieces, recordOf } from "./samples.ts";

const idsOf = (generations: readonly { readonly id: string }[]): readonly string[] => generations.map(({ id }) => id);

/** What stores have to say about many generations. */
export const LIST_CASES: readonly StoreContractCase[] = [
  {
    name: "lists what runs, of one owner or of all, the oldest first",
    async run({ open }) {
      const [a, b] = [await open(), await open()];
      const third = recordOf("third", { owner: "bob", startedAt: 30, labels: { topic: "1" } });
      await a.open(third);
      await a.open(recordOf("second", { startedAt: 20 }));
      await b.open(recordOf("first", { startedAt: 10 }));
      await b.open(recordOf("over", { startedAt: 5 }));
      await a.finish("over", endingOf("user"));
      same(idsOf(await b.live()), ["first", "second", "third"], "all");
      same(idsOf(await b.live("alice")), ["first", "second"], "those of one owner");
      same(await b.live("bob"), [third], "the record of one");
      same(await b.live("nobody"), [], "those of nobody");
    },
  },
  {
    name: "lists what has ended, in the order in which it did, with its age and its size",
    async run({ open, pass }) {
      const store = await open();
      for (const id of ["a", "b", "c"]) await store.open(recordOf(id));
      await store.append("b", 0, [{ type: "text", text: "x".repeat(10_000) }]);
      for (const id of ["c", "b", "a"]) {
        await store.finish(id, endingOf("user"));
        await pass(2);
      }
      const ended = await (await open()).ended();
      same(idsOf(ended), ["c", "b", "a"], "the ids");
      const [first, second, third] = ended;
      same((first?.endedAt ?? 0) < (third?.endedAt ?? 0), true, "whether times grow");
      same((first?.ageMilliseconds ?? 0) > (third?.ageMilliseconds ?? 0), true, "whether ages shrink");
      const asked = ended.map(({ endedAt, ageMilliseconds }) => endedAt + ageMilliseconds);
      // Each is a whole number, of which two may lose a part.
      same(Math.max(...asked) - Math.min(...asked) <= 1, true, "whether ages and times are of one clock");
      same((second?.bytes ?? 0) >= 10_000 && (first?.bytes ?? 0) < 5_000, true, "whether sizes are about right");
    },
  },
  {
    name: "forgets what has ended when it is told to, and only that",
    async run({ open }) {
      const store = await open();
      await store.open(recordOf("g"));
      await store.append("g", 0, pieces(2));
      same(await store.delete("g"), false, "deleting what runs");
      await store.order("g", { mode: "stop", reason: "user" });
      await store.finish("g", endingOf("user"));
      same(await store.delete("g"), true, "deleting what has ended");
      same(await store.delete("g"), false, "deleting it again");
      const other = await open();
      same(await other.find("g"), undefined, "the generation");
      same(await other.read("g", 0), [], "its events");
      same(await other.orders("g"), [], "its orders");
      same(await other.ended(), [], "what has ended");
    },
  },
];
