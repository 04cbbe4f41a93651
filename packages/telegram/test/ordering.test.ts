import { run, sequentialize } from "@grammyjs/runner";
import { createGate, createScriptedEngine, finish, start, text } from "fullstop/testing";
import type { Context, Middleware } from "grammy";
import { describe, expect, onTestFinished, test } from "vitest";
import type { TelegramBot } from "../src/bot.ts";
import { startBotApi } from "./support/bot-api/index.ts";
import { openBot } from "./support/open-bot.ts";

/** A way in which updates are fetched and put in order. */
interface SetUp {
  readonly name: string;
  readonly before?: Middleware;
  /** Fetches updates; gives what ends that. */
  readonly fetch: (bot: TelegramBot) => () => Promise<void>;
}

const byChat = (context: Context): string | undefined => context.chat?.id.toString();
const byChatButForStops = (context: Context): string | undefined =>
  context.hasCommand("stop") ? undefined : byChat(context);

function poll(bot: TelegramBot): () => Promise<void> {
  const polling = bot.poll();
  return async () => {
    await bot.stop();
    await polling;
  };
}

const SET_UPS: readonly SetUp[] = [
  {
    name: "grammY's own start, which waits for each update",
    fetch(bot) {
      const polling = bot.grammy.start();
      return async () => {
        await bot.stop();
        await polling;
      };
    },
  },
  { name: "the runner", fetch: poll },
  { name: "the runner, one update of a chat after the other", before: sequentialize(byChat), fetch: poll },
  {
    name: "the runner, one update of a chat after the other but for stops",
    before: sequentialize(byChatButForStops),
    fetch: poll,
  },
  {
    name: "a runner of one's own that handles one update at a time",
    fetch({ grammy, stop }) {
      const runner = run(grammy, { sink: { concurrency: 1 } });
      return async () => {
        await runner.stop();
        await stop();
      };
    },
  },
];

describe("a stop comes through during the answer that it stops", () => {
  test.each(SET_UPS)("with $name", async ({ before, fetch }) => {
    const gate = createGate();
    const engine = createScriptedEngine([[start(), text("Once upon a time"), gate.pass, text(" more"), finish()]]);
    const api = await startBotApi();
    onTestFinished(() => api.close());
    const { bot } = await openBot(api, { engine, before });
    onTestFinished(fetch(bot));
    const ann = api.person({ firstName: "Ann" });
    const chat = api.privateChat(ann);

    api.say(chat, ann, "Tell me a story");
    await gate.reached;
    await api.until(() => chat.lastFromBot?.text === "Once upon a time", "the beginning is seen");
    api.say(chat, ann, "/stop");
    await api.until(() => chat.lastFromBot?.text === "Generation stopped.", "the stop is confirmed");
    await api.until(() => chat.messages[1]?.text.includes("[interrupted]"), "the answer has ended");

    // Only now could the model go on: the stop has not waited for it.
    gate.open();
    expect(chat.messages[1]?.text).toBe("Once upon a time\n\n[interrupted]");
  });

  test("what comes before the bot sees every update before it, and can keep some from it", async () => {
    const seen: string[] = [];
    const api = await startBotApi();
    onTestFinished(() => api.close());
    const before: Middleware = async (context, next) => {
      seen.push(context.message?.text ?? "");
      if (context.message?.text !== "Not for you") await next();
    };
    const engine = createScriptedEngine(() => [start(), text("Yes?"), finish()]);
    const { bot } = await openBot(api, { engine, before });
    onTestFinished(poll(bot));
    const ann = api.person({ firstName: "Ann" });
    const chat = api.privateChat(ann);

    api.say(chat, ann, "Not for you");
    api.say(chat, ann, "For you");
    await api.until(() => chat.lastFromBot?.text === "Yes?", "it is answered");

    expect(seen).toEqual(["Not for you", "For you"]);
    expect(engine.requests).toHaveLength(1);
  });
});
