import { defineTool } from "fullstop/agent";
import { call, finish, reasoning } from "fullstop/testing";
import { describe, expect, test } from "vitest";
import type { ChatScreen, SeenMessage } from "./support/bot-api/index.ts";
import { openSlowStage } from "./support/slow-stage.ts";

function fromBot(chat: ChatScreen): readonly SeenMessage[] {
  return chat.messages.filter(({ isFromBot }) => isFromBot);
}

describe("with drafts", () => {
  test("the first is there at once, empty, with Telegram's own stop button", async () => {
    const { api, chat, say, engine, pass } = await openSlowStage({ drafts: true });
    say("Tell me a story");
    const feed = await engine.feed(0);
    await pass(0);
    expect(chat.draft()).toMatchObject({ text: "", canStop: true, keepOnStop: true });
    feed.say("Once");
    feed.end();
    await pass(1_000);
    expect(api.callsOf("sendChatAction")).toEqual([]);
  });

  test("the answer grows in one draft at the pace of the chat, and becomes a message at the end", async () => {
    const { api, chat, say, engine, pass, stream, made } = await openSlowStage({ drafts: true });
    say("Tell me a story");
    const feed = await engine.feed(0);
    await stream([feed], 8);
    const drafts = api.callsOf("sendMessageDraft");
    expect(new Set(drafts.map(({ parameters }) => parameters["draft_id"])).size).toBe(1);
    expect(drafts.every(({ parameters }) => parameters["can_stop"] === true)).toBe(true);
    const gaps = made.slice(1).map(({ at }, index) => at - made[index]!.at);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_100);
    expect(drafts.length).toBeGreaterThan(4);
    expect(fromBot(chat)).toEqual([]);
    feed.end();
    await pass(0);
    expect(fromBot(chat)).toMatchObject([{ buttons: [], edits: 0 }]);
    expect(fromBot(chat)[0]?.text).toMatch(/^word0 .* word79$/u);
    expect(chat.draft()).toBeUndefined();
  });

  test("one that does not change is sent again before it disappears, with its button", async () => {
    const { api, chat, say, engine, pass } = await openSlowStage({ drafts: true });
    say("Tell me a story");
    const feed = await engine.feed(0);
    feed.say("Once upon");
    await pass(1_200);
    const before = api.callsOf("sendMessageDraft").length;
    for (let second = 0; second < 100; second += 5) {
      await pass(5_000);
      expect(chat.draft()).toMatchObject({ text: "Once upon", canStop: true });
    }
    const again = api.callsOf("sendMessageDraft").slice(before);
    expect(again).toHaveLength(20);
    expect(again.every(({ parameters }) => parameters["can_stop"] === true)).toBe(true);
    feed.end();
    await pass(0);
    await pass(20_000);
    expect(api.callsOf("sendMessageDraft")).toHaveLength(before + 20);
  });

  test("messages that are full are sent while the rest is written", async () => {
    const { api, chat, say, engine, pass } = await openSlowStage({ drafts: true });
    say("Tell me a story");
    const feed = await engine.feed(0);
    const words = Array.from({ length: 1_500 }, (_, index) => `word${index}`);
    for (let from = 0; from < words.length; from += 100) {
      feed.say(`${words.slice(from, from + 100).join(" ")} `);
      await pass(3_000);
    }
    expect(fromBot(chat).length).toBeGreaterThan(1);
    expect(chat.draft()?.text).toMatch(/word1499$/u);
    feed.end();
    await pass(5_000);
    expect(
      fromBot(chat)
        .map(({ text }) => text)
        .join(" "),
    ).toBe(words.join(" "));
    expect(fromBot(chat).every(({ buttons, edits }) => buttons.length === 0 && edits === 0)).toBe(true);
    expect(api.calls.every(({ answer }) => typeof answer !== "object" || answer.ok)).toBe(true);
  });

  test("Telegram's own stop button stops the answer, and what was written becomes a message", async () => {
    const { api, chat, say, engine, pass } = await openSlowStage({ drafts: true });
    say("Tell me a story");
    const feed = await engine.feed(0);
    feed.say("Once upon a time");
    await pass(1_200);
    const update = (): number => api.updates.length;
    const before = update();
    api.stopDraft(chat);
    await feed.stopped;
    await pass(1_000);
    expect(fromBot(chat)).toMatchObject([
      { text: "Once upon a time\n\n[interrupted]", buttons: [["▶ Continue", "🔄 Regenerate"]] },
    ]);
    expect(chat.draft()).toBeUndefined();

    // A second press, or one that comes late, changes nothing.
    const calls = api.calls.length;
    api.deliverAgain({ ...api.updates[before]!, update_id: 999_999 });
    await api.until(() => api.callsOf("getUpdates").length > 2, "it is fetched");
    await pass(2_000);
    expect(api.calls.slice(calls).filter(({ method }) => method !== "getUpdates")).toEqual([]);
    expect(fromBot(chat)).toHaveLength(1);
  });

  test("a stop before anything was written leaves one short line", async () => {
    const { api, chat, say, engine, pass } = await openSlowStage({ drafts: true });
    say("Tell me a story");
    const feed = await engine.feed(0);
    await pass(0);
    api.stopDraft(chat);
    await feed.stopped;
    await pass(1_000);
    expect(fromBot(chat)).toMatchObject([{ text: "[interrupted]", buttons: [["🔄 Regenerate"]] }]);
  });

  test("thinking and tools are shown in them, too", async () => {
    let done: (value: string) => void = () => undefined;
    const look = defineTool({ name: "look", execute: () => new Promise<string>((resolve) => (done = resolve)) });
    const { chat, say, engine, pass } = await openSlowStage({ drafts: true, tools: [look] });
    say("What is there?");
    const feed = await engine.feed(0);
    feed.push(reasoning("I should look."));
    await pass(2_000);
    expect(chat.draft()).toMatchObject({
      text: "I should look.",
      entities: [{ type: "expandable_blockquote", offset: 0, length: 14 }],
    });
    feed.push(...call("1", "look"), finish("tool_calls"));
    await pass(2_000);
    expect(chat.draft()?.text).toContain("⚙ look…");
    done("nothing");
    const second = await engine.feed(1);
    second.say("Nothing.");
    second.end();
    await pass(2_000);
    expect(fromBot(chat)).toMatchObject([{ text: "I should look.\nNothing.", buttons: [] }]);
  });

  test("topics of a private chat have theirs, and a stop in one leaves the other alone", async () => {
    const { api, engine, pass } = await openSlowStage({ drafts: true });
    const bob = api.person({ firstName: "Bob" });
    const chat = api.privateChat(bob, { hasTopics: true });
    const [cats, dogs] = [chat.topic("Cats"), chat.topic("Dogs")];
    api.say(chat, bob, "Cats?", { topic: cats });
    const first = await engine.feed(0);
    api.say(chat, bob, "Dogs?", { topic: dogs });
    const second = await engine.feed(1);
    first.say("Cats purr");
    second.say("Dogs bark");
    await pass(5_000);
    expect([chat.draft(cats)?.text, chat.draft(dogs)?.text]).toEqual(["Cats purr", "Dogs bark"]);
    api.stopDraft(chat, cats);
    await first.stopped;
    await pass(5_000);
    expect(second.signal.aborted).toBe(false);
    expect(fromBot(chat)).toMatchObject([{ text: "Cats purr\n\n[interrupted]", topic: "Cats" }]);
    second.end();
    await pass(5_000);
    expect(fromBot(chat)[1]).toMatchObject({ text: "Dogs bark", topic: "Dogs" });
  });

  test("groups have messages that are edited", async () => {
    const { api, ann, engine, pass } = await openSlowStage({ drafts: true });
    const group = api.group({ title: "Group", members: [ann] });
    api.say(group, ann, "@fullstop_bot hello");
    const feed = await engine.feed(0);
    feed.say("Hello");
    await pass(500);
    expect(group.lastFromBot).toMatchObject({ text: "Hello", buttons: [["⏹ Stop"]] });
    feed.end();
    await pass(5_000);
    expect(api.callsOf("sendMessageDraft")).toEqual([]);
  });
});

describe("where drafts are refused, messages that are edited take over, and nothing is lost", () => {
  const refusals = [
    [400, "Bad Request: TEXTDRAFT_PEER_INVALID"],
    [404, "Not Found"],
    [400, "Bad Request: can't parse entities"],
  ] as const;

  test.each(refusals)("from the beginning: %s %s", async (code, description) => {
    const { api, chat, say, engine, pass } = await openSlowStage({ drafts: true });
    api.refuse("sendMessageDraft", { code, description }, { times: 100 });
    say("Tell me a story");
    const feed = await engine.feed(0);
    await pass(0);
    expect(chat.actions).toHaveLength(1);
    await pass(700);
    expect(fromBot(chat)).toMatchObject([{ text: "…", buttons: [["⏹ Stop"]] }]);
    feed.say("Once upon");
    await pass(2_000);
    expect(fromBot(chat)).toMatchObject([{ text: "Once upon", buttons: [["⏹ Stop"]] }]);
    feed.end();
    await pass(2_000);
    expect(fromBot(chat)).toMatchObject([{ text: "Once upon", buttons: [] }]);
    expect(api.callsOf("sendMessageDraft")).toHaveLength(1);
  });

  test.each(refusals)("in the middle: %s %s", async (code, description) => {
    const { api, chat, say, engine, pass } = await openSlowStage({ drafts: true, rules: {} });
    say("Tell me a story");
    const feed = await engine.feed(0);
    feed.say(`${"x".repeat(4_000)} ${"y".repeat(200)}`);
    await pass(3_000);
    api.refuse("sendMessageDraft", { code, description }, { times: 100 });
    feed.say(" and");
    await pass(3_000);
    expect(fromBot(chat).map(({ text, buttons }) => [text, buttons.length])).toEqual([
      ["x".repeat(4_000), 0],
      [`${"y".repeat(200)} and`, 1],
    ]);
    feed.say(" more");
    feed.end();
    await pass(3_000);
    expect(fromBot(chat).map(({ text, buttons }) => [text, buttons.length])).toEqual([
      ["x".repeat(4_000), 0],
      [`${"y".repeat(200)} and more`, 0],
    ]);
  });

  test("a pause is no refusal", async () => {
    const { api, chat, say, engine, pass } = await openSlowStage({ drafts: true });
    const flood = { code: 429, description: "Too Many Requests: retry after 3", parameters: { retry_after: 3 } };
    api.refuse("sendMessageDraft", flood);
    say("Tell me a story");
    const feed = await engine.feed(0);
    feed.say("Once upon");
    await pass(2_900);
    expect(api.callsOf("sendMessageDraft")).toHaveLength(1);
    await pass(200);
    expect(chat.draft()?.text).toBe("Once upon");
    feed.end();
    await pass(5_000);
    expect(fromBot(chat)).toMatchObject([{ text: "Once upon" }]);
  });
});
