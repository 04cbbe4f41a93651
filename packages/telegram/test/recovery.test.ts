import { truncatedSignal } from "fullstop";
import type { GenerationEvent } from "fullstop";
import { createMemoryStore, systemClock } from "fullstop/control";
import { start, text } from "fullstop/testing";
import { expect, test } from "vitest";
import { Conversations } from "../src/answers/conversation.ts";
import { Recovery } from "../src/answers/recovery.ts";
import type { RecoveryParts } from "../src/answers/recovery.ts";
import { UnfinishedAnswers } from "../src/answers/unfinished.ts";
import type { UnfinishedAnswer } from "../src/answers/unfinished.ts";
import { SILENT_LOG } from "../src/operations/log.ts";
import { nameOf } from "../src/place.ts";
import type { AnswerScreen } from "../src/screen/answer-screen.ts";
import type { Scene } from "../src/screen/scene.ts";
import { defineWords } from "../src/words/languages.ts";

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
async function openRecovery(parts: Partial<RecoveryParts> = {}, events: readonly GenerationEvent[] = []) {
  const store = createMemoryStore();
  const unfinished = new UnfinishedAnswers(store, 1, 600_000);
  const settings = { maxMessages: 100, maxCharacters: 1_000, keepMilliseconds: 600_000 };
  const conversations = new Conversations(store, 1, settings, () => undefined);
  await unfinished.put(LEFT, "any");
  await store.open({ id: "left", owner: "o", model: "m", startedAt: 0, holder: "dead" });
  await store.append("left", 0, events);
  await store.finish("left", truncatedSignal());
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
  return { recovery, unfinished };
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
  const scenes: Scene[] = [];
  const screen = { isGivenUp: false, close: async (scene: Scene) => void scenes.push(scene) };
  const page = { type: "citation", start: 0, end: 6, url: "https://a.example/", format: "gemini" } as const;
  const { recovery } = await openRecovery({ reopenScreen: () => screen as unknown as AnswerScreen }, [
    start(),
    text("Cranes dance"),
    page,
  ]);

  await recovery.round();
  await recovery.done();

  expect(scenes.map(({ view }) => [view.text, view.sources?.heading, view.sources?.sources])).toEqual([
    ["Cranes dance", "Sources", [expect.objectContaining({ name: "a.example", link: "https://a.example/" })]],
  ]);
});
