import { same } from "./contract.ts";
import type { StoreContractCase } from "./contract.ts";
import { EVERY_KIND, endingOf, pieces, recordOf } from "./samples.ts";

const RECORDED = { state: "recorded" };

/** What stores have to do with the events of generations. */
export const RECORD_CASES: readonly StoreContractCase[] = [
  {
    name: "tells what it was told of a generation, and that it runs",
    async run({ open }) {
      const store = await open();
      const record = recordOf("g", { labels: { dialect: "gemini" } });
      await store.open(record);
      const found = await (await open()).find("g");
      same(found, { ...record, events: 0 }, "the generation");
      same(await store.find("other"), undefined, "a generation that is not there");
    },
  },
  {
    name: "leaves a generation as it is that is opened again",
    async run({ open }) {
      const store = await open();
      await store.open(recordOf("g"));
      await store.append("g", 0, pieces(2));
      await store.open(recordOf("g", { owner: "mallory" }));
      const found = await store.find("g");
      same([found?.owner, found?.events], ["alice", 2], "owner and events");
    },
  },
  {
    name: "gives events back as they were, whatever is in them",
    async run({ open }) {
      const store = await open();
      await store.open(recordOf("g"));
      same(await store.append("g", 0, EVERY_KIND), RECORDED, "the result");
      same(await (await open()).read("g", 0), EVERY_KIND, "the events");
    },
  },
  {
    name: "reads from any offset, also from within what was appended in one go",
    async run({ open }) {
      const store = await open();
      await store.open(recordOf("g"));
      await store.append("g", 0, pieces(3));
      await store.append("g", 3, pieces(4, 3));
      await store.append("g", 7, pieces(1, 7));
      for (let from = 0; from <= 9; from += 1) {
        same(await readAll(store, "g", from), pieces(8).slice(from), `the events from ${from}`);
      }
      same(await store.read("other", 0), [], "events of a generation that is not there");
    },
  },
  {
    name: "takes an append that is made again for the same one",
    async run({ open }) {
      const store = await open();
      await store.open(recordOf("g"));
      await store.append("g", 0, pieces(3));
      same(await store.append("g", 0, pieces(3)), RECORDED, "the second time");
      same(await store.append("g", 1, pieces(4, 1)), RECORDED, "half of it again");
      same(await readAll(store, "g", 0), pieces(5), "the events");
    },
  },
  {
    name: "refuses to leave a gap, and says how far it is",
    async run({ open }) {
      const store = await open();
      same(await store.append("g", 0, pieces(1)), { state: "behind", events: 0 }, "a generation it does not know");
      same(await store.finish("g", endingOf("x")), { state: "behind", events: 0 }, "its end");
      await store.open(recordOf("g"));
      await store.append("g", 0, pieces(2));
      same(await store.append("g", 3, pieces(1, 3)), { state: "behind", events: 2 }, "an append with a gap");
      same(await store.finish("g", endingOf("x"), 3), { state: "behind", events: 2 }, "an end with a gap");
      same(await readAll(store, "g", 0), pieces(2), "the events");
    },
  },
  {
    name: "ends a generation with its finish as the last event",
    async run({ open }) {
      const store = await open();
      await store.open(recordOf("g"));
      await store.append("g", 0, pieces(2));
      same(await store.finish("g", endingOf("user"), 2), RECORDED, "the result");
      const found = await (await open()).find("g");
      same([found?.events, found?.signal], [3, endingOf("user")], "events and ending");
      same(await readAll(store, "g", 1), [...pieces(1, 1), { type: "finish", signal: endingOf("user") }], "the events");
    },
  },
  {
    name: "lets the first ending win, and tells the others",
    async run({ open }) {
      const [a, b] = [await open(), await open()];
      await a.open(recordOf("g"));
      const results = await Promise.all([
        a.finish("g", endingOf("a")),
        b.finish("g", endingOf("b")),
        a.finish("g", endingOf("c")),
      ]);
      same(results.filter(({ state }) => state === "recorded").length, 1, "how many have won");
      const ending = (await b.find("g"))?.signal;
      const told = results.flatMap((result) => (result.state === "ended" ? [result.signal] : []));
      same(told, [ending, ending], "what the others were told");
      same(await readAll(a, "g", 0), [{ type: "finish", signal: ending }], "the events");
    },
  },
  {
    name: "adds nothing after the end",
    async run({ open }) {
      const store = await open();
      await store.open(recordOf("g"));
      await store.append("g", 0, pieces(1));
      await store.finish("g", endingOf("first"));
      const ended = { state: "ended", signal: endingOf("first") };
      same(await store.append("g", 1, pieces(1, 1)), ended, "the result");
      same(await store.append("g", 9, pieces(1, 9)), ended, "with a gap");
      same((await store.find("g"))?.events, 2, "how many events");
    },
  },
  {
    name: "keeps apart generations and owners with odd names",
    async run({ open }) {
      const store = await open();
      const names = ["a:b", "a", "{a}", "}{", "a b", "ü", "'; drop", "a*", "constructor", "__proto__"];
      for (const name of names) {
        await store.open(recordOf(name, { owner: name, holder: name }));
        await store.append(name, 0, [{ type: "text", text: name }]);
      }
      for (const name of names) {
        same(await readAll(store, name, 0), [{ type: "text", text: name }], `the events of ${name}`);
        same(
          (await store.live(name)).map(({ id }) => id),
          [name],
          `what ${name} has`,
        );
      }
    },
  },
  {
    name: "takes long generations and large events",
    async run({ open }) {
      const store = await open();
      await store.open(recordOf("g"));
      const large = { type: "text", text: "é".repeat(300_000) } as const;
      await store.append("g", 0, [large]);
      for (let offset = 0; offset < 5_000; offset += 500) await store.append("g", offset + 1, pieces(500, offset));
      same(await readAll(store, "g", 0), [large, ...pieces(5_000)], "the events");
      same(await readAll(store, "g", 4_321), pieces(5_000).slice(4_320), "the end of them");
    },
  },
];

/** Reads until there is nothing more. */
async function readAll(
  store: { read(id: string, from: number): Promise<readonly unknown[]> },
  id: string,
  from: number,
): Promise<readonly unknown[]> {
  const events: unknown[] = [];
  for (;;) {
    const batch = await store.read(id, from + events.length);
    if (batch.length === 0) return events;
    events.push(...batch);
  }
}
