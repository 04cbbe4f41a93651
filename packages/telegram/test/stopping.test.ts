import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Engine } from "fullstop";
import { createMemoryStore } from "fullstop/control";
import { createRemoteEngine, openaiCompatible } from "fullstop/engines";
import { createGate, createScriptedEngine, finish, reasoning, start, text } from "fullstop/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { changeStore } from "./support/changed-store.ts";
import { createJumpingClock } from "./support/jumping-clock.ts";
import { endsOf, metricOf } from "./support/records.ts";
import { openStage } from "./support/stage.ts";

const STOPPED = "Generation stopped.";
const NOTHING = "No active generation to stop.";

describe("/stop", () => {
  test("stops the answer, keeps what was written, and says so", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([[start(), text("Once upon a time"), gate.pass, text(" there was"), finish()]]);
    const { api, chat, say, untilLast } = await openStage({ engine });

    say("Tell me a story");
    await untilLast((said) => said === "Once upon a time", "the beginning is seen");
    say("/stop");
    await untilLast((said) => said === STOPPED, "it is confirmed");
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

    expect(chat.lastFromBot?.text).toBe(NOTHING);
  });

  const SPELLINGS = ["/stop@fullstop_bot", "/stop@Fullstop_Bot", "/stop please", "/Stop", "/STOP@Fullstop_Bot"];
  test.each(SPELLINGS)("is heard as %s", async (command) => {
    const gate = createGate();
    const engine = createScriptedEngine([[start(), gate.pass, finish()]]);
    const { chat, say, untilLast } = await openStage({ engine });

    say("Tell me a story");
    await gate.reached;
    say(command);
    await untilLast(() => true, "it is answered");

    expect(chat.lastFromBot?.text).toBe(STOPPED);
  });

  test("for another bot is none of this one's business, not even a question", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([[start(), text("Once"), gate.pass, text(" more."), finish()]]);
    const { api, chat, say, untilLast } = await openStage({ engine });

    say("Tell me a story");
    await untilLast((said) => said === "Once", "the beginning is seen");
    say("/stop@other_bot");
    api.say(chat, api.person({ firstName: "Ben" }), "/stop@other_bot", { replyTo: chat.lastFromBot ?? { id: 0 } });
    await expect.poll(() => api.pendingUpdates).toBe(0);
    gate.open();
    await untilLast((said) => said === "Once more.", "the answer is whole");

    expect(chat.messages.filter(({ isFromBot }) => isFromBot)).toHaveLength(1);
    expect(engine.requests).toHaveLength(1);
  });

  test("before the first word leaves one short line and no empty message", async () => {
    const gate = createGate();
    const store = createMemoryStore();
    const engine = createScriptedEngine([[start(), gate.pass, text("too late"), finish()]]);
    const { chat, say, untilLast } = await openStage({ engine, store });

    say("Tell me a story");
    await gate.reached;
    say("/stop");
    await untilLast(() => true, "it is answered");

    expect(await endsOf(store, 1)).toMatchObject([{ reason: "cancelled", detail: "user" }]);
    expect(chat.messages.map((message) => message.text)).toEqual(["Tell me a story", "/stop", STOPPED]);
  });

  test("after the first sign of life marks that, so that nothing seems to be coming", async () => {
    const gate = createGate();
    const clock = createJumpingClock();
    const engine = createScriptedEngine([[start(), gate.pass, text("too late"), finish()]]);
    const { api, chat, say, untilLast } = await openStage({ engine, clock });

    say("Tell me a story");
    await gate.reached;
    clock.jump(1_000);
    await untilLast((said) => said === "…", "something will come");
    expect(chat.lastFromBot?.buttons).toEqual([["⏹ Stop"]]);
    say("/stop");

    await api.until(() => chat.messages[1]?.text === "[interrupted]", "it is marked");
    expect(chat.messages[1]?.buttons).toEqual([["🔄 Regenerate"]]);
  });

  test("while the first sign of life is on its way takes it back", async () => {
    const gate = createGate();
    const sending = createGate();
    const clock = createJumpingClock();
    const engine = createScriptedEngine([[start(), gate.pass, finish()]]);
    const { api, chat, say, untilLast } = await openStage({ engine, clock });

    api.delay("sendMessage", sending);
    say("Tell me a story");
    await gate.reached;
    clock.jump(1_000);
    await sending.reached;
    say("/stop");
    await untilLast((said) => said === STOPPED, "it is confirmed");
    sending.open();
    await api.until(() => chat.counts.deleted === 1, "the sign is taken back");

    expect(chat.messages.map((message) => message.text)).toEqual(["Tell me a story", "/stop", STOPPED]);
  });

  test("during thinking keeps the thinking", async () => {
    const gate = createGate();
    const engine = createScriptedEngine([[start(), reasoning("Which one?"), gate.pass, text("too late"), finish()]]);
    const { api, chat, say, untilLast } = await openStage({ engine });

    say("Tell me a story");
    await untilLast((said) => said === "Which one?", "the thinking is seen");
    say("/stop");
    await api.until(() => chat.messages[1]?.text === "Which one?\n\n[interrupted]", "it is marked");

    expect(chat.messages[1]?.buttons).toEqual([["🔄 Regenerate"]]);
  });

  test("also stops a question that it has overtaken on its way, and none that comes after it", async () => {
    const engine = createScriptedEngine(() => [start(), text("Here I am."), finish()]);
    const { ann, bot, chat, untilLast } = await openStage({ engine });
    const update = (id: number, said: string) => ({
      update_id: id,
      message: {
        message_id: id,
        date: 0,
        chat: { id: chat.id, type: "private", first_name: "Ann" } as const,
        from: ann,
        text: said,
        ...(said.startsWith("/") && { entities: [{ type: "bot_command", offset: 0, length: said.length } as const] }),
      },
    });

    await bot.grammy.handleUpdate(update(11, "/stop"));
    await untilLast((said) => said === NOTHING, "it is answered");
    await bot.grammy.handleUpdate(update(10, "Before"));
    await bot.grammy.handleUpdate(update(12, "After"));
    await untilLast((said) => said === "Here I am.", "what came after it is answered");

    expect(engine.requests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      [{ type: "text", text: "After" }],
    ]);
  });

  test("finds a question that is still waiting for more of it", async () => {
    const engine = createScriptedEngine([[start(), text("Hello."), finish()]]);
    const clock = createJumpingClock();
    const { api, chat, say, untilLast } = await openStage({ engine, clock, mergeMilliseconds: 3_600_000 });

    say("Tell me a story");
    await expect.poll(() => api.pendingUpdates).toBe(0);
    say("/stop");
    await untilLast((said) => said === STOPPED, "it is confirmed");
    say("/stop");
    await untilLast((said) => said === NOTHING, "nothing is left");
    clock.jump(3_600_000);
    say("Hi");
    await expect.poll(() => api.pendingUpdates).toBe(0);
    clock.jump(3_600_000);
    await untilLast((said) => said === "Hello.", "the next question is answered");

    expect(engine.requests.map(({ messages }) => messages)).toMatchObject([[{ content: [{ text: "Hi" }] }]]);
    expect(chat.messages.filter(({ text: said }) => said === "Hello.")).toHaveLength(1);
  });

  test("finds an answer whose conversation is still being looked for, and nobody is asked", async () => {
    const looking = createGate();
    const memory = createMemoryStore();
    const readDocument: typeof memory.readDocument = async (folder, name) => {
      if (folder.startsWith("telegram-conversations")) await looking.pass();
      return memory.readDocument(folder, name);
    };
    const engine = createScriptedEngine([[start(), text("too late"), finish()]]);
    const { chat, say, untilLast } = await openStage({ engine, store: changeStore(memory, { readDocument }) });

    say("Tell me a story");
    await looking.reached;
    say("/stop");
    await untilLast((said) => said === STOPPED, "it is confirmed");
    looking.open();

    expect(await endsOf(memory, 1)).toMatchObject([{ reason: "cancelled", detail: "user" }]);
    expect(engine.requests).toHaveLength(0);
    expect(chat.messages).toHaveLength(3);
  });

  test("as a reply stops the answer even if the store cannot say what it replies to", async () => {
    const gate = createGate();
    const memory = createMemoryStore();
    const away = changeStore(memory, { live: () => Promise.reject(new Error("away")) });
    const engine = createScriptedEngine([
      [text("One."), finish()],
      [start(), text("Two."), gate.pass, finish()],
    ]);
    const { ann, api, chat, say, untilLast } = await openStage({ engine, store: away });

    say("First");
    await untilLast((said) => said === "One.", "the first is answered");
    await endsOf(memory, 1);
    const first = chat.lastFromBot!;
    say("Second");
    await untilLast((said) => said === "Two.", "the second is being answered");
    api.say(chat, ann, "/stop", { replyTo: first });
    await untilLast((said) => said === STOPPED, "it is confirmed");

    expect(await endsOf(memory, 2)).toMatchObject([{}, { reason: "cancelled", detail: "user" }]);
  });

  test("twice is as good as once, and after the end there is nothing to stop", async () => {
    const gate = createGate();
    const store = createMemoryStore();
    const engine = createScriptedEngine([[start(), text("Once"), gate.pass, finish()]]);
    const { bot, chat, api, say, untilLast } = await openStage({ engine, store });

    say("Tell me a story");
    await untilLast((said) => said === "Once", "the beginning is seen");
    say("/stop");
    say("/stop");
    await api.until(() => chat.messages.filter(({ isFromBot }) => isFromBot).length === 3, "both are answered");
    await endsOf(store, 1);
    say("/stop");
    await untilLast((said) => said === NOTHING, "nothing is left");

    expect(chat.messages[1]?.text).toBe("Once\n\n[interrupted]");
    expect(await metricOf(bot.registry, "bot_generation_stops_total")).toEqual([
      'bot_generation_stops_total{phase="text",chat_type="private"} 1',
    ]);
  });

  test.each(["/stop", "a reply to the answer"])("forgets the questions that wait, as %s", async (how) => {
    const gate = createGate();
    const store = createMemoryStore();
    const engine = createScriptedEngine([
      [start(), text("One."), gate.pass, finish()],
      [text("Never"), finish()],
    ]);
    const { ann, api, chat, say, untilLast } = await openStage({ engine, store, whenBusy: "queue" });

    say("First");
    await untilLast((said) => said === "One.", "the first is being answered");
    say("Second");
    await expect.poll(() => api.pendingUpdates).toBe(0);
    api.say(chat, ann, "/stop", how === "/stop" ? {} : { replyTo: chat.lastFromBot ?? { id: 0 } });
    await untilLast((said) => said === STOPPED, "it is confirmed");
    await endsOf(store, 1);
    say("/stop");
    await untilLast((said) => said === NOTHING, "nothing is left");

    expect(engine.requests).toHaveLength(1);
  });
});

describe("a model that hangs is left at once", () => {
  test("if it heeds the signal", async () => {
    const begun = createGate();
    const heeded = createGate();
    const engine: Engine = {
      async *generate(_request, signal) {
        yield start();
        await begun.pass();
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        heeded.open();
        yield finish("cancelled", { detail: String(signal.reason) });
      },
    };
    const store = createMemoryStore();
    begun.open();
    const { say, untilLast } = await openStage({ engine, store });

    say("Tell me a story");
    await begun.reached;
    say("/stop");
    await untilLast((said) => said === STOPPED, "it is confirmed");
    await heeded.pass();

    expect(await endsOf(store, 1)).toMatchObject([{ reason: "cancelled", detail: "user" }]);
  });

  test("and if it does not", async () => {
    const never = createGate();
    const engine: Engine = {
      async *generate() {
        yield start();
        await never.pass();
      },
    };
    const store = createMemoryStore();
    const { say, untilLast } = await openStage({ engine, store });

    say("Tell me a story");
    await never.reached;
    say("/stop");
    await untilLast((said) => said === STOPPED, "it is confirmed");

    expect(await endsOf(store, 1)).toMatchObject([{ reason: "cancelled", detail: "user" }]);
  });

  test("also at the other end of a connection, which is closed", async () => {
    const asked = createGate();
    const closed = createGate();
    const server = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      response.on("close", () => closed.open());
      void asked.pass();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const provider = openaiCompatible(`http://127.0.0.1:${port}/v1`);
    const store = createMemoryStore();
    const { say, untilLast } = await openStage({ engine: createRemoteEngine({ provider }), store });

    say("Tell me a story");
    await asked.reached;
    say("/stop");
    await untilLast((said) => said === STOPPED, "it is confirmed");
    await closed.pass();

    expect(await endsOf(store, 1)).toMatchObject([{ reason: "cancelled", detail: "user" }]);
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
