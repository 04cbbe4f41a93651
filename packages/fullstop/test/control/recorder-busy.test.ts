import { createMemoryStore, Recorder } from "../../src/control/index.ts";
import { createGate, text } from "../../src/testing/index.ts";
import { expect, it } from "vitest";

it("hears what the store has said before it goes on without it, also in a process that was busy", async () => {
  const store = createMemoryStore();
  // From here on whatever is set to come immediately comes after the timers.
  await new Promise((resolve) => setImmediate(resolve));
  const asked = createGate();
  const events = [text("a")];
  let recorded = 0;
  const released: { readonly events: number; readonly recorded: number }[] = [];
  const recorder = new Recorder({
    store: {
      async open(record) {
        void asked.pass();
        // Where answers come in: after the timers that were due in the meantime.
        await new Promise((resolve) => setImmediate(resolve));
        await store.open(record);
      },
      async append(...parameters) {
        const result = await store.append(...parameters);
        recorded = (await store.read("g", 0)).length;
        return result;
      },
      finish: (...parameters) => store.finish(...parameters),
    },
    record: { id: "g", owner: "o", model: "m", startedAt: 1, holder: "h" },
    events: () => events,
    onRelease: (count) => released.push({ events: count, recorded }),
    onEnded: () => undefined,
  });
  await asked.reached;
  const busyUntil = performance.now() + 300;
  while (performance.now() < busyUntil);
  await expect.poll(() => released).toEqual([{ events: 1, recorded: 1 }]);
  recorder.close();
});
