import { cancelledSignal, truncatedSignal } from "fullstop";
import type { GenerationEvent, TerminationSignal } from "fullstop";
import { createMemoryStore, ownerLostSignal, systemClock } from "fullstop/control";
import { finish, start, text } from "fullstop/testing";
import { expect, test } from "vitest";
import { messagesOf } from "../src/answers/conversation.ts";
import { Conversations } from "../src/answers/conversations.ts";
import { Recovery } from "../src/answers/recovery.ts";
import type { RecoveryParts } from "../src/answers/recovery.ts";
import { UnfinishedAnswers } from "../src/answers/unfinished.ts";
import type { UnfinishedAnswer } from "../src/answers/unfinished.ts";
import { SILENT_LOG } from "../src/operations/log.ts";
import { nameOf } from "../src/place.ts";
import type { AnswerScreen } from "../src/screen/answer-screen.ts";
import type { Scene } from "../src/screen/scene.ts";
import { ENGLISH } from "../src/words/english.ts";
import { defineWords } from "../src/words/languages.ts";
import type { EndingKind } from "../src/words/words.ts";

const PLACE = { chat: 1, chatType: "private", user: 1, topic: undefined } as const;

const LEFT: UnfinishedAnswer = {
  id: "left",
  place: PLACE,
  startedAt: 0,
  asked: [],
  messageIds: [],
  questionId: 2,
  mergedIds: [1],
  languageCode: undefined,
  replaces: undefined,
  seams: [],
  isKept: false,
};

/** An answer whose process has died, and somebody who looks for such answers. */
async function openRecovery(
  parts: Partial<RecoveryParts> = {},
  events: readonly GenerationEvent[] = [],
  signal: TerminationSignal = truncatedSignal(),
) {
  const store = createMemoryStore();
  const unfinished = new UnfinishedAnswers(store, 1, 600_000);
  const settings = { maxMessages: 100, maxCharacters: 1_000, keepMilliseconds: 600_000 };
  const conversations = new Conversations(store, 1, settings, () => undefined);
  await unfinished.put(LEFT, "any");
  await store.open({ id: "left", owner: "o", model: "m", startedAt: 0, holder: "dead" });
  await store.append("left", 0, events);
  await store.finish("left", signal);
  const recovery = new Recovery({
    store,
    unfinished,
    conversations,
    findWords: defineWords(),
    isHere: () => false,
    forgetQuestions: () => Promise.resolve(),
    log: SILENT_LOG,
    clock: systemClock,
    reopenScreen: () => {
      throw new Error("It is not this process that shows it");
    },
    ...parts,
  });
  return { recovery, unfinished, conversations };
}

test("a place is not settled while another process puts an answer into its conversation", async () => {
  const { recovery, unfinished } = await openRecovery();
  // That is what the other process does first.
  expect(await unfinished.claim({ id: "left", placeName: nameOf(PLACE) })).toBe(true);

  expect(await recovery.settle(PLACE)).toBe(false);
  await unfinished.put({ ...LEFT, isKept: true }, "any");

  expect(await recovery.settle(PLACE)).toBe(true);
});

test("the questions of an answer that was left do not wait for another one", async () => {
  const forgotten: unknown[] = [];
  const { recovery } = await openRecovery({
    forgetQuestions: async (place, messageIds) => void forgotten.push([place, messageIds]),
  });

  await recovery.round();

  expect(forgotten).toEqual([[PLACE, [1, 2]]]);
});

test("an answer that was left is shown with its sources", async () => {
  const { scenes, reopenScreen } = createScreen();
  const page = { type: "citation", start: 0, end: 6, url: "https://a.example/", format: "gemini" } as const;
  const { recovery } = await openRecovery({ reopenScreen }, [start(), text("Cranes dance"), page]);

  await recovery.round();
  await recovery.done();

  expect(scenes.map(({ view }) => [view.text, view.sources?.heading, view.sources?.sources])).toEqual([
    ["Cranes dance", "Sources", [expect.objectContaining({ name: "a.example", link: "https://a.example/" })]],
  ]);
});

/** A screen that remembers how answers were shown in the end. */
function createScreen() {
  const scenes: Scene[] = [];
  const screen = { isGivenUp: false, close: async (scene: Scene) => void scenes.push(scene) };
  return { scenes, reopenScreen: () => screen as unknown as AnswerScreen };
}

const LOST = ["partial: Cranes dance", "user: The previous answer was interrupted (owner_lost)."];
const ON_PURPOSE = "The user interrupted the previous answer on purpose.";

test.each<[string, TerminationSignal, EndingKind | undefined, readonly string[]]>([
  ["whole", finish().signal, undefined, ["assistant: Cranes dance"]],
  ["whole at a stop string", finish("stop_sequence").signal, undefined, ["assistant: Cranes dance"]],
  ["too long", finish("token_limit_reached").signal, "length", ["partial: Cranes dance"]],
  ["filtered", finish("content_filtered").signal, "filtered", ["partial: Cranes dance"]],
  ["too slow", cancelledSignal("deadline"), "time", ["partial: Cranes dance"]],
  ["ended after its tools", finish("tool_calls").signal, "tools", ["partial: Cranes dance"]],
  ["stopped", cancelledSignal("user"), "interrupted", ["partial: Cranes dance", `user: ${ON_PURPOSE}`]],
  ["left by its process", ownerLostSignal("dead"), "interrupted", LOST],
  ["left in a file", truncatedSignal(), "interrupted", LOST],
])("an answer that was %s is finished as what its record says", async (_, signal, ending, kept) => {
  const { scenes, reopenScreen } = createScreen();
  const { recovery, conversations } = await openRecovery({ reopenScreen }, [start(), text("Cranes dance")], signal);

  await recovery.round();
  await recovery.done();

  expect(scenes.map(({ view }) => view.mark)).toEqual([ending && ENGLISH.endings[ending]]);
  expect(scenes.map(({ buttons }) => buttons !== undefined)).toEqual([ending !== undefined]);
  const lines = messagesOf(await conversations.read(PLACE)).map((message) => {
    const isPartial = message.role === "assistant" && message.isPartial === true;
    return `${isPartial ? "partial" : message.role}: ${message.content.map((part) => ("text" in part ? part.text : "")).join("")}`;
  });
  expect(lines).toEqual(kept);
});

test("an answer that others have come after is not put behind them once more", async () => {
  const { reopenScreen } = createScreen();
  const { recovery, conversations } = await openRecovery({ reopenScreen }, [start(), text("One")], finish().signal);
  const append = (id: string, words: string): Promise<void> => {
    const said = [{ role: "assistant", content: [{ type: "text", text: words }] }] as const;
    return conversations.append(PLACE, { id, questionId: 2, replaces: undefined, asked: [], said });
  };
  await append("left", "One");
  await append("next", "Two");

  await recovery.round();
  await recovery.done();

  expect(messagesOf(await conversations.read(PLACE))).toHaveLength(2);
});
