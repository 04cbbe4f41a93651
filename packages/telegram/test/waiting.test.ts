import { createMemoryStore } from "fullstop/control";
import type { DocumentStore, Store } from "fullstop/control";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRedisStore } from "../../gateway/src/stores/index.ts";
import { startRedis } from "../../gateway/test/support/redis-server.ts";
import { questionIdsOf, UnfinishedAnswers } from "../src/answers/unfinished.ts";
import { WaitingQuestions } from "../src/lanes/waiting-questions.ts";
import type { LeftQuestion } from "../src/lanes/waiting-questions.ts";
import { SILENT_LOG } from "../src/operations/log.ts";
import { nameOf } from "../src/place.ts";
import { defineWords } from "../src/words/languages.ts";
import { ENGLISH } from "../src/words/english.ts";
import { startBotApi } from "./support/bot-api/index.ts";
import { startBotProcess } from "./support/bot-process.ts";
import { changeStore } from "./support/changed-store.ts";
import { createFedEngine } from "./support/fed-engine.ts";
import { openTwoProcesses } from "./support/processes.ts";
import type { TwoProcesses } from "./support/processes.ts";

/** Longer than any test takes. */
const FOR_EVER = 600_000;

const folderOf = ({ botInfo }: TwoProcesses["api"]): string => `telegram-waiting-${botInfo.id}`;

async function untilWaiting(store: DocumentStore, folder: string, count: number): Promise<void> {
  await expect.poll(async () => (await store.documentNames(folder)).length).toBe(count);
}

describe("a question that waits in another process", () => {
  test.each(["/stop", "/new"])("for more of it is forgotten by %s", async (command) => {
    const [a, b] = [createFedEngine(), createFedEngine()];
    const two = await openTwoProcesses({
      a: { engine: a, mergeMilliseconds: 1_000 },
      b: { engine: b, mergeMilliseconds: 0 },
    });
    const { api, chat, ann, sendTo, members } = two;
    api.say(chat, ann, "Tell me a story");
    await untilWaiting(members.b.store, folderOf(api), 1);

    sendTo("b");
    api.say(chat, ann, command);
    const said = command === "/stop" ? "Generation stopped." : ENGLISH.newConversation;
    await api.until(() => chat.lastFromBot?.text === said, "it is confirmed");
    api.say(chat, ann, "Something else");
    await b.feed(0);

    // A bot that is stopped says so under whatever it was still to answer.
    await members.a.bot.stop();
    expect(a.feeds).toEqual([]);
    expect(interruptedIn(chat)).toEqual([]);
  });

  test("for its turn is forgotten by /stop, with the answer that it waits for", async () => {
    const [a, b] = [createFedEngine(), createFedEngine()];
    const two = await openTwoProcesses({ a: { engine: a, whenBusy: "queue" }, b: { engine: b, whenBusy: "queue" } });
    const { api, chat, ann, sendTo, members } = two;
    api.say(chat, ann, "One");
    (await a.feed(0)).say("Once");
    await api.until(() => chat.lastFromBot?.text === "Once", "the beginning is seen");
    api.say(chat, ann, "Two");
    await untilWaiting(members.b.store, folderOf(api), 1);

    sendTo("b");
    api.say(chat, ann, "/stop");
    await api.until(() => chat.lastFromBot?.text === "Generation stopped.", "it is confirmed");
    await api.until(() => chat.messages[1]?.text === "Once\n\n[interrupted]", "it is marked");
    await members.a.bot.stop();

    expect(a.feeds).toHaveLength(1);
    expect(interruptedIn(chat)).toEqual(["Once\n\n[interrupted]"]);
  });

  test("or is answered turns others away, if that is what is wanted", async () => {
    const [a, b] = [createFedEngine(), createFedEngine()];
    const two = await openTwoProcesses({
      a: { engine: a, whenBusy: "ignore", mergeMilliseconds: 0 },
      b: { engine: b, whenBusy: "ignore" },
    });
    const { api, chat, ann, sendTo } = two;
    api.say(chat, ann, "One");
    await a.feed(0);

    sendTo("b");
    api.say(chat, ann, "Two");
    await api.until(() => chat.messages.some((message) => message.text === ENGLISH.busy), "it is turned away");

    expect(b.feeds).toEqual([]);
  });

  test("for more of the same turns nothing away, because that may be sent to any process", async () => {
    const [a, b] = [createFedEngine(), createFedEngine()];
    const two = await openTwoProcesses({
      a: { engine: a, whenBusy: "ignore", mergeMilliseconds: FOR_EVER },
      b: { engine: b, whenBusy: "ignore" },
    });
    const { api, chat, ann, sendTo, members } = two;
    api.say(chat, ann, "The first half,");
    await untilWaiting(members.b.store, folderOf(api), 1);

    sendTo("b");
    api.say(chat, ann, "the second half");
    (await b.feed(0)).end();

    expect(chat.messages.map(({ text }) => text)).not.toContain(ENGLISH.busy);
  });

  test("wants an answer continued that another process continues, and that happens once", async () => {
    const [a, b] = [createFedEngine(), createFedEngine()];
    const two = await openTwoProcesses({
      a: { engine: a, mergeMilliseconds: 1_000 },
      b: { engine: b, mergeMilliseconds: 0 },
    });
    const { api, chat, ann, sendTo, members } = two;
    api.say(chat, ann, "Tell me a story");
    (await a.feed(0)).say("Once upon");
    await api.until(() => chat.lastFromBot?.text === "Once upon", "the beginning is seen");
    api.say(chat, ann, "/stop");
    await api.until(() => chat.messages[1]?.buttons[0]?.includes("▶ Continue"), "it can be continued");
    await expect.poll(async () => (await members.b.store.live()).length).toBe(0);
    const message = chat.messages[1]!;
    const data = continueDataOf(api);

    expect((await api.pressData(chat, ann, data, message).answered).text).toBe("One moment…");
    sendTo("b");
    expect((await api.pressData(chat, ann, data, message).answered).text).toBe("One moment…");
    const rest = await b.feed(0);
    rest.say(" a time");
    rest.end();
    await api.until(() => chat.lastFromBot?.text === "a time", "the rest is seen");
    await members.b.bot.stop();
    await members.a.bot.stop();

    expect(a.feeds).toHaveLength(1);
    expect(chat.lastFromBot?.text).toBe("a time");
  });
});

/** A store that fails once at the list of questions; what is to be written there is written all the same. */
function failOnce(store: Store, method: "writeDocument" | "deleteDocument"): Store {
  let failures = 0;
  const isFailing = (changed: string, folder: string): boolean =>
    changed === method && folder === "telegram-waiting-1" && failures++ === 0;
  return changeStore(store, {
    async writeDocument(folder, name, value, options) {
      const isLost = isFailing("writeDocument", folder);
      const written = await store.writeDocument(folder, name, value, options);
      if (isLost) throw new Error("away");
      return written;
    },
    async deleteDocument(folder, name, expected) {
      if (isFailing("deleteDocument", folder)) throw new Error("away");
      return store.deleteDocument(folder, name, expected);
    },
  });
}

function interruptedIn({ messages }: TwoProcesses["chat"]): readonly string[] {
  return messages.map((message) => message.text).filter((said) => said.includes("[interrupted]"));
}

function continueDataOf(api: TwoProcesses["api"]): string {
  const markup = api.callsOf("editMessageText").map(({ parameters }) => JSON.stringify(parameters));
  return /continue:[\w-]{22}/u.exec(markup.join(""))?.[0] ?? "";
}

test("a question whose process dies before it is begun is answered by the next one", async () => {
  const api = await startBotApi();
  onTestFinished(() => api.close());
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const store = await openRedisStore({ url: redis.url });
  onTestFinished(() => store.close());
  const ann = api.person({ firstName: "Ann" });
  const chat = api.privateChat(ann);
  const place = { redis: redis.url };
  const dying = await startBotProcess(api, place, { leaseMilliseconds: 1_000, mergeMilliseconds: FOR_EVER });
  api.say(chat, ann, "Is anybody there?");
  await untilWaiting(store, folderOf(api), 1);

  await dying.kill();
  await startBotProcess(api, place, { leaseMilliseconds: 1_000 });
  await api.until(() => chat.lastFromBot?.text === "user: Is anybody there?", "it is answered");

  await expect.poll(() => store.documentNames(folderOf(api))).toEqual([]);
});

describe("the list of questions that wait", () => {
  const PLACE = { chat: -5, chatType: "supergroup", user: 7, topic: 3 } as const;
  const TASKS = [
    { type: "message", message: { role: "user", content: [{ type: "text", text: "Why?" }] } },
    { type: "continue", of: "an answer" },
    { type: "regenerate", of: "an answer" },
  ] as const;

  function openList(store: DocumentStore, holder: string): WaitingQuestions {
    const unfinished = new UnfinishedAnswers(store, 1, FOR_EVER);
    const parts = { store, bot: 1, leaseMilliseconds: FOR_EVER, unfinished, findWords: defineWords(), log: SILENT_LOG };
    return new WaitingQuestions({ ...parts, holder });
  }

  /** As many as it takes to find a process dead. */
  async function makeRounds(list: WaitingQuestions): Promise<readonly LeftQuestion[]> {
    return [await list.round(), await list.round(), await list.round()].flat();
  }

  const QUESTION = { task: TASKS[0], messageId: 4, updateId: 40, languageCode: undefined, words: ENGLISH };

  test.each(TASKS)("gives a $type of a dead process to one other, as it was", async (task) => {
    const store = createMemoryStore();
    const question = { task, messageId: 4, updateId: 40, languageCode: "de", words: defineWords()("de") };
    const [dead, first, second] = [openList(store, "dead"), openList(store, "first"), openList(store, "second")];
    const kept = await dead.keep(PLACE, question);

    const taken = await Promise.all([makeRounds(first), makeRounds(second)]);
    expect(taken.flat()).toHaveLength(1);
    expect(taken.flat()[0]).toMatchObject({ place: PLACE, question });
    expect(await makeRounds(first)).toEqual([]);
    expect(await dead.isKept(kept!)).toBe(false);
    expect(await dead.forget(kept!)).toBe(false);
  });

  test("leaves a process that lives what it has, and takes what cannot be read off", async () => {
    const store = createMemoryStore();
    const [living, other] = [openList(store, "living"), openList(store, "other")];
    await living.round();
    const kept = await living.keep(PLACE, QUESTION);
    await store.writeDocument("telegram-waiting-1", "damaged", "{}", { keepMilliseconds: 1_000, expected: "none" });

    expect(await makeRounds(other)).toEqual([]);
    expect(await store.documentNames("telegram-waiting-1")).toEqual([kept?.name]);
    expect(await living.forget(kept!)).toBe(true);
  });

  test("is left to processes that come back to the store one after the other", async () => {
    const store = createMemoryStore();
    let isAway = false;
    const changed = changeStore(store, {
      documentNames: (folder) => (isAway ? Promise.reject(new Error("away")) : store.documentNames(folder)),
    });
    const [list, slow] = [openList(changed, "a"), openList(store, "b")];
    await slow.keep(PLACE, QUESTION);
    const [one, two] = [await list.round(), await list.round()];
    isAway = true;
    await expect(list.round()).rejects.toThrow("away");
    isAway = false;

    const [three, four] = [await makeRounds(list), await list.round()];
    await slow.round();
    const five = await makeRounds(list);

    expect([one, two, three, four, five].flat()).toEqual([]);
  });

  test("loses what could not be taken off at once with the next round", async () => {
    const store = createMemoryStore();
    const list = openList(failOnce(store, "deleteDocument"), "a");
    const kept = await list.keep(PLACE, QUESTION);

    await list.round();
    expect(await list.isKept(kept!)).toBe(true);
    expect(await list.forget(kept!)).toBe(true);
    expect(await list.placeNames()).toEqual([nameOf(PLACE)]);
    await list.round();

    expect(await list.placeNames()).toEqual([]);
  });

  test("loses what was put there without anybody hearing of it", async () => {
    const store = createMemoryStore();
    const list = openList(failOnce(store, "writeDocument"), "a");

    expect(await list.keep(PLACE, QUESTION)).toBeUndefined();
    expect(await list.placeNames()).toEqual([nameOf(PLACE)]);
    await list.round();

    expect(await list.placeNames()).toEqual([]);
  });

  test("gives a question also where nobody heard that it was taken over", async () => {
    const store = createMemoryStore();
    await openList(store, "dead").keep(PLACE, QUESTION);
    const list = openList(failOnce(store, "writeDocument"), "a");

    expect(await makeRounds(list)).toEqual([]);
    expect(await list.round()).toMatchObject([{ place: PLACE }]);
  });

  test("leaves a question to whoever finishes the answer that its process has begun", async () => {
    const store = createMemoryStore();
    const [dead, list] = [openList(store, "dead"), openList(store, "a")];
    const unfinished = new UnfinishedAnswers(store, 1, FOR_EVER);
    for (const messageId of [3, 4, 5]) await dead.keep(PLACE, { ...QUESTION, messageId });
    const shown = { messageIds: [], languageCode: undefined, replaces: undefined, seams: [], isKept: false };
    const answer = { id: "left", place: PLACE, startedAt: 0, asked: [], questionId: 4, mergedIds: [3], ...shown };
    await unfinished.put(answer, "any");

    expect((await makeRounds(list)).map(({ question }) => question.messageId)).toEqual([5]);
    await list.forgetAnswered(PLACE, questionIdsOf(answer));

    expect(await store.documentNames("telegram-waiting-1")).toHaveLength(1);
  });

  test("remembers the latest of several stops, in whichever order they come", async () => {
    const store = createMemoryStore();
    const [first, second] = [openList(store, "a"), openList(store, "b")];

    await first.withdraw(PLACE, 105);
    await Promise.all([first.withdraw(PLACE, 100), second.withdraw(PLACE, 103)]);

    expect(await first.withdrawnBefore(PLACE)).toBe(105);
  });

  test("has questions withdrawn that were asked before, and in this place only", async () => {
    const store = createMemoryStore();
    const list = openList(store, "a");
    const ask = (user: number, updateId: number) =>
      list.keep(
        { ...PLACE, user },
        { task: TASKS[0], messageId: 1, updateId, languageCode: undefined, words: ENGLISH },
      );
    const [mine, later, theirs] = [await ask(7, 4), await ask(7, 6), await ask(77, 4)];

    expect(await list.withdraw(PLACE, 5)).toBe(true);
    expect(await list.withdraw(PLACE, 5)).toBe(false);
    expect([await list.withdrawnBefore(PLACE), await list.withdrawnBefore({ ...PLACE, user: 77 })]).toEqual([5, 0]);
    expect(await Promise.all([mine, later, theirs].map((kept) => list.isKept(kept!)))).toEqual([false, true, true]);
  });
});
