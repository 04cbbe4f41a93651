import { same } from "../store-contract/contract.ts";
import { AFTER_SHORT_MILLISECONDS, namesIn, put, putBriefly, write } from "./contract.ts";
import type { DocumentContractCase } from "./contract.ts";

/** Names that would be something else in a path, a key, a pattern or a query. */
const AWKWARD_NAMES: readonly string[] = [
  "",
  " ",
  "a",
  "A",
  "a ",
  "a:b",
  "a/b",
  "../a",
  "{a}",
  "{}",
  "}{",
  "%7b;",
  "*",
  "a%",
  "'; --",
  '"',
  "\\",
  "\0",
  "a\0b",
  "\n",
  "-1001234567890:42",
  "__proto__",
  "Grüße",
  "Gru\u0308ße",
  "👩‍👩‍👧",
  "\ud83d",
  "\udc69",
  "любой",
];

const MEGABYTE = 1_000_000;

const VALUES: readonly string[] = [
  "",
  "null",
  '{"messages":[{"role":"user","content":"Grüße 👩‍👩‍👧 \u2028"}]}',
  "\0 in \0 between\0",
  "half a pair: \ud83d",
  "\r\n\t",
  "{}%'\"\\",
];

/** Whether documents are kept as they are and for as long as they should be. */
export const KEEP_CASES: readonly DocumentContractCase[] = [
  {
    name: "gives a document as it was written, to whoever asks, until it is written again or deleted",
    async run({ open }) {
      const [a, b] = [await open(), await open()];
      same(await b.readDocument("f", "n"), undefined, "what is not there");
      const first = await put(a, "f", "n", "one");
      same(first.value, "one", "what was written");
      same(await b.readDocument("f", "n"), first, "what is read");
      const second = await put(b, "f", "n", "two");
      same(await a.readDocument("f", "n"), second, "what is read after it was written again");
      same(await a.deleteDocument("f", "n", "any"), true, "deleting it");
      same(await a.deleteDocument("f", "n", "any"), false, "deleting it again");
      same(await b.readDocument("f", "n"), undefined, "what is read after that");
    },
  },
  {
    name: "gives any text back as it was",
    async run({ open }) {
      const [a, b] = [await open(), await open()];
      for (const value of VALUES) {
        await put(a, "f", "n", value);
        same((await b.readDocument("f", "n"))?.value, value, "a value");
      }
    },
  },
  {
    name: "keeps values of a megabyte",
    async run({ open }) {
      const [a, b] = [await open(), await open()];
      const values = ["x", "ü", '"'].map((character) => character.repeat(MEGABYTE));
      await Promise.all(values.map((value, index) => put(a, "f", String(index), value)));
      for (const [index, value] of values.entries()) {
        same((await b.readDocument("f", String(index)))?.value === value, true, `whether value ${index} is the same`);
      }
    },
  },
  {
    name: "tells names apart, whatever stands in them",
    async run({ open }) {
      const [a, b] = [await open(), await open()];
      for (const name of AWKWARD_NAMES) await put(a, "f", name, `name ${name}`);
      for (const name of AWKWARD_NAMES) same((await b.readDocument("f", name))?.value, `name ${name}`, name);
      same(await namesIn(b, "f"), [...AWKWARD_NAMES].sort(), "the names");
      const [gone, ...rest] = AWKWARD_NAMES;
      same(await b.deleteDocument("f", gone ?? "", "any"), true, "deleting one");
      same(await namesIn(a, "f"), rest.sort(), "the others");
    },
  },
  {
    name: "tells folders apart, whatever stands in their names",
    async run({ open }) {
      const [a, b] = [await open(), await open()];
      for (const folder of AWKWARD_NAMES) await put(a, folder, "n", `folder ${folder}`);
      await put(a, "a", "b:n", "beside a:b and n");
      for (const folder of AWKWARD_NAMES) {
        same((await b.readDocument(folder, "n"))?.value, `folder ${folder}`, folder);
        same(await namesIn(b, folder), folder === "a" ? ["b:n", "n"] : ["n"], `the names in ${folder}`);
      }
      await b.deleteDocument("{}", "n", "any");
      same(await namesIn(a, "{}"), [], "the names in a folder that was emptied");
      same(await namesIn(a, "}{"), ["n"], "those in another");
      same(await namesIn(a, "no such folder"), [], "those in one that is not there");
    },
  },
  {
    name: "forgets documents whose time is over, also before anybody makes room",
    async run({ open, pass }) {
      const [a, b] = [await open(), await open()];
      await put(a, "f", "stays", "1");
      await putBriefly(a, "f", "goes", "1");
      await putBriefly(a, "g", "goes", "1");
      await pass(AFTER_SHORT_MILLISECONDS);
      same(await b.readDocument("f", "goes"), undefined, "what is read of it");
      same(await b.deleteDocument("f", "goes", "any"), false, "deleting it");
      same([await namesIn(b, "f"), await namesIn(b, "g")], [["stays"], []], "the names");
      await a.deleteExpiredDocuments();
      same([await namesIn(b, "f"), await namesIn(b, "g")], [["stays"], []], "the names, after making room");
      same((await b.readDocument("f", "stays"))?.value, "1", "what stays");
    },
  },
  {
    name: "counts the time from the last write",
    async run({ open, pass }) {
      const store = await open();
      await putBriefly(store, "f", "longer", "1");
      await put(store, "f", "longer", "2");
      await put(store, "f", "shorter", "1");
      await putBriefly(store, "f", "shorter", "2");
      await pass(AFTER_SHORT_MILLISECONDS);
      await store.deleteExpiredDocuments();
      same((await store.readDocument("f", "longer"))?.value, "2", "what was prolonged");
      same(await store.readDocument("f", "shorter"), undefined, "what was shortened");
      same(await namesIn(store, "f"), ["longer"], "the names");
    },
  },
  {
    name: "writes a document anew whose time was over",
    async run({ open, pass }) {
      const store = await open();
      await putBriefly(store, "f", "n", "1");
      await pass(AFTER_SHORT_MILLISECONDS);
      same((await write(store, "f", "n", "2", "none"))?.value, "2", "writing where there is none");
      await store.deleteExpiredDocuments();
      same((await store.readDocument("f", "n"))?.value, "2", "what is there");
      same(await namesIn(store, "f"), ["n"], "the names");
    },
  },
  {
    name: "refuses to keep a document for a time that is none",
    async run({ open }) {
      const store = await open();
      for (const keepMilliseconds of [0, -1, 0.5, Number.NaN, Infinity]) {
        const refused = await store.writeDocument("f", "n", "1", { keepMilliseconds, expected: "any" }).then(
          () => "written",
          (error: unknown) => String(error).includes("keepMilliseconds must be a whole number above 0"),
        );
        same(refused, true, `whether ${keepMilliseconds} is refused`);
      }
      same(await namesIn(store, "f"), [], "the names");
    },
  },
];
