import { createMemoryStore } from "fullstop/control";
import { createGate, createScriptedEngine, finish, reasoning, start, text } from "fullstop/testing";
import type { ScriptedEngineOptions, ScriptStep } from "fullstop/testing";
import { describe, expect, test } from "vitest";
import { changeStore } from "./support/changed-store.ts";
import { askedOf, endsOf, metricOf } from "./support/records.ts";
import { openStage } from "./support/stage.ts";
import type { Stage } from "./support/stage.ts";

const STOP = "⏹ Stop";
const SKIP = "⏭ Skip thinking";
const CONTINUE = "▶ Continue";
const REGENERATE = "🔄 Regenerate";

/** A private chat in which an answer has begun and goes no further, unless the gate is opened. */
async function openAnswer(...others: readonly (readonly ScriptStep[])[]) {
  const gate = createGate();
  const store = createMemoryStore();
  const engine = createScriptedEngine([
    [start(), text("Once upon a time"), gate.pass, text(" there was"), finish()],
    ...others,
  ]);
  const stage = await openStage({ engine, store });
  stage.say("Tell me a story");
  await stage.untilLast((said) => said === "Once upon a time", "the beginning is seen");
  return { ...stage, gate, store, engine };
}

/** The data of the button that is to be seen under the last message. */
function dataOf({ api }: Stage): string {
  const { parameters } = api.callsOf("sendMessage").findLast((call) => "reply_markup" in call.parameters)!;
  return JSON.stringify(parameters).match(/stop:[\w-]{22}/u)?.[0] ?? "";
}

describe("the stop button", () => {
  test("stops, says so, says it again, and later that it is over", async () => {
    const stage = await openAnswer();
    const { api, ann, chat, store, bot } = stage;
    const editing = createGate();
    api.delay("editMessageText", editing);

    const [first, second] = [api.press(chat, ann, STOP), api.press(chat, ann, STOP)];
    expect(await first.answered).toMatchObject({ text: "Stopping…", isAlert: false });
    expect((await second.answered).text).toMatch(/^Already (?:stopping|finished)$/u);
    editing.open();
    await api.until(() => chat.lastFromBot?.text.endsWith("[interrupted]"), "it is marked");
    await endsOf(store, 1);
    const late = api.pressData(chat, ann, dataOf(stage));

    expect(await late.answered).toMatchObject({ text: "Already finished", isAlert: false });
    expect(chat.lastFromBot?.buttons).toEqual([[CONTINUE, REGENERATE]]);
    expect(chat.messages).toHaveLength(2);
    expect(await metricOf(bot.registry, "bot_generation_stop_reasons_total")).toEqual([
      'bot_generation_stop_reasons_total{reason="user"} 1',
    ]);
  });

  test("says that it is stopping already while a model takes its time", async () => {
    const leaving = createGate();
    const engine = {
      async *generate(_request: unknown, signal: AbortSignal) {
        yield start();
        yield text("Once");
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        await leaving.pass();
        yield finish("cancelled", { detail: "user" });
      },
    };
    const { api, ann, chat, say, untilLast } = await openStage({ engine, settings: { graceMilliseconds: 60_000 } });

    say("Tell me a story");
    await untilLast((said) => said === "Once", "the beginning is seen");
    expect((await api.press(chat, ann, STOP).answered).text).toBe("Stopping…");
    expect((await api.press(chat, ann, STOP).answered).text).toBe("Already stopping");
    leaving.open();

    await untilLast((said) => said === "Once\n\n[interrupted]", "it is marked");
  });

  test.each([
    ["garbage", "\u0000🙂 ; drop"],
    ["what another bot would send", "stop:7700000001"],
    ["a guess", `stop:${"A".repeat(22)}`],
    ["more than there should be", `stop:${"A".repeat(22)}:5000000001`],
  ])("does nothing for %s", async (_what, data) => {
    const { api, ann, chat, gate, untilLast } = await openAnswer();

    expect(await api.pressData(chat, ann, data).answered).toMatchObject({ text: "Already finished", isAlert: false });
    gate.open();

    await untilLast((said) => said === "Once upon a time there was", "the answer is whole");
  });

  test.each(["inaccessible", "none"] as const)("works if its message is %s", async (message) => {
    const stage = await openAnswer();
    const { api, ann, chat } = stage;

    expect((await api.pressData(chat, ann, dataOf(stage), message).answered).text).toBe("Stopping…");
    await api.until(() => chat.lastFromBot?.text.endsWith("[interrupted]"), "it is marked");
  });

  test("does nothing in another chat, even for the same person", async () => {
    const stage = await openAnswer();
    const { api, ann, gate, untilLast } = stage;
    const group = api.group({ title: "Whales", admins: [ann] });

    expect((await api.pressData(group, ann, dataOf(stage), "inaccessible").answered).text).toBe("Already finished");
    gate.open();

    await untilLast((said) => said === "Once upon a time there was", "the answer is whole");
  });

  test("does nothing for somebody else, who is told so", async () => {
    const stage = await openAnswer();
    const { api, gate, untilLast } = stage;
    const ben = api.person({ firstName: "Ben" });

    // Nobody else has Ann's private chat; but data can be passed on.
    const { answered } = api.pressData(api.privateChat(ben), ben, dataOf(stage), "none");
    expect(await answered).toMatchObject({ text: "You can only stop your own generations", isAlert: true });
    gate.open();

    await untilLast((said) => said === "Once upon a time there was", "the answer is whole");
  });

  test("is answered even if the store cannot be asked", async () => {
    const store = createMemoryStore();
    const engine = createScriptedEngine([]);
    const failing = changeStore(store, { find: () => Promise.reject(new Error("away")) });
    const { api, ann, chat, logged } = await openStage({ engine, store: failing });

    const { answered } = api.pressData(chat, ann, `stop:${"A".repeat(22)}`, "none");

    expect((await answered).text).toBe("It could not be reached. Try again in a moment.");
    await expect.poll(() => logged.map(({ message }) => message)).toContain("a press could not be carried out");
  });
});

describe("skip thinking", () => {
  const think = async (options: ScriptedEngineOptions, ...others: readonly (readonly ScriptStep[])[]) => {
    const gate = createGate();
    const answering = createGate();
    const engine = createScriptedEngine(
      [
        [start(), reasoning("Hmm…"), gate.pass, reasoning(" hmm."), text("Four"), answering.pass, text("."), finish()],
        ...others,
      ],
      options,
    );
    const stage = await openStage({ engine });
    stage.say("What is 2 + 2?");
    await stage.untilLast((said) => said === "Hmm…", "the thinking is seen");
    return { ...stage, engine, answering };
  };

  test("leaves the thinking, and its button goes with it", async () => {
    const { api, ann, chat, bot, answering, untilLast } = await think({ skipsThinking: true });

    expect(chat.lastFromBot?.buttons).toEqual([[SKIP, STOP]]);
    expect((await api.press(chat, ann, SKIP).answered).text).toBe("Skipping the thinking…");
    await untilLast((said) => said === "Hmm…\nFour", "it answers");
    expect(chat.lastFromBot?.buttons).toEqual([[STOP]]);
    answering.open();
    await untilLast((said) => said === "Hmm…\nFour.", "the answer is whole");

    expect(await metricOf(bot.registry, "bot_thinking_skips_total")).toEqual(["bot_thinking_skips_total 1"]);
  });

  test("asks a model that cannot do it once more, for an answer without thinking", async () => {
    const { api, ann, chat, engine, untilLast } = await think({}, [start(), text("Just four."), finish()]);

    expect((await api.press(chat, ann, SKIP).answered).text).toBe("Skipping the thinking…");
    await untilLast((said) => said === "Hmm…\nJust four.", "it answers");

    expect(engine.requests).toHaveLength(2);
  });

  test("has nothing to do when the thinking is over, or the answer", async () => {
    const stage = await think({ skipsThinking: true });
    const { api, ann, chat, answering, untilLast } = stage;
    const data = dataOf(stage).replace("stop", "skip");

    api.press(chat, ann, SKIP);
    await untilLast((said) => said === "Hmm…\nFour", "it answers");
    expect((await api.pressData(chat, ann, data).answered).text).toBe("It is not thinking any more");
    answering.open();
    await api.until(() => chat.lastFromBot?.buttons.length === 0, "the answer is whole");
    await expect.poll(async () => (await api.pressData(chat, ann, data).answered).text).toBe("Already finished");
  });
});

describe("an answer that was interrupted", () => {
  const stopAnswer = async ({ api, ann, chat, store }: Awaited<ReturnType<typeof openAnswer>>): Promise<void> => {
    api.press(chat, ann, STOP);
    await api.until(() => chat.lastFromBot?.text.endsWith("[interrupted]"), "it is marked");
    await endsOf(store, 1);
  };

  test("is continued, without what it repeats, and the button goes", async () => {
    const stage = await openAnswer([start(), text("upon a time there was a whale."), finish()]);
    const { api, ann, chat, engine, untilLast } = stage;
    await stopAnswer(stage);

    expect((await api.press(chat, ann, CONTINUE).answered).text).toBe("One moment…");
    await untilLast((said) => said.endsWith("a whale."), "the rest is there");

    expect(chat.transcript()).toMatchInlineSnapshot(`
      "# Ann and Fullstop

      Ann:
        Tell me a story

      Fullstop:
        Once upon a time

        _[interrupted]_

      * Ann presses [⏹ Stop] -> "Stopping…"

      * Ann presses [▶ Continue] -> "One moment…"

      Fullstop:
        there was a whale.
      "
    `);
    const asked = askedOf(engine, 1);
    expect(asked.slice(0, -1)).toEqual(["user: Tell me a story", "assistant: Once upon a time"]);
    expect(asked.at(-1)).toContain("<cut-answer>Once upon a time</cut-answer>");
  });

  test("is written again, as if it had not been", async () => {
    const stage = await openAnswer([start(), text("There was a whale."), finish()], [text("Why?"), finish()]);
    const { api, ann, chat, engine, store, say, untilLast } = stage;
    await stopAnswer(stage);

    expect((await api.press(chat, ann, REGENERATE).answered).text).toBe("One moment…");
    await untilLast((said) => said === "There was a whale.", "the other answer is there");
    await endsOf(store, 2);
    say("Why?");
    await untilLast((said) => said === "Why?", "the next question is answered");

    expect(chat.messages[1]?.buttons).toEqual([]);
    expect(askedOf(engine, 1)).toEqual(["user: Tell me a story"]);
    expect(askedOf(engine, 2)).toEqual(["user: Tell me a story", "assistant: There was a whale.", "user: Why?"]);
  });

  test("is continued, and the rest written again, also without what it repeats", async () => {
    const gate = createGate();
    const stage = await openAnswer(
      [start(), text(" there was an eel"), gate.pass, finish()],
      [start(), text("upon a time there was a whale."), finish()],
    );
    const { api, ann, chat, engine, store, untilLast } = stage;
    await stopAnswer(stage);

    api.press(chat, ann, CONTINUE);
    await untilLast((said) => said === "there was an eel", "the rest is there");
    api.press(chat, ann, STOP);
    await untilLast((said) => said === "there was an eel\n\n[interrupted]", "the rest is marked");
    await endsOf(store, 2);
    api.press(chat, ann, REGENERATE);
    await untilLast((said) => said.endsWith("a whale."), "another rest is there");

    expect(chat.lastFromBot?.text).toBe("there was a whale.");
    expect(askedOf(engine, 2)).toEqual(askedOf(engine, 1));
  });

  test.each([CONTINUE, REGENERATE])("is not the last one for ever: %s says so", async (button) => {
    const stage = await openAnswer([start(), text("Because."), finish()]);
    const { api, ann, chat, engine, store, say, untilLast } = stage;
    await stopAnswer(stage);
    say("Why?");
    await untilLast((said) => said === "Because.", "the next question is answered");
    await endsOf(store, 2);

    expect(await api.press(chat, ann, button).answered).toMatchObject({
      text: "Only the last answer can be continued or written again",
    });
    expect(engine.requests).toHaveLength(2);
  });

  test("is asked for once, however often the button is pressed", async () => {
    const gate = createGate();
    const stage = await openAnswer([start(), gate.pass, text("There was a whale."), finish()]);
    const { api, ann, chat, engine, untilLast } = stage;
    await stopAnswer(stage);

    const presses = [api.press(chat, ann, REGENERATE), api.press(chat, ann, REGENERATE)];
    const toasts = await Promise.all(presses.map(async ({ answered }) => (await answered).text));
    gate.open();
    await untilLast((said) => said === "There was a whale.", "the other answer is there");

    expect(toasts.toSorted()).toEqual(["One moment…", "Only the last answer can be continued or written again"]);
    expect(engine.requests).toHaveLength(2);
  });

  test("is written again even if its message was deleted", async () => {
    const stage = await openAnswer([start(), text("There was a whale."), finish()]);
    const { api, ann, chat, untilLast } = stage;
    await stopAnswer(stage);
    const data = dataOf(stage).replace("stop", "regenerate");
    const id = chat.lastFromBot?.id ?? 0;
    api.deleteMessage(chat, { id });

    expect((await api.pressData(chat, ann, data, { id }).answered).text).toBe("One moment…");
    await untilLast((said) => said === "There was a whale.", "the other answer is there");
  });

  test("counts as a message of whoever asks for it again", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([[start(), text("Once"), gate.pass, finish()]]);
    const { api, ann, chat, say, untilLast } = await openStage({ engine, people: { messagesPerMinute: 1 } });
    say("Tell me a story");
    await untilLast((said) => said === "Once", "the beginning is seen");
    api.press(chat, ann, STOP);
    await api.until(() => chat.lastFromBot?.text.endsWith("[interrupted]"), "it is marked");

    await expect
      .poll(async () => (await api.press(chat, ann, REGENERATE).answered).text)
      .toBe("That is too much at once. Try again in a minute.");
    expect(engine.requests).toHaveLength(1);
  });
});
