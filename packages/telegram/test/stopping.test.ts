import { createGate, createScriptedEngine, finish, reasoning, start, text } from "fullstop/testing";
import { describe, expect, test } from "vitest";
import { openStage } from "./support/stage.ts";

describe("/stop", () => {
  test("stops the answer, keeps what was written, and says so", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([[start(), text("Once upon a time"), gate.pass, text(" there was"), finish()]]);
    const { api, chat, say, untilLast } = await openStage({ engine });

    say("Tell me a story");
    await untilLast((said) => said === "Once upon a time", "the beginning is seen");
    say("/stop");
    await untilLast((said) => said === "Generation stopped.", "it is confirmed");
    await api.until(() => chat.messages[1]?.text.includes("[interrupted]"), "it is marked");
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
    const { chat, say, untilLast } = await openStage({ engine: createScriptedEngine([]) });

    say("/stop");
    await untilLast(() => true, "it is answered");

    expect(chat.lastFromBot?.text).toBe("No active generation to stop.");
  });
});

test("an answer is shown with its thinking folded, and without buttons when it is whole", async () => {
  const engine = createScriptedEngine([[start(), reasoning("Two and two…"), text("It is **four**."), finish()]]);
  const { api, chat, say } = await openStage({ engine });

  say("What is 2 + 2?");
  await api.until(
    () => chat.lastFromBot?.text.includes("four") === true && chat.lastFromBot.buttons.length === 0,
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
