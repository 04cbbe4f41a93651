import { createMemoryStore } from "fullstop/control";
import { createGate, createScriptedEngine, finish, reasoning, start, text } from "fullstop/testing";
import { describe, expect, test } from "vitest";
import { createJumpingClock } from "./support/jumping-clock.ts";
import { askedOf, endsOf, metricOf } from "./support/records.ts";
import { openStage } from "./support/stage.ts";

const NOTE = "user: The user interrupted the previous answer on purpose.";

describe("a message while an answer is written", () => {
  test("stops it quietly and is answered next, with what was written in mind", async () => {
    const gate = createGate();
    const store = createMemoryStore();
    const engine = createScriptedEngine([
      [start(), text("Once upon a time"), gate.pass, text("never"), finish()],
      [start(), text("Then a joke."), finish()],
    ]);
    const { bot, chat, logged, say, untilLast } = await openStage({ engine, store });

    say("Tell me a story");
    await untilLast((said) => said === "Once upon a time", "the beginning is seen");
    say("No, a joke");
    await untilLast((said) => said === "Then a joke.", "the new message is answered");

    const ends = await endsOf(store, 2);
    expect(chat.transcript()).toMatchInlineSnapshot(`
      "# Ann and Fullstop

      Ann:
        Tell me a story

      Fullstop:
        Once upon a time

        _[interrupted]_

      Ann:
        No, a joke

      Fullstop:
        Then a joke.
      "
    `);
    expect(askedOf(engine, 1)).toEqual([
      "user: Tell me a story",
      "assistant: Once upon a time",
      NOTE,
      "user: No, a joke",
    ]);
    expect(ends).toMatchObject([{ reason: "cancelled", detail: "new_message" }, { reason: "natural_completion" }]);
    expect(await metricOf(bot.registry, "bot_generation_stop_reasons_total")).toEqual([
      'bot_generation_stop_reasons_total{reason="new_message"} 1',
    ]);
    expect(logged.filter(({ message }) => message === "an answer was stopped")).toMatchObject([
      { level: "info", fields: { reason: "new_message", phase: "answering", chatType: "private" } },
    ]);
  });

  test("before the first word leaves nothing of the answer that never was", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([
      [start(), gate.pass, text("never"), finish()],
      [start(), text("A joke."), finish()],
    ]);
    const { chat, say, untilLast } = await openStage({ engine });

    say("Tell me a story");
    await gate.reached;
    say("No, a joke");
    await untilLast((said) => said === "A joke.", "the new message is answered");

    expect(chat.messages.map((message) => message.text)).toEqual(["Tell me a story", "No, a joke", "A joke."]);
    expect(askedOf(engine, 1)).toEqual(["user: Tell me a story", NOTE, "user: No, a joke"]);
  });

  test("takes the first sign of life back, which nothing will replace", async () => {
    const gate = createGate();
    const clock = createJumpingClock();
    const engine = createScriptedEngine([
      [start(), gate.pass, finish()],
      [start(), text("A joke."), finish()],
    ]);
    const { chat, say, untilLast } = await openStage({ engine, clock });

    say("Tell me a story");
    await gate.reached;
    clock.jump(1_000);
    await untilLast((said) => said === "…", "something will come");
    say("No, a joke");
    await untilLast((said) => said === "A joke.", "the new message is answered");

    expect(chat.messages.map((message) => message.text)).toEqual(["Tell me a story", "No, a joke", "A joke."]);
  });

  test("keeps the thinking that was seen, marked", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([
      [start(), reasoning("Which story?"), gate.pass, finish()],
      [start(), text("A joke."), finish()],
    ]);
    const { chat, say, untilLast } = await openStage({ engine });

    say("Tell me a story");
    await untilLast((said) => said === "Which story?", "the thinking is seen");
    say("No, a joke");
    await untilLast((said) => said === "A joke.", "the new message is answered");

    expect(chat.messages[1]).toMatchObject({ text: "Which story?\n\n[interrupted]", buttons: [] });
  });

  test("interrupts again and again, and each part is remembered", async () => {
    const gates = [createGate(), createGate(), createGate()];
    const engine = createScriptedEngine([
      ...gates.map((gate, index) => [start(), text(`Part ${index}`), gate.pass, finish()]),
      [start(), text("Enough."), finish()],
    ]);
    const store = createMemoryStore();
    const { say, untilLast } = await openStage({ engine, store });

    for (const index of gates.keys()) {
      say(`Question ${index}`);
      await untilLast((said) => said === `Part ${index}`, "the answer has begun");
    }
    say("Question 3");
    await untilLast((said) => said === "Enough.", "the last one is answered");

    expect(askedOf(engine, 3)).toEqual([
      ...gates.flatMap((_, index) => [`user: Question ${index}`, `assistant: Part ${index}`, NOTE]),
      "user: Question 3",
    ]);
    expect((await endsOf(store, 4)).map(({ detail }) => detail)).toEqual([
      "new_message",
      "new_message",
      "new_message",
      undefined,
    ]);
  });

  test("is answered when the answer is whole, if that is what is wanted", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([
      [start(), text("Once"), gate.pass, text(" and for all."), finish()],
      [start(), text("A joke."), finish()],
    ]);
    const { api, chat, say, untilLast } = await openStage({ engine, whenBusy: "queue" });

    say("Tell me a story");
    await untilLast((said) => said === "Once", "the beginning is seen");
    say("And a joke");
    await expect.poll(() => api.pendingUpdates).toBe(0);
    gate.open();
    await untilLast((said) => said === "A joke.", "the second message is answered");

    expect(chat.messages.map((message) => message.text)).toEqual([
      "Tell me a story",
      "Once and for all.",
      "And a joke",
      "A joke.",
    ]);
    expect(askedOf(engine, 1)).toEqual(["user: Tell me a story", "assistant: Once and for all.", "user: And a joke"]);
  });

  test("is turned away, if that is what is wanted", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([[start(), text("Once"), gate.pass, text(" and for all."), finish()]]);
    const { api, chat, say, untilLast } = await openStage({ engine, whenBusy: "ignore" });

    say("Tell me a story");
    await untilLast((said) => said === "Once", "the beginning is seen");
    say("And a joke");
    await untilLast((said) => said === "I am still answering. /stop stops the answer.", "it is turned away");
    gate.open();

    await api.until(() => chat.messages[1]?.text === "Once and for all.", "the answer is whole");
    expect(engine.requests).toHaveLength(1);
  });
});

describe("messages in quick succession", () => {
  const untilTaken = async (bot: Awaited<ReturnType<typeof openStage>>["bot"], count: number): Promise<void> => {
    await expect
      .poll(() => metricOf(bot.registry, "bot_updates_total"))
      .toEqual([`bot_updates_total{kind="question"} ${count}`]);
  };

  test("are one question, and each gives the next one time", async () => {
    const clock = createJumpingClock();
    const engine = createScriptedEngine([[start(), text("I see."), finish()]]);
    const { bot, say, untilLast } = await openStage({ engine, clock, mergeMilliseconds: 3_600_000 });

    say("I have");
    await untilTaken(bot, 1);
    clock.jump(2_400_000);
    say("a question");
    await untilTaken(bot, 2);
    clock.jump(2_400_000);
    say("about whales");
    await untilTaken(bot, 3);
    clock.jump(2_400_000);
    expect(engine.requests).toHaveLength(0);
    clock.jump(1_200_000);
    await untilLast((said) => said === "I see.", "they are answered");

    expect(engine.requests).toHaveLength(1);
    expect(askedOf(engine, 0)).toEqual(["user: I have\na question\nabout whales"]);
  });

  test("are one question also where others are turned away while one is answered", async () => {
    const clock = createJumpingClock();
    const engine = createScriptedEngine([[start(), text("I see."), finish()]]);
    const options = { engine, clock, whenBusy: "ignore", mergeMilliseconds: 3_600_000 } as const;
    const { bot, chat, say, untilLast } = await openStage(options);

    say("The first half,");
    await untilTaken(bot, 1);
    clock.jump(2_400_000);
    say("the second half");
    await untilTaken(bot, 2);
    clock.jump(3_600_000);
    await untilLast((said) => said === "I see.", "they are answered");

    expect(askedOf(engine, 0)).toEqual(["user: The first half,\nthe second half"]);
    expect(chat.messages).toHaveLength(3);
  });

  test("interrupt once, and are answered together", async () => {
    const gate = createGate();
    const clock = createJumpingClock();
    const store = createMemoryStore();
    const engine = createScriptedEngine([
      [start(), text("Once"), gate.pass, finish()],
      [start(), text("Four."), finish()],
    ]);
    const options = { engine, clock, store, mergeMilliseconds: 3_600_000, leaseMilliseconds: 3_600_000 };
    const { bot, say, untilLast } = await openStage(options);

    say("Tell me a story");
    await untilTaken(bot, 1);
    clock.jump(3_600_000);
    await untilLast((said) => said === "Once", "the beginning is seen");
    say("No:");
    await untilLast((said) => said === "Once\n\n[interrupted]", "it is interrupted");
    say("what is 2 + 2?");
    await untilTaken(bot, 3);
    clock.jump(3_600_000);
    await untilLast((said) => said === "Four.", "they are answered");

    expect(askedOf(engine, 1).at(-1)).toBe("user: No:\nwhat is 2 + 2?");
    expect(await metricOf(bot.registry, "bot_generation_stop_reasons_total")).toEqual([
      'bot_generation_stop_reasons_total{reason="new_message"} 1',
    ]);
  });

  test("that wait for their turn are answered one by one if they were written apart", async () => {
    const gate = createGate();
    const clock = createJumpingClock();
    const engine = createScriptedEngine([
      [start(), text("One."), gate.pass, finish()],
      [start(), text("Two and three."), finish()],
      [start(), text("Four."), finish()],
    ]);
    const options = { engine, clock, mergeMilliseconds: 600_000, whenBusy: "queue", leaseMilliseconds: 36_000_000 };
    const { bot, say, untilLast } = await openStage({ ...options, whenBusy: "queue" });

    say("1");
    await untilTaken(bot, 1);
    clock.jump(600_000);
    await untilLast((said) => said === "One.", "the first is answered");
    say("2");
    await untilTaken(bot, 2);
    say("3");
    await untilTaken(bot, 3);
    clock.jump(3_600_000);
    say("4");
    await untilTaken(bot, 4);
    clock.jump(600_000);
    gate.open();
    await untilLast((said) => said === "Four.", "all are answered");

    expect(engine.requests.map((_, index) => askedOf(engine, index).at(-1))).toEqual([
      "user: 1",
      "user: 2\n3",
      "user: 4",
    ]);
  });
});
