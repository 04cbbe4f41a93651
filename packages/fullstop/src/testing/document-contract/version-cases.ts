import type { DocumentStore } from "../../control/documents.ts";
import { same } from "../store-contract/contract.ts";
import { AFTER_SHORT_MILLISECONDS, namesIn, put, putBriefly, write } from "./contract.ts";
import type { DocumentContractCase } from "./contract.ts";

const WRITERS = 16;
const ROUNDS = 20;

/** As many stores as there are writers, so that no two of them share one where that is possible. */
function openAll(open: () => Promise<DocumentStore>): Promise<readonly DocumentStore[]> {
  return Promise.all(Array.from({ length: WRITERS }, open));
}

/** Adds one to a number that others add to as well. */
async function increment(store: DocumentStore): Promise<void> {
  for (;;) {
    const found = await store.readDocument("f", "count");
    const next = String(Number(found?.value ?? 0) + 1);
    if ((await write(store, "f", "count", next, found ?? "none")) !== undefined) return;
  }
}

/** Whether nobody's change is lost where several make them. */
export const VERSION_CASES: readonly DocumentContractCase[] = [
  {
    name: "writes and deletes only what is expected",
    async run({ open }) {
      const [a, b] = [await open(), await open()];
      const never = { version: "never given" };
      same(await write(a, "f", "n", "0", never), undefined, "writing a version that never was");
      same(await a.readDocument("f", "n"), undefined, "what is there then");
      const first = await write(a, "f", "n", "1", "none");
      same(first?.value, "1", "writing where there is none");
      same(await write(b, "f", "n", "2", "none"), undefined, "writing that again");
      same(await b.readDocument("f", "n"), first, "what is there then");
      const second = await write(b, "f", "n", "2", first ?? "none");
      same(second?.value, "2", "writing the version that is there");
      same(await write(a, "f", "n", "3", first ?? "none"), undefined, "writing the one before");
      same(await a.deleteDocument("f", "n", first ?? never), false, "deleting the one before");
      same(await a.readDocument("f", "n"), second, "what is there then");
      same(await namesIn(a, "f"), ["n"], "the names then");
      same(await a.deleteDocument("f", "n", second ?? never), true, "deleting the version that is there");
      same(await b.readDocument("f", "n"), undefined, "what is there after that");
      same(await namesIn(b, "f"), [], "the names after that");
    },
  },
  {
    name: "takes words that mean something for what they are where they stand as versions",
    async run({ open }) {
      const store = await open();
      for (const version of ["any", "none", "", "*", "-"]) {
        same(await write(store, "f", "n", "1", { version }), undefined, `writing over the version "${version}"`);
        same(await store.deleteDocument("f", "n", { version }), false, `deleting the version "${version}"`);
      }
      same(await namesIn(store, "f"), [], "the names");
    },
  },
  {
    name: "never gives a version twice, so that what was deleted or forgotten is not taken for what came after",
    async run({ open, pass }) {
      const store = await open();
      const versions = new Set<string>();
      for (let round = 0; round < ROUNDS; round += 1) {
        const { version } = await put(store, "f", "n", "same");
        versions.add(version);
        if (round % 2 === 0) await store.deleteDocument("f", "n", "any");
      }
      same(versions.size, ROUNDS, "how many versions there were");
      await putBriefly(store, "f", "brief", "1");
      const brief = (await store.readDocument("f", "brief")) ?? { version: "gone already" };
      await pass(AFTER_SHORT_MILLISECONDS);
      same(await write(store, "f", "brief", "2", brief), undefined, "writing over what was forgotten");
      await put(store, "f", "brief", "3");
      same(await write(store, "f", "brief", "2", brief), undefined, "writing over what came after");
      same(await store.deleteDocument("f", "brief", brief), false, "deleting what came after");
    },
  },
  {
    name: "lets exactly one of many writers be the first, round after round",
    async run({ open }) {
      const stores = await openAll(open);
      let current = await put(await open(), "f", "n", "start");
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = current;
        const outcomes = await Promise.all(
          stores.map((store, writer) => write(store, "f", "n", `${round} ${writer}`, before)),
        );
        const [winner, ...others] = outcomes.filter((outcome) => outcome !== undefined);
        if (winner === undefined || others.length > 0) {
          throw new Error(`expected one writer to be first in round ${round}, got ${others.length + (winner ? 1 : 0)}`);
        }
        same(await stores[0]?.readDocument("f", "n"), winner, "what is there");
        current = winner;
      }
    },
  },
  {
    name: "lets exactly one of many make what is not there, and one delete what is",
    async run({ open }) {
      const stores = await openAll(open);
      for (let round = 0; round < ROUNDS; round += 1) {
        const name = String(round);
        const written = await Promise.all(stores.map((store) => write(store, "f", name, "1", "none")));
        same(written.filter((each) => each !== undefined).length, 1, "how many made it");
        const deleted = await Promise.all(stores.map((store) => store.deleteDocument("f", name, "any")));
        same(deleted.filter(Boolean).length, 1, "how many deleted it");
      }
    },
  },
  {
    name: "loses nothing of what many add at the same time",
    async run({ open }) {
      const stores = await openAll(open);
      const adding = stores.map(async (store) => {
        for (let round = 0; round < ROUNDS; round += 1) await increment(store);
      });
      await Promise.all(adding);
      same((await stores[0]?.readDocument("f", "count"))?.value, String(WRITERS * ROUNDS), "the sum");
    },
  },
];
