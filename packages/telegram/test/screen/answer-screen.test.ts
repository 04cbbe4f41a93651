import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMovingClock } from "../../../fullstop/test/support/moving-clock.ts";
import type { MovingClock } from "../../../fullstop/test/support/moving-clock.ts";
import { AnswerScreen } from "../../src/screen/answer-screen.ts";
import { ChatPace } from "../../src/screen/chat-pace.ts";
import type { Transport } from "../../src/screen/picture.ts";
import type { Scene } from "../../src/screen/scene.ts";
import { createSceneDrawer } from "../../src/screen/scene.ts";
import { playMessenger } from "../support/played-messenger.ts";
import type { Luck, PlayedMessenger } from "../support/played-messenger.ts";

const INTERVAL = 1_000;

interface Stage extends PlayedMessenger {
  readonly clock: MovingClock;
  readonly pace: ChatPace;
  readonly screen: AnswerScreen;
  readonly told: { readonly messageIds: (readonly number[])[]; readonly unreachable: string[] };
  readonly at: () => readonly string[];
}

function openScreen(luck: readonly Luck[] = [], transport: Transport = { kind: "edits" }): Stage {
  const clock = createMovingClock();
  const played = playMessenger(() => clock.now(), luck.values());
  const pace = new ChatPace(clock, INTERVAL);
  const told: Stage["told"] = { messageIds: [], unreachable: [] };
  const screen = new AnswerScreen({
    messenger: played.messenger,
    pace: () => pace,
    transport,
    clock,
    onMessages: async (ids) => void told.messageIds.push(ids),
    onUnreachable: (description) => told.unreachable.push(description),
    onCall: () => undefined,
    closing: new AbortController().signal,
  });
  return {
    ...played,
    get draft() {
      return played.draft;
    },
    clock,
    pace,
    screen,
    told,
    at: () => played.calls.map(({ method, at, text }) => `${method}@${at} ${text.slice(0, 30)}`.trim()),
  };
}

function scene(text: string, isRunning = true): Scene {
  return {
    view: { thinking: "", text, notes: [], mark: undefined, isRunning, placeholder: "…" },
    buttons: isRunning ? [[{ text: "Stop", callback_data: "stop" }]] : undefined,
  };
}

describe("a screen", () => {
  test("sends at once, edits at the chat's pace, and only the newest", async () => {
    const { clock, screen, at } = openScreen();
    for (const text of ["a", "ab", "abc"]) screen.show(scene(text));
    await clock.advance(0);
    for (const text of ["abcd", "abcde"]) screen.show(scene(text));
    await clock.advance(10_000);
    screen.show(scene("abcde"));
    await clock.advance(10_000);
    expect(at()).toEqual(["send@0 abc", "edit@1000 abcde"]);
  });

  test("shows the last scene without waiting for the pace, even if it was waiting for it", async () => {
    const { clock, screen, at, messages } = openScreen();
    screen.show(scene("a"));
    await clock.advance(10);
    screen.show(scene("ab"));
    await clock.advance(10);
    const closed = screen.close(scene("abc.", false));
    await clock.advance(10);
    await closed;
    expect(at()).toEqual(["send@0 a", "edit@20 abc."]);
    expect([...messages.values()]).toEqual([{ content: { text: "abc.", entities: [] }, buttons: undefined }]);
    expect(clock.timers()).toBe(0);
  });

  test("shows nothing more after its last scene", async () => {
    const { clock, screen, at } = openScreen();
    const closed = screen.close(scene("done", false));
    screen.show(scene("late"));
    screen.announce();
    await clock.advance(10_000);
    await closed;
    expect(at()).toEqual(["send@0 done"]);
  });

  test("says that something comes, every 4.5 seconds until it does", async () => {
    const { clock, screen, at } = openScreen();
    screen.announce();
    await clock.advance(10_000);
    screen.show(scene("a"));
    await clock.advance(20_000);
    expect(at()).toEqual(["type@0", "type@4500", "type@9000", "send@10000 a"]);
  });

  test("goes on in another message at once, so that there is a stop button", async () => {
    const { clock, screen, at, messages, told } = openScreen();
    screen.show(scene("x".repeat(4_000)));
    await clock.advance(INTERVAL);
    screen.show(scene(`${"x".repeat(4_000)} ${"y".repeat(4_000)}`));
    await clock.advance(INTERVAL);
    expect(at().map((call) => call.split(" ")[0])).toEqual(["send@0", "edit@1000", "send@1000"]);
    expect([...messages.values()].map(({ buttons }) => buttons?.length)).toEqual([undefined, 1]);
    expect(told.messageIds).toEqual([[1], [1, 2]]);
  });

  test("takes messages away that a shorter answer does not need", async () => {
    const { clock, screen, messages } = openScreen();
    screen.show(scene("word ".repeat(3_000)));
    await clock.advance(60_000);
    expect(messages.size).toBe(4);
    screen.show(scene("Once more."));
    await clock.advance(60_000);
    expect([...messages]).toEqual([[1, { content: { text: "Once more.", entities: [] }, buttons: scene("").buttons }]]);
  });

  test("takes everything away when it is cleared, also what is being sent", async () => {
    const { clock, screen, messages, at } = openScreen();
    screen.show(scene(""));
    const cleared = screen.clear();
    await clock.advance(5_000);
    await cleared;
    screen.show(scene("late"));
    await clock.advance(5_000);
    expect(messages.size).toBe(0);
    expect(at().length).toBeLessThanOrEqual(2);
  });
});

describe("when Telegram does not take it", () => {
  const flood: Luck = { state: "later", milliseconds: 7_000, cause: "flood" };
  const failure: Luck = { state: "later", milliseconds: 1_000, cause: "failure" };
  const refused: Luck = { state: "refused", description: "can't parse entities" };

  test.each<[string, readonly Luck[], readonly string[]]>([
    ["a send", [flood], ["send@0 a", "send@7000 the end"]],
    ["an edit", ["done", flood], ["send@0 a", "edit@1000 ab", "edit@8000 the end"]],
  ])("a pause after %s is kept, and the newest comes after it", async (_name, luck, calls) => {
    const { clock, screen, at } = openScreen(luck);
    screen.show(scene("a"));
    await clock.advance(0);
    screen.show(scene("ab"));
    await clock.advance(2_000);
    screen.show(scene("abc"));
    const closed = screen.close(scene("the end", false));
    await clock.advance(20_000);
    await closed;
    expect(at()).toEqual(calls);
  });

  test("typing is left out in a pause, and a flood of typing is one", async () => {
    const { clock, screen, at } = openScreen([flood]);
    screen.announce();
    await clock.advance(5_000);
    screen.show(scene("a"));
    await clock.advance(5_000);
    expect(at()).toEqual(["type@0", "send@7000 a"]);
  });

  test("failures in a row are further and further apart, and the last scene outlives them", async () => {
    const { clock, screen, at } = openScreen(Array.from({ length: 8 }, () => failure));
    const closed = screen.close(scene("the end", false));
    await clock.advance(300_000);
    await closed;
    const seconds = at().map((call) => Number(/@(\d+)/u.exec(call)?.[1]) / 1_000);
    expect(seconds).toEqual([0, 1, 3, 7, 15, 31, 61, 91, 121]);
  });

  test("it gives up after an hour of failures", async () => {
    const { clock, screen, told } = openScreen(Array.from({ length: 1_000 }, () => failure));
    const closed = screen.close(scene("the end", false));
    await clock.advance(4_000_000);
    await closed;
    expect(told.unreachable).toEqual(["Telegram cannot be reached"]);
  });

  test("an edit that nobody has answered may be there, so that going back from it is an edit, too", async () => {
    const { clock, screen, messages } = openScreen(["done", "carried out, but nobody is told"]);
    screen.show(scene("a"));
    await clock.advance(INTERVAL);
    screen.show(scene("b"));
    await clock.advance(0);
    const closed = screen.close(scene("a"));
    await clock.advance(10 * INTERVAL);
    await closed;
    expect([...messages.values()].map(({ content }) => content.text)).toEqual(["a"]);
  });

  test("a removal that nobody has answered is made again before anything else", async () => {
    const full = "word ".repeat(819);
    const { clock, screen, messages } = openScreen(["done", "done", "done", "carried out, but nobody is told"]);
    screen.show(scene(`${full}and more`));
    await clock.advance(5 * INTERVAL);
    // The first message gets the buttons before the second one goes.
    screen.show(scene(full));
    await clock.advance(INTERVAL);
    const closed = screen.close(scene(`${full}and more`));
    await clock.advance(10 * INTERVAL);
    await closed;
    expect([...messages.values()].map(({ content }) => content.text)).toEqual([full.trim(), "and more"]);
  });

  test("formatting that is refused is left out from then on", async () => {
    const { clock, screen, messages, told } = openScreen([refused]);
    screen.show(scene("It is **bold**"));
    await clock.advance(1_000);
    const closed = screen.close(scene("It is **bold** indeed", false));
    await clock.advance(10_000);
    await closed;
    expect(messages.get(1)?.content).toEqual({ text: "It is bold indeed", entities: [] });
    expect(told.unreachable).toEqual([]);
  });

  test("plain text that is refused cannot be shown", async () => {
    const { clock, screen, told, at } = openScreen([refused, refused]);
    screen.show(scene("a"));
    await clock.advance(10_000);
    screen.show(scene("ab"));
    await screen.close(scene("abc", false));
    expect(told.unreachable).toEqual(["can't parse entities"]);
    expect(at()).toHaveLength(2);
  });

  test.each(["send", "edit", "type"])("nothing else is tried after a %s that is forbidden", async (method) => {
    const forbidden: Luck = { state: "unreachable", description: "Forbidden: bot was blocked by the user" };
    const { clock, screen, told, at } = openScreen(method === "edit" ? ["done", forbidden] : [forbidden]);
    if (method === "type") screen.announce();
    else screen.show(scene("a"));
    await clock.advance(0);
    screen.show(scene("ab"));
    await clock.advance(10_000);
    const calls = at().length;
    screen.show(scene("abc"));
    screen.announce();
    await screen.close(scene("abcd", false));
    expect(at()).toHaveLength(calls);
    expect(told.unreachable).toEqual(["Forbidden: bot was blocked by the user"]);
    expect(clock.timers()).toBe(0);
  });

  test("whoever deletes the message that is being written does not want the rest", async () => {
    const { clock, screen, told, at } = openScreen(["done", { state: "gone" }]);
    screen.show(scene("a"));
    await clock.advance(0);
    screen.show(scene("ab"));
    await clock.advance(10_000);
    await screen.close(scene("abc", false));
    expect(at()).toEqual(["send@0 a", "edit@1000 ab"]);
    expect(told.unreachable).toEqual(["the message was deleted"]);
  });

  test("whoever deletes an earlier message still gets the rest", async () => {
    const long = "x".repeat(4_000);
    const { clock, screen, told, messages } = openScreen(["done", "done", "done", { state: "gone" }]);
    screen.show(scene(`${long} a`));
    await clock.advance(2_000);
    screen.show(scene(`${long} a ${long}`));
    await clock.advance(2_000);
    // Only a link that is completed later changes a message above.
    const closed = screen.close(scene(`**${long}** a ${long} b`, false));
    await clock.advance(20_000);
    await closed;
    expect(told.unreachable).toEqual([]);
    expect([...messages.values()].at(-1)?.content.text).toMatch(/ b$/u);
  });

  test("whoever deletes a message after the answer is written still gets what comes after it", async () => {
    const { clock, screen, told, messages } = openScreen(["done", { state: "gone" }]);
    screen.show(scene("a"));
    await clock.advance(2_000);
    const closed = screen.close(scene(`a${"x".repeat(4_000)} ${"y".repeat(4_000)}`, false));
    await clock.advance(20_000);
    await closed;
    expect(told.unreachable).toEqual([]);
    expect(messages.get(2)?.content.text).toBe("y".repeat(4_000));
  });

  test.each<[string, Transport]>([
    ["message", { kind: "edits" }],
    ["draft", { kind: "drafts", draftId: 7 }],
  ])("a %s that is not taken because some message is missing is not sent for ever", async (_what, transport) => {
    const { clock, screen, told, at } = openScreen(
      Array.from({ length: 1_000 }, (): Luck => ({ state: "gone" })),
      transport,
    );
    screen.show(scene("a"));
    await clock.advance(60_000);
    expect(at().filter((call) => !call.startsWith("type")).length).toBeLessThan(5);
    await screen.close(scene("ab", false));
    expect(told.unreachable).toEqual(["Telegram knows no such message"]);
  });

  test("a mistake of the bot's own ends the answer, not the process", async () => {
    const clock = createMovingClock();
    const pace = new ChatPace(clock, INTERVAL);
    const { messenger } = playMessenger(() => clock.now());
    const unreachable: string[] = [];
    const screen = new AnswerScreen({
      messenger: { ...messenger, send: () => Promise.reject(new TypeError("a mistake")) },
      pace: () => pace,
      transport: { kind: "edits" },
      clock,
      onMessages: async () => undefined,
      onUnreachable: (description) => unreachable.push(description),
      onCall: () => undefined,
      closing: new AbortController().signal,
    });
    screen.show(scene("a"));
    await clock.advance(10);
    await screen.close(scene("ab", false));
    expect(unreachable).toEqual(["TypeError: a mistake"]);
  });
});

describe("with drafts", () => {
  const drafts: Transport = { kind: "drafts", draftId: 7 };

  test("an empty one is there at once, and is kept alive", async () => {
    const { clock, screen, at } = openScreen([], drafts);
    screen.announce();
    await clock.advance(700);
    screen.show(scene(""));
    await clock.advance(10_000);
    expect(at()).toEqual(["draft@0", "draft@5000", "draft@10000"]);
  });

  test("the text grows in it, and becomes a message at the end", async () => {
    const { clock, screen, at, messages } = openScreen([], drafts);
    screen.announce();
    await clock.advance(100);
    screen.show(scene("a"));
    await clock.advance(2_000);
    const closed = screen.close(scene("ab", false));
    await clock.advance(20_000);
    await closed;
    expect(at()).toEqual(["draft@0", "draft@1000 a", "send@2100 ab"]);
    expect([...messages.values()][0]?.content.text).toBe("ab");
    expect(clock.timers()).toBe(0);
  });

  test("full messages are sent, and the rest stays in the draft", async () => {
    const stage = openScreen([], drafts);
    stage.screen.show(scene(`${"x".repeat(4_000)} ${"y".repeat(4_000)} z`));
    await stage.clock.advance(3_000);
    expect([...stage.messages.values()].map(({ content, buttons }) => [content.text, buttons])).toEqual([
      ["x".repeat(4_000), undefined],
    ]);
    expect(stage.draft?.text).toBe(`${"y".repeat(4_000)} z`);
  });

  test("a refusal leads to messages that are edited, with typing while there is nothing", async () => {
    const refused: Luck = { state: "refused", description: "TEXTDRAFT_PEER_INVALID" };
    const { clock, screen, at } = openScreen([refused], drafts);
    screen.announce();
    await clock.advance(700);
    screen.show(scene(""));
    await clock.advance(2_000);
    screen.show(scene("a"));
    await clock.advance(20_000);
    expect(at()).toEqual(["draft@0", "type@0", "send@700 …", "edit@2700 a"]);
  });

  test("a block is noticed, and nothing else is tried", async () => {
    const { clock, screen, at, told } = openScreen([{ state: "unreachable", description: "blocked" }], drafts);
    screen.announce();
    await clock.advance(10_000);
    await screen.close(scene("a", false));
    expect(at()).toEqual(["draft@0"]);
    expect(told.unreachable).toEqual(["blocked"]);
  });
});

test("whatever happens to the calls, the last scene is there in the end, whole, and in its order", async () => {
  const draw = createSceneDrawer();
  const luck = fc.oneof(
    { weight: 6, arbitrary: fc.constant<Luck>("done") },
    fc.constant<Luck>({ state: "later", milliseconds: 3_000, cause: "flood" }),
    fc.constant<Luck>({ state: "later", milliseconds: 1_000, cause: "failure" }),
    fc.constant<Luck>("carried out, but nobody is told"),
  );
  const text = fc.tuple(fc.constantFrom("a", "word ", "x\n\n"), fc.integer({ min: 1, max: 5_000 }));
  const transport = fc.constantFrom<Transport>({ kind: "edits" }, { kind: "drafts", draftId: 1 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(luck, { maxLength: 30 }),
      fc.array(fc.tuple(text, fc.integer({ min: 0, max: 2_500 })), { maxLength: 8 }),
      text,
      transport,
      async (lucks, scenes, [word, times], how) => {
        const { clock, screen, messages, told, calls } = openScreen(lucks, how);
        screen.announce();
        for (const [[some, count], wait] of scenes) {
          screen.show(scene(some.repeat(count)));
          await clock.advance(wait);
        }
        const last = scene(word.repeat(times), false);
        const closed = screen.close(last);
        await clock.advance(1_000_000);
        await closed;
        const wanted = draw(last, { formatting: "full", hasPlaceholder: true });
        const ids = told.messageIds.at(-1) ?? [];
        const shown = ids.filter((id) => messages.has(id)).map((id) => messages.get(id));
        expect(shown).toEqual(wanted);
        expect(told.unreachable).toEqual([]);
        expect(calls.some(({ method, text: said }) => method !== "draft" && method !== "type" && said === "…")).toBe(
          false,
        );
      },
    ),
    { numRuns: 60 },
  );
});
