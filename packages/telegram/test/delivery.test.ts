import fc from "fast-check";
import { finish } from "fullstop/testing";
import { describe, expect, test } from "vitest";
import type { ChatScreen, SeenMessage } from "./support/bot-api/index.ts";
import { openSlowStage } from "./support/slow-stage.ts";
import type { SlowStage } from "./support/slow-stage.ts";

function fromBot(chat: ChatScreen): readonly SeenMessage[] {
  return chat.messages.filter(({ isFromBot }) => isFromBot);
}

/** Has Ann ask something, and the beginning of the answer shown. */
async function begin(
  stage: SlowStage,
  beginning = "Once upon",
): Promise<Awaited<ReturnType<SlowStage["engine"]["feed"]>>> {
  stage.say("Tell me a story");
  const feed = await stage.engine.feed(0);
  feed.say(beginning);
  await stage.pass(100);
  expect(stage.chat.lastFromBot?.text).toBe(beginning);
  return feed;
}

describe("when something is wrong between the bot and Telegram", () => {
  const server = { code: 502, description: "Bad Gateway" };

  test.each([
    [
      "editMessageText",
      "is refused by a broken server",
      (stage: SlowStage) => stage.api.refuse("editMessageText", server, { times: 3 }),
    ],
    [
      "editMessageText",
      "is cut off before it is carried out",
      (stage: SlowStage) => stage.api.drop("editMessageText", { times: 2 }),
    ],
    [
      "editMessageText",
      "is cut off after it is carried out",
      (stage: SlowStage) => stage.api.drop("editMessageText", { when: "after" }),
    ],
  ])("an %s that %s is made again, with the newest text", async (_method, _what, harm) => {
    const stage = await openSlowStage();
    const feed = await begin(stage);
    harm(stage);
    feed.say(" a time");
    await stage.pass(2_000);
    feed.say(" there was");
    feed.end();
    await stage.pass(60_000);
    expect(fromBot(stage.chat)).toMatchObject([{ text: "Once upon a time there was", buttons: [] }]);
  });

  test.each([
    ["is refused by a broken server", 1, (stage: SlowStage) => stage.api.refuse("sendMessage", server)],
    ["is cut off before it is carried out", 1, (stage: SlowStage) => stage.api.drop("sendMessage")],
    // Telegram has no way to ask whether it has got a message; twice is better than never.
    ["is cut off after it is carried out", 2, (stage: SlowStage) => stage.api.drop("sendMessage", { when: "after" })],
  ])("the first message is sent again if it %s", async (_what, messages, harm) => {
    const stage = await openSlowStage();
    harm(stage);
    stage.say("Tell me a story");
    const feed = await stage.engine.feed(0);
    feed.say("Once upon");
    await stage.pass(5_000);
    feed.say(" a time");
    feed.end();
    await stage.pass(60_000);
    expect(fromBot(stage.chat)).toHaveLength(messages);
    expect(stage.chat.lastFromBot).toMatchObject({ text: "Once upon a time", buttons: [] });
  });

  test("a message that is as it should be already counts as done", async () => {
    const stage = await openSlowStage();
    const feed = await begin(stage);
    // It was carried out, and when it is made again there is nothing to change.
    stage.api.drop("editMessageText", { when: "after" });
    feed.say(" a time");
    feed.end();
    await stage.pass(5_000);
    const answers = stage.api
      .callsOf("editMessageText")
      .map(({ answer }) => (typeof answer === "object" && !answer.ok ? answer.description : answer));
    expect(answers).toEqual(["dropped", expect.stringContaining("message is not modified")]);
    await stage.pass(60_000);
    expect(stage.api.callsOf("editMessageText")).toHaveLength(2);
    expect(fromBot(stage.chat)).toMatchObject([{ text: "Once upon a time", buttons: [] }]);
  });

  test("the bot's token is never in the log", async () => {
    const stage = await openSlowStage();
    const feed = await begin(stage);
    for (const method of ["answerCallbackQuery", "editMessageText", "sendChatAction"] as const)
      stage.api.drop(method, { times: 3 });
    const { queryId } = stage.api.press(stage.chat, stage.ann, "⏹ Stop");
    await stage.api.until(
      () =>
        stage.api
          .callsOf("answerCallbackQuery")
          .some(({ parameters, answer }) => parameters["callback_query_id"] === queryId && answer === "dropped"),
      "the press is answered in vain",
    );
    await stage.pass(60_000);
    expect(feed.signal.aborted).toBe(true);
    const lines = stage.logged.map((line) => describeDeeply(line)).join("\n");
    expect(lines).toContain("HttpError");
    expect(lines).not.toContain(stage.api.token);
  });
});

/** All that can be found in a value, as a log might write it: also what is not enumerable, such as the cause of an error. */
function describeDeeply(value: unknown, seen: Set<unknown> = new Set()): string {
  if (typeof value !== "object" || value === null) return String(value);
  if (seen.has(value)) return "";
  seen.add(value);
  return Reflect.ownKeys(value)
    .map((key) => `${String(key)}: ${describeDeeply(Reflect.get(value, key), seen)}`)
    .join("\n");
}

describe("when the answer cannot be shown any more", () => {
  const cases = [
    ["the bot was blocked", 403, "Forbidden: bot was blocked by the user"],
    ["the bot was removed from the group", 403, "Forbidden: bot was kicked from the supergroup chat"],
    ["the topic was closed", 400, "Bad Request: TOPIC_CLOSED"],
    ["the topic was deleted", 400, "Bad Request: message thread not found"],
  ] as const;

  test.each(cases)(
    "because %s, the model is stopped, nothing else is tried, and the log says so",
    async (_what, code, description) => {
      const stage = await openSlowStage();
      const feed = await begin(stage);
      stage.api.refuse("editMessageText", { code, description }, { times: 100 });
      feed.say(" a time");
      await stage.pass(20_000);
      expect(feed.signal.aborted).toBe(true);
      expect(stage.made.map(({ method }) => method)).toEqual(["sendMessage", "editMessageText"]);
      const logged = stage.logged.map(({ message, fields }) => [message, fields["description"] ?? fields["reason"]]);
      expect(logged).toEqual([
        ["an answer cannot be shown any more", description],
        ["an answer was stopped", "unreachable"],
      ]);
      // The next question is a new chance.
      stage.say("Hello?");
      const next = await stage.engine.feed(1);
      next.say("Here I am.");
      next.end();
      await stage.pass(5_000);
      expect(stage.chat.lastFromBot?.text).toBe("Here I am.");
    },
  );

  test("because the group has become a supergroup, it ends cleanly", async () => {
    const stage = await openSlowStage();
    const group = stage.api.group({ title: "Group", type: "group", members: [stage.ann] });
    stage.api.say(group, stage.ann, "@fullstop_bot hello");
    const feed = await stage.engine.feed(0);
    feed.say("Hello");
    await stage.pass(100);
    const description = "Bad Request: group chat was upgraded to a supergroup chat";
    stage.api.refuse(
      "editMessageText",
      { code: 400, description, parameters: { migrate_to_chat_id: -1_001 } },
      { times: 100 },
    );
    feed.say(" Ann");
    await stage.pass(20_000);
    expect(feed.signal.aborted).toBe(true);
    expect(stage.made).toHaveLength(2);
  });

  test("because the bot was blocked before anything came, not a word is generated in vain", async () => {
    const stage = await openSlowStage();
    stage.say("Tell me a story");
    stage.api.block(stage.ann);
    const feed = await stage.engine.feed(0);
    await stage.pass(10_000);
    expect(feed.signal.aborted).toBe(true);
    expect(stage.made).toEqual([]);
  });

  test("because somebody has deleted it, the model is stopped", async () => {
    const stage = await openSlowStage();
    const feed = await begin(stage);
    stage.api.deleteMessage(stage.chat, stage.chat.lastFromBot!);
    feed.say(" a time");
    await stage.pass(20_000);
    expect(feed.signal.aborted).toBe(true);
    expect(fromBot(stage.chat)).toEqual([]);
    expect(stage.made.map(({ method }) => method)).toEqual(["sendMessage", "editMessageText"]);
  });
});

test("formatting that Telegram does not take is left out, and the text is there", async () => {
  const stage = await openSlowStage();
  stage.say("Tell me a story");
  const feed = await stage.engine.feed(0);
  stage.api.refuse("sendMessage", { code: 400, description: "Bad Request: ENTITY_BOUNDS_INVALID" });
  feed.say("Once **upon**");
  await stage.pass(3_000);
  feed.say(" a *time*");
  feed.end();
  await stage.pass(5_000);
  expect(fromBot(stage.chat)).toMatchObject([{ text: "Once upon a time", entities: [], buttons: [] }]);
});

describe("long answers", () => {
  const words = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, index) => `word${from + index}`).join(" ");

  test("are split while they grow: what is above is final and has no buttons", async () => {
    const stage = await openSlowStage();
    stage.say("Tell me a story");
    const feed = await stage.engine.feed(0);
    for (let count = 0; count < 2_500; count += 100) {
      feed.say(`${words(count, count + 100)} `);
      await stage.pass(1_500);
      const messages = fromBot(stage.chat);
      expect(messages.map(({ buttons }) => buttons.length)).toEqual([...messages.slice(1).map(() => 0), 1]);
    }
    feed.end();
    await stage.pass(20_000);
    const messages = fromBot(stage.chat);
    expect(messages.length).toBeGreaterThan(4);
    expect(messages.every(({ text, buttons }) => text.length <= 4_096 && buttons.length === 0)).toBe(true);
    expect(messages.map(({ text }) => text).join(" ")).toBe(words(0, 2_500));
    expect(stage.api.calls.every(({ answer }) => typeof answer !== "object" || answer.ok)).toBe(true);
    // Only the first is a reply or not; what comes after it follows in the same chat, in order.
    expect(messages.map(({ id }) => id)).toEqual(messages.map(({ id }) => id).toSorted((one, other) => one - other));
  });

  test("can come in one go", async () => {
    const stage = await openSlowStage();
    stage.say("Tell me a story");
    const feed = await stage.engine.feed(0);
    feed.say(words(0, 2_500));
    feed.end();
    await stage.pass(20_000);
    const messages = fromBot(stage.chat);
    expect(messages.map(({ text }) => text).join(" ")).toBe(words(0, 2_500));
    expect(stage.made.every(({ method }) => method === "sendMessage")).toBe(true);
  });

  test("keep their code in code over the cut", async () => {
    const stage = await openSlowStage();
    stage.say("Write a program");
    const feed = await stage.engine.feed(0);
    const lines = Array.from({ length: 400 }, (_, index) => `console.log("line ${index}");`);
    feed.say("Here it is:\n\n```js\n");
    for (let from = 0; from < lines.length; from += 50) {
      feed.say(`${lines.slice(from, from + 50).join("\n")}\n`);
      await stage.pass(1_500);
    }
    feed.say("```\n\nThat is all.");
    feed.end();
    await stage.pass(20_000);
    const messages = fromBot(stage.chat);
    expect(messages.length).toBeGreaterThan(2);
    const code = messages.flatMap(({ text, entities }) =>
      entities.filter(({ type }) => type === "pre").map(({ offset, length }) => text.slice(offset, offset + length)),
    );
    expect(code.join("\n")).toBe(lines.join("\n"));
    expect(stage.api.calls.every(({ answer }) => typeof answer !== "object" || answer.ok)).toBe(true);
  });

  test("lose their surplus messages when the model begins anew after a failure", async () => {
    const stage = await openSlowStage();
    stage.say("Tell me a story");
    const feed = await stage.engine.feed(0);
    feed.say(words(0, 1_500));
    await stage.pass(20_000);
    expect(fromBot(stage.chat).length).toBeGreaterThan(2);
    feed.push(finish("error_termination", { detail: "malformed_tool_call" }));
    const again = await stage.engine.feed(1);
    again.say("Once upon a time");
    again.end();
    await stage.pass(20_000);
    expect(fromBot(stage.chat)).toMatchObject([{ text: "Once upon a time", buttons: [] }]);
  });
});

test("whatever the model says, and in whatever pieces, all of it is on the screen at the end", async () => {
  const line = fc.stringMatching(/^[a-zA-Z0-9äöü€😀,. ]{0,300}$/u).map((text) => text.trim());
  const lines = fc.array(line, { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(
      lines,
      fc.infiniteStream(fc.integer({ min: 1, max: 400 })),
      fc.boolean(),
      async (said, sizes, drafts) => {
        const whole = said.filter((text) => /[a-zA-Z0-9]/u.test(text)).join("\n\n");
        fc.pre(whole !== "");
        const stage = await openSlowStage({ drafts, rules: {} });
        stage.say("Tell me a story");
        const feed = await stage.engine.feed(0);
        for (let at = 0; at < whole.length;) {
          const size = Number(sizes.next().value);
          feed.say(whole.slice(at, at + size));
          at += size;
          if (size > 300) await stage.pass(500);
        }
        feed.end();
        await stage.pass(60_000);
        const squeeze = (text: string): string => text.replaceAll(/\s+/gu, "");
        const shown = fromBot(stage.chat);
        expect(squeeze(shown.map(({ text }) => text).join(""))).toBe(squeeze(whole));
        expect(shown.every(({ buttons }) => buttons.length === 0)).toBe(true);
        expect(stage.api.calls.every(({ answer }) => typeof answer !== "object" || answer.ok)).toBe(true);
        await stage[Symbol.asyncDispose]();
      },
    ),
    { numRuns: 12 },
  );
});
