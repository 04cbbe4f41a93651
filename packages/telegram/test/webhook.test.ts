import { inspect } from "node:util";
import type { RequestListener } from "node:http";
import { createGate, createScriptedEngine, finish, start, text } from "fullstop/testing";
import type { ScriptedEngine } from "fullstop/testing";
import type { Update } from "grammy/types";
import { describe, expect, onTestFinished, test } from "vitest";
import { startBotApi } from "./support/bot-api/index.ts";
import { openBot } from "./support/open-bot.ts";
import { openWebServer } from "./support/web-server.ts";
import { SECRET_HEADER, openWebhook, secretToken } from "./support/webhook-stage.ts";

function post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(url, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
}

const greet = (): ScriptedEngine => createScriptedEngine(() => [start(), text("Hello!"), finish()]);

describe("a bot behind a webhook", () => {
  test("tells Telegram where it is, its secret, and what it wants to hear of", async () => {
    const { api, url } = await openWebhook(greet());

    expect(api.callsOf("setWebhook").map(({ parameters }) => parameters)).toEqual([
      {
        url,
        secret_token: secretToken,
        allowed_updates: ["message", "channel_post", "callback_query", "stopped_message_generation"],
      },
    ]);
  });

  test("answers requests at once, also those that ask for a long answer", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([[start(), text("Once upon"), gate.pass, text(" a time"), finish()]]);
    const { api, ann, chat } = await openWebhook(engine);

    api.say(chat, ann, "Tell me a story");
    await api.until(() => chat.lastFromBot?.text === "Once upon", "the beginning is seen");
    // Telegram sends the next message of a chat when the one before was taken, so this comes only because it was.
    api.say(chat, ann, "/stop");
    await api.until(() => chat.lastFromBot?.text === "Generation stopped.", "it is stopped");
    gate.open();

    await api.until(() => chat.messages[1]?.text === "Once upon\n\n[interrupted]", "it is marked");
    await expect.poll(() => api.pendingUpdates).toBe(0);
  });

  test("handles an update once that is delivered again", async () => {
    const engine = greet();
    const { api, ann, chat } = await openWebhook(engine);

    api.say(chat, ann, "Hi");
    await api.until(() => chat.lastFromBot?.text === "Hello!", "it is answered");
    api.deliverAgain(api.updates[0]!);
    await expect.poll(() => api.pendingUpdates).toBe(0);
    api.say(chat, ann, "/stop");
    await api.until(() => chat.lastFromBot?.text === "No active generation to stop.", "the next one is answered");

    expect(engine.requests).toHaveLength(1);
    expect(chat.messages).toHaveLength(4);
  });

  test.each([
    { name: "a wrong secret", headers: { [SECRET_HEADER]: "a_secret-2" } },
    { name: "the beginning of the secret", headers: { [SECRET_HEADER]: "a_secret" } },
    { name: "no secret", headers: {} },
  ])("refuses requests with $name", async ({ headers }) => {
    const engine = greet();
    const { api, url, ann, chat } = await openWebhook(engine);
    const update: Update = {
      update_id: 1,
      message: {
        message_id: 1,
        date: 1,
        chat: { id: ann.id, type: "private", first_name: "Ann" },
        from: ann,
        text: "Hi",
      },
    };

    expect((await post(url, JSON.stringify(update), headers)).status).toBe(401);

    api.say(chat, ann, "/stop");
    await api.until(() => chat.lastFromBot !== undefined, "the bot answers");
    expect(engine.requests).toHaveLength(0);
  });

  test.each(["", "{", "null", "[]", "42", '"text"', "{}", '{"update_id":1,"message":{}}'])(
    "outlives a body that is no update: %s",
    async (body) => {
      const { api, url, ann, chat } = await openWebhook(greet());

      const { status } = await post(url, body, { [SECRET_HEADER]: secretToken });
      api.say(chat, ann, "Hi");
      await api.until(() => chat.lastFromBot?.text === "Hello!", "the bot answers");

      expect([200, 400]).toContain(status);
    },
  );

  test("turns updates away after it was stopped, so that they wait for the next process", async () => {
    const { api, bot, ann, chat } = await openWebhook(greet());

    await bot.stop();
    api.say(chat, ann, "Hi");
    const second = await openBot(api, { engine: greet() });
    onTestFinished(() => second.bot.stop());
    let listener: RequestListener = () => undefined;
    const url = await openWebServer((request, response) => listener(request, response));
    const handle = await second.bot.webhook({ url, secretToken });
    listener = (request, response) => void handle(request, response);
    await api.until(() => chat.lastFromBot?.text === "Hello!", "the next one answers");

    expect(chat.messages).toHaveLength(2);
  });

  test("can be told that its address is set already", async () => {
    const api = await startBotApi();
    onTestFinished(() => api.close());
    const { bot } = await openBot(api, { engine: greet() });
    onTestFinished(() => bot.stop());

    await bot.webhook({ secretToken });

    expect(api.callsOf("setWebhook")).toHaveLength(0);
  });

  test.each([undefined, "", "has space", "ümlaut", "a".repeat(257)])(
    "refuses a secret that Telegram would not take, without quoting it: %j",
    async (bad) => {
      const api = await startBotApi();
      onTestFinished(() => api.close());
      const { bot } = await openBot(api, { engine: greet() });
      onTestFinished(() => bot.stop());

      await expect(bot.webhook({ url: "https://example.com/", secretToken: bad as string })).rejects.toThrow(
        /^secretToken must be 1 to 256 letters A to Z, digits, _ and -$/u,
      );
      expect(api.callsOf("setWebhook")).toHaveLength(0);
    },
  );

  test("says what Telegram says of an address that it does not take", async () => {
    const api = await startBotApi();
    onTestFinished(() => api.close());
    const { bot } = await openBot(api, { engine: greet() });
    onTestFinished(() => bot.stop());

    const error = await bot.webhook({ url: "http://example.com/", secretToken }).catch((problem: unknown) => problem);

    expect(String(error)).toMatch(/^TelegramRefusedError: Telegram does not do setWebhook\. It says ".*An HTTPS URL/u);
    // Whoever does not catch it has it printed with everything that is in it.
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain(secretToken);
  });
});
