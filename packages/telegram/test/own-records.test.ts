import { createMemoryStore } from "fullstop/control";
import type { Store } from "fullstop/control";
import { createScriptedEngine, finish } from "fullstop/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { OwnRecords } from "../src/answers/own-records.ts";
import { ownerOf } from "../src/place.ts";
import { startBotApi } from "./support/bot-api/index.ts";
import { changeStore } from "./support/changed-store.ts";
import { openBot } from "./support/open-bot.ts";

const OURS = ownerOf(7, { chat: 1, user: 1 });

async function end(store: Store, id: string, owner: string): Promise<void> {
  await store.open({ id, owner, model: "m", startedAt: 0, holder: "one" });
  await store.finish(id, finish().signal);
}

const idsOf = async (store: Pick<Store, "ended">): Promise<readonly string[]> =>
  (await store.ended()).map(({ id }) => id);

test("a bot forgets only answers of its own, whoever else uses the store", async () => {
  const store = createMemoryStore();
  const api = await startBotApi();
  onTestFinished(() => api.close());
  const bot = api.botInfo.id;
  for (const id of ["a", "b", "c"]) await end(store, `gateway-${id}`, "alice");
  await end(store, "other-bot", ownerOf(bot + 1, { chat: 1, user: 1 }));
  await end(store, "first", ownerOf(bot, { chat: 1, user: 1 }));
  await end(store, "second", ownerOf(bot, { chat: 2, user: 2 }));

  const opened = await openBot(api, { engine: createScriptedEngine([]), store, retention: { maxCount: 1 } });
  // The first round of retention is done by then.
  await opened.bot.stop();

  expect(await idsOf(store)).toEqual(["gateway-a", "gateway-b", "gateway-c", "other-bot", "second"]);
});

describe("the records of a bot", () => {
  test("are asked for once each", async () => {
    const store = createMemoryStore();
    const asked: string[] = [];
    const find: Store["find"] = async (id) => {
      asked.push(id);
      return store.find(id);
    };
    const records = new OwnRecords(changeStore(store, { find }), 7);
    await end(store, "ours", OURS);
    await end(store, "theirs", "alice");
    expect(await idsOf(records)).toEqual(["ours"]);
    await end(store, "new", OURS);

    expect(await idsOf(records)).toEqual(["ours", "new"]);
    expect(asked).toEqual(["ours", "theirs", "new"]);
  });

  test("are found beside one that is damaged, and later if the store is away", async () => {
    const store = createMemoryStore();
    let isAway = true;
    const find: Store["find"] = async (id) => {
      if (isAway || id === "damaged") throw new Error("cannot be read");
      return store.find(id);
    };
    const records = new OwnRecords(changeStore(store, { find }), 7);
    await end(store, "ours", OURS);
    await end(store, "damaged", OURS);
    expect(await idsOf(records)).toEqual([]);

    isAway = false;
    expect(await idsOf(records)).toEqual(["ours"]);
  });
});
