import { createScriptedEngine, finish, start, text } from "fullstop/testing";
import type { ScriptedEngine } from "fullstop/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { startBotApi } from "./support/bot-api/index.ts";
import { openBot } from "./support/open-bot.ts";
import { openSlowStage } from "./support/slow-stage.ts";
import { openStage } from "./support/stage.ts";

const greet = (): ScriptedEngine => createScriptedEngine(() => [start(), text("Hello!"), finish()]);

describe("a bot that fetches its updates", () => {
  test("asks for the updates of its stop buttons, whatever was set before", async () => {
    const { api } = await openStage({ engine: greet() });

    const { parameters } = await api.until(() => api.callsOf("getUpdates").at(0), "it fetches updates");

    expect(parameters["allowed_updates"]).toContain("stopped_message_generation");
    expect(parameters["allowed_updates"]).toContain("callback_query");
  });

  test("ends a webhook that was set before", async () => {
    const api = await startBotApi();
    onTestFinished(() => api.close());
    const first = await openBot(api, { engine: greet() });
    onTestFinished(() => first.bot.stop());
    await first.bot.webhook({ url: "https://127.0.0.1:1/", secretToken: "secret" });
    const ann = api.person({ firstName: "Ann" });
    const chat = api.privateChat(ann);
    api.say(chat, ann, "Hi");

    const { bot } = await openBot(api, { engine: greet() });
    const polling = bot.poll();
    onTestFinished(async () => {
      await bot.stop();
      await polling;
    });

    await api.until(() => chat.lastFromBot?.text === "Hello!", "what was sent in vain is answered");
    expect(chat.messages).toHaveLength(2);
  });

  test.each([
    { name: "a broken connection", fail: "drop" },
    { name: "an error of the server", fail: "refuse" },
  ] as const)("goes on after $name", async ({ fail }) => {
    const api = await startBotApi();
    onTestFinished(() => api.close());
    const { bot } = await openBot(api, { engine: greet() });
    const fault =
      fail === "drop"
        ? api.drop("getUpdates", { times: 2 })
        : api.refuse("getUpdates", { code: 502, description: "Bad Gateway" }, { times: 2 });
    const polling = bot.poll();
    onTestFinished(async () => {
      await bot.stop();
      await polling;
    });
    const ann = api.person({ firstName: "Ann" });
    const chat = api.privateChat(ann);

    await api.until(() => fault.used === 2, "it has failed");
    api.say(chat, ann, "Hi");
    await api.until(() => chat.lastFromBot?.text === "Hello!", "it is answered all the same");
    expect(chat.messages).toHaveLength(2);
  });

  test.each([
    { name: "the menu of its commands", method: "setMyCommands" },
    { name: "the webhook that there may be", method: "deleteWebhook" },
  ] as const)("begins although Telegram wants to hear nothing of $name", async ({ method }) => {
    const api = await startBotApi();
    onTestFinished(() => api.close());
    const flood = { code: 429, description: "Too Many Requests: retry after 600", parameters: { retry_after: 600 } };
    if (method === "setMyCommands") api.refuse(method, flood, { times: 100 });
    else api.drop(method, { times: 3 });
    const { bot } = await openBot(api, { engine: greet() });
    const polling = bot.poll();
    onTestFinished(async () => {
      await bot.stop();
      await polling;
    });
    const ann = api.person({ firstName: "Ann" });
    const chat = api.privateChat(ann);
    api.say(chat, ann, "Hi");
    await api.until(() => chat.lastFromBot?.text === "Hello!", "it answers");
    expect(chat.messages).toHaveLength(2);
  });

  test("is there again soon after an outage, however long that was", async () => {
    const { api, engine, chat, pass, say } = await openSlowStage();
    await api.until(() => api.callsOf("getUpdates").length === 1, "it fetches updates");
    const outage = api.refuse("getUpdates", { code: 502, description: "Bad Gateway" }, { times: 1_000 });
    say("Are you there?");
    await api.until(() => outage.used === 1, "what comes after that is not fetched");
    await pass(120_000);
    say("Are you there again?");
    outage.cancel();
    await pass(5_100);
    (await engine.feed(1)).say("I am");
    (await engine.feed(1)).end();
    await pass(2_000);
    expect(chat.lastFromBot?.text).toBe("I am");
  });

  test("is stopped at once while Telegram wants to be asked for nothing", async () => {
    const { api, bot, engine, pass, say } = await openSlowStage();
    await api.until(() => api.callsOf("getUpdates").length === 1, "it fetches updates");
    const flood = { code: 429, description: "Too Many Requests: retry after 60", parameters: { retry_after: 60 } };
    const fault = api.refuse("getUpdates", flood, { times: 100 });
    say("Are you there?");
    await api.until(() => fault.used === 1, "it is told to wait");
    (await engine.feed(0)).say("I am");
    (await engine.feed(0)).end();
    await pass(2_000);
    const before = performance.now();
    await bot.stop();
    expect(performance.now() - before).toBeLessThan(5_000);
    expect(fault.used).toBe(1);
  });

  test("says what to do when another process fetches them, and can still be stopped", async () => {
    const api = await startBotApi();
    onTestFinished(() => api.close());
    const first = await openBot(api, { engine: greet() });
    const second = await openBot(api, { engine: greet() });
    const outcome = first.bot.poll().catch((error: unknown) => String(error));
    await api.until(() => api.callsOf("getUpdates").length === 1, "the first one fetches updates");
    const polling = second.bot.poll();

    expect(await outcome).toMatch(
      /^TelegramRefusedError: Another process fetches the updates of this bot.*webhook.*terminated by other getUpdates/u,
    );

    await first.bot.stop();
    await second.bot.stop();
    await polling;
  });
});
