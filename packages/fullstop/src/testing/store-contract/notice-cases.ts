import { followGeneration } from "../../control/follow.ts";
import type { StopOrder } from "../../control/order.ts";
import { createGate } from "../gate.ts";
import { same } from "./contract.ts";
import type { StoreContractCase } from "./contract.ts";
import { endingOf, pieces, recordOf } from "./samples.ts";

const STOP: StopOrder = { mode: "stop", reason: "user" };
const SKIP: StopOrder = { mode: "skip-thinking", reason: "operator" };

/** What stores have to do for those who read and stop what somebody else generates. */
export const NOTICE_CASES: readonly StoreContractCase[] = [
  {
    name: "calls whoever watches a generation when it has more, and not after that was ended",
    async run({ open }) {
      const [a, b] = [await open(), await open()];
      await a.open(recordOf("g"));
      await a.open(recordOf("other"));
      for (const step of [() => a.append("g", 0, pieces(1)), () => a.finish("g", endingOf("user"))]) {
        const noticed = createGate();
        const unwatch = await b.watch("g", () => noticed.open());
        await step();
        await noticed.pass();
        unwatch();
      }
      let calls = 0;
      const unwatch = await b.watch("other", () => (calls += 1));
      unwatch();
      await a.append("other", 0, pieces(1));
      await a.finish("other", endingOf("user"));
      await b.find("other");
      same(calls, 0, "calls after the end of watching");
    },
  },
  {
    name: "lets a generation be followed from any offset while it is written, each event once",
    async run({ open }) {
      const [a, b] = [await open(), await open()];
      await a.open(recordOf("g"));
      const readers = [0, 1, 7, 40].map(async (from) => {
        const events: unknown[] = [];
        for await (const batch of followGeneration(b, "g", { from })) events.push(...batch);
        return events;
      });
      for (let offset = 0; offset < 40; offset += 4) await a.append("g", offset, pieces(4, offset));
      await a.finish("g", endingOf("user"), 40);
      const all = [...pieces(40), { type: "finish", signal: endingOf("user") }];
      same(
        await Promise.all(readers),
        [0, 1, 7, 40].map((from) => all.slice(from)),
        "what was read",
      );
    },
  },
  {
    name: "takes orders for what runs, and says what there is nothing to order of",
    async run({ open }) {
      const [a, b] = [await open(), await open()];
      await a.open(recordOf("g"));
      same(await b.order("g", SKIP), "left", "an order");
      same(await b.order("g", STOP), "left", "another one");
      same(await a.orders("g"), [SKIP, STOP], "the orders");
      same(await b.order("other", STOP), "not_found", "an order for nothing");
      same(await a.orders("other"), [], "orders for nothing");
      await a.finish("g", endingOf("user"));
      same(await b.order("g", STOP), "ended", "an order after the end");
    },
  },
  {
    name: "calls the holder of a generation for which there is an order, and nobody else",
    async run({ open }) {
      const [a, b] = [await open(), await open()];
      await a.open(recordOf("mine", { holder: "one" }));
      await a.open(recordOf("theirs", { holder: "two" }));
      const heard: (string | undefined)[] = [];
      const last = createGate();
      const unwatch = await a.watchOrders("one", (id) => {
        heard.push(id);
        last.open();
      });
      await b.order("theirs", STOP);
      await b.order("mine", STOP);
      await last.pass();
      unwatch();
      same(heard, ["mine"], "what was heard");
    },
  },
  {
    name: "knows which generations are abandoned by when their holders last said that they live",
    async run({ open, pass }) {
      const [a, b] = [await open(), await open()];
      await a.open(recordOf("kept", { holder: "one" }));
      await a.open(recordOf("left", { holder: "two" }));
      await a.open(recordOf("over", { holder: "two" }));
      await a.open(recordOf("never", { holder: "three" }));
      await a.finish("over", endingOf("user"));
      await a.renew("one", 60_000);
      await a.renew("two", 300);
      same((await b.abandoned()).map(({ id }) => id).sort(), ["never"], "at first");
      await pass(400);
      same((await b.abandoned()).map(({ id }) => id).sort(), ["left", "never"], "later");
      await a.renew("two", 60_000);
      same((await b.abandoned()).map(({ id }) => id).sort(), ["never"], "after it came back");
    },
  },
];
