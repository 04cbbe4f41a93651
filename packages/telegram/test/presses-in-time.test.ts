import { createMemoryStore } from "fullstop/control";
import { createGate } from "fullstop/testing";
import { describe, expect, test } from "vitest";
import { createFedEngine } from "./support/fed-engine.ts";
import { endsOf } from "./support/records.ts";
import { openStage } from "./support/stage.ts";

const STOP = "⏹ Stop";
const flood = (seconds: number) => ({
  code: 429,
  description: `Too Many Requests: retry after ${seconds}`,
  parameters: { retry_after: seconds },
});

/** A group in which an answer to Ann has begun. */
async function openGroup() {
  const engine = createFedEngine();
  const stage = await openStage({ engine });
  const { api, ann } = stage;
  const [ben, cleo] = [api.person({ firstName: "Ben" }), api.person({ firstName: "Cleo" })];
  const group = api.group({ title: "Whales", admins: [cleo], members: [ann, ben] });
  api.say(group, ann, "@fullstop_bot whales");
  const feed = await engine.feed(0);
  feed.say("Once");
  await api.until(() => group.lastFromBot?.text === "Once", "the beginning is seen");
  return { ...stage, feed, group, ben, cleo };
}

describe("a press is answered", () => {
  test("also if Telegram puts the notice off", async () => {
    const engine = createFedEngine();
    const { api, ann, chat, say, untilLast } = await openStage({ engine });
    say("Tell me a story");
    (await engine.feed(0)).say("Once");
    await untilLast((said) => said === "Once", "the beginning is seen");

    const fault = api.refuse("answerCallbackQuery", flood(1));
    expect((await api.press(chat, ann, STOP).answered).text).toBe("Stopping…");

    expect(fault.used).toBe(1);
  });

  test("before the buttons are taken away, which may take its time", async () => {
    const engine = createFedEngine();
    const store = createMemoryStore();
    const { api, ann, chat, say, untilLast } = await openStage({ engine, store });
    say("Tell me a story");
    (await engine.feed(0)).say("Once");
    await untilLast((said) => said === "Once", "the beginning is seen");
    await api.press(chat, ann, STOP).answered;
    await untilLast((said) => said === "Once\n\n[interrupted]", "it is marked");
    await endsOf(store, 1);
    const gate = createGate();
    api.delay("editMessageReplyMarkup", gate);

    expect((await api.press(chat, ann, "▶ Continue").answered).text).toBe("One moment…");
    gate.open();

    await api.until(() => chat.messages[1]?.buttons.length === 0, "the buttons are gone");
  });

  test("at once where Telegram does not want to say for long who is an administrator", async () => {
    const { api, group, cleo, feed } = await openGroup();
    api.refuse("getChatAdministrators", flood(60));

    expect((await api.press(group, cleo, STOP).answered).text).toBe("It could not be reached. Try again in a moment.");
    expect(feed.signal.aborted).toBe(false);
  });

  test("with a stop where Telegram wants to be asked again soon", async () => {
    const { api, group, cleo, feed } = await openGroup();
    api.refuse("getChatAdministrators", flood(1));

    expect((await api.press(group, cleo, STOP).answered).text).toBe("Stopping…");
    expect(feed.signal.aborted).toBe(true);
  });

  test("with a refusal where the bot may not know who is an administrator", async () => {
    const { api, group, ben, feed } = await openGroup();
    api.refuse("getChatAdministrators", { code: 400, description: "Bad Request: CHAT_ADMIN_REQUIRED" });

    expect(await api.press(group, ben, STOP).answered).toMatchObject({
      text: "You can only stop your own generations",
      isAlert: true,
    });
    expect(feed.signal.aborted).toBe(false);
  });
});
