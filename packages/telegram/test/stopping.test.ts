import { createGate, createScriptedEngine, finish, reasoning, start, text } from "fullstop/testing";
import { describe, expect, test } from "vitest";
import { startBotApi } from "./support/bot-api/index.ts";
import { startBot } from "./support/open-bot.ts";

describe("/stop", () => {
  test("stops the answer, keeps what was written, and says so", async () => {
    await using api = await startBotApi();
    const ann = api.person({ firstName: "Ann" });
    const chat = api.privateChat(ann);
    const gate = createGate();
    const engine = createScriptedEngine([[start(), text("Once upon a time"), gate.pass, text(" there was"), finish()]]);
    await using _bot = await startBot(api, { engine });

    api.say(chat, ann, "Tell me a story");
    await api.until(() => chat.lastFromBot?.text === "Once upon a time", "the beginning is seen");
    api.say(chat, ann, "/stop");
    await api.until(() => chat.messages.some(({ text: said }) => said === "Generation stopped."), "it is confirmed");
    await api.until(() => chat.messages.some(({ text: said }) => said.includes("[interrupted]")), "it is marked");
    gate.open();

    expect(chat.transcript()).toMatchInlineSnapshot(`
      "# Ann and Fullstop

      Ann:
        Tell me a story

      Fullstop:
        Once upon a time

        _[interrupted]_
        [▶ Continue] [🔄 Regenerate]

      Ann:
        /stop

      Fullstop:
        Generation stopped.
      "
    `);
  });

  test("says that there is nothing to stop", async () => {
    await using api = await startBotApi();
    const ann = api.person({ firstName: "Ann" });
    const chat = api.privateChat(ann);
    await using _bot = await startBot(api, { engine: createScriptedEngine([]) });

    api.say(chat, ann, "/stop");

    await api.until(() => chat.lastFromBot?.text === "No active generation to stop.", "it is told");
  });
});

test("an answer is shown with its thinking folded, and without buttons when it is whole", async () => {
  await using api = await startBotApi();
  const ann = api.person({ firstName: "Ann" });
  const chat = api.privateChat(ann);
  const engine = createScriptedEngine([[start(), reasoning("Two and two…"), text("It is **four**."), finish()]]);
  await using _bot = await startBot(api, { engine });

  api.say(chat, ann, "What is 2 + 2?");
  await api.until(
    () => chat.lastFromBot?.text.includes("four") && chat.lastFromBot.buttons.length === 0,
    "it is whole",
  );

  expect(chat.transcript()).toMatchInlineSnapshot(`
    "# Ann and Fullstop

    Ann:
      What is 2 + 2?

    Fullstop:
      > (collapsed)
      > Two and two…
      It is **four**.
    "
  `);
});
