import type { GenerationEvent, Usage } from "fullstop";
import { createMemoryStore } from "fullstop/control";
import type { GenerationStore } from "fullstop/control";
import { call, finish, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { readHistory } from "../../src/generations/history.ts";
import { get } from "../support/gateway.ts";
import { askRaw } from "../support/raw.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted();
const COUNTS = { inputTokens: 11, outputTokens: 7 };
const COUNTED = usage(11, 7);

interface Row {
  readonly id: string;
  readonly usage: Usage | null;
}

describe("the token counts in the history", () => {
  it.each<[string, readonly GenerationEvent[]]>([
    ["that ends by itself", [text("Hello")]],
    ["whose end was held back, because a stop string might have begun", [text("Hello\n")]],
    ["that calls a tool", call("c1", "look")],
    ["that calls two tools", [...call("c1", "look"), ...call("c2", "find")]],
  ])("are those of an answer %s", async (_, events) => {
    const reason = events.some(({ type }) => type === "tool-call-start") ? "tool_calls" : "natural_completion";
    gateway.script("openai-chat", [start(), ...events, COUNTED, finish(reason)]);
    const model = "openai-chat/any-model";
    const { generationId } = await askRaw(gateway.url, "openai-chat", {
      model,
      stream: false,
      more: { stop: "\nUser:" },
    });
    const { body } = await get(`${gateway.url}/v1/generations?state=ended`);
    const { generations } = body as { readonly generations: readonly Row[] };
    expect(generations.find(({ id }) => id === generationId)?.usage).toEqual(COUNTS);
  });
});

/** A store that counts how many events were read of it, and gives so many at once. */
async function storeWith(events: readonly GenerationEvent[], atOnce = Infinity) {
  const store = createMemoryStore();
  await store.open({ id: "g", owner: "me", model: "m", startedAt: 0, holder: "one" });
  await store.append("g", 0, events);
  await store.finish("g", finish().signal);
  let count = 0;
  const counting: Pick<GenerationStore, "ended" | "find" | "read"> = {
    ended: () => store.ended(),
    find: (id) => store.find(id),
    async read(id, from) {
      const batch = (await store.read(id, from)).slice(0, atOnce);
      count += batch.length;
      return batch;
    },
  };
  const usageOf = async (): Promise<Usage | null | undefined> => {
    const page = await readHistory(counting as GenerationStore, undefined, { limit: 10, before: undefined });
    return page.generations[0]?.usage;
  };
  return { usageOf, readCount: () => count };
}

const words = (count: number): readonly GenerationEvent[] => Array.from({ length: count }, () => text("word "));

describe("looking for token counts", () => {
  it("reads no more than the end of a usual record", async () => {
    const { usageOf, readCount } = await storeWith([start(), ...words(900), COUNTED]);
    expect(await usageOf()).toEqual(COUNTS);
    expect(readCount()).toBe(2);
  });

  it.each([1, 7, Infinity])(
    "finds the last ones of several, from a store that gives %d events at once",
    async (atOnce) => {
      const events = [start(), usage(11, 1), ...words(3), COUNTED, ...words(20)];
      const { usageOf } = await storeWith(events, atOnce);
      expect(await usageOf()).toEqual(COUNTS);
    },
  );

  it("comes to an end in a long record that has none, and reads only a part of it", async () => {
    const { usageOf, readCount } = await storeWith([start(), ...words(20_000)], 100);
    expect(await usageOf()).toBeNull();
    expect(readCount()).toBeLessThan(1000);
  });

  it("finds none in a record that is empty", async () => {
    const { usageOf } = await storeWith([]);
    expect(await usageOf()).toBeNull();
  });
});
