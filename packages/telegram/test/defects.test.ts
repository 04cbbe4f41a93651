import { defineTool } from "fullstop/agent";
import { createMemoryStore } from "fullstop/control";
import { call, createGate, createScriptedEngine, finish, start, text, usage } from "fullstop/testing";
import { describe, expect, test } from "vitest";
import { askedOf, endsOf, eventsOf } from "./support/records.ts";
import { openStage } from "./support/stage.ts";

/** What has gone wrong in a bot before, each held by a test of its own. */
describe("does not happen again:", () => {
  test("an answer that begins does not make the one before it unstoppable, whose end does not make it so either", async () => {
    const gates = [createGate(), createGate(), createGate()] as const;
    const leaving = createGate();
    const store = createMemoryStore();
    let asked = 0;
    // The first takes its time to end after it was interrupted, so that the second is waited for and asked for at once.
    const engine = {
      async *generate(_request: unknown, signal: AbortSignal) {
        const index = asked++;
        yield start();
        yield text(`Answer ${index}`);
        await Promise.race([
          gates[index]?.pass(),
          new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve())),
        ]);
        if (index === 0) await leaving.pass();
        yield signal.aborted ? finish("cancelled", { detail: String(signal.reason) }) : finish();
      },
    };
    const options = { engine, store, settings: { graceMilliseconds: 60_000 } };
    const { api, chat, say, untilLast } = await openStage(options);

    say("First");
    await untilLast((said) => said === "Answer 0", "the first has begun");
    say("Second");
    await leaving.reached;
    say("Third");
    leaving.open();
    await untilLast((said) => said === "Answer 1", "the others are answered");
    await api.until(() => chat.messages[1]?.text === "Answer 0\n\n[interrupted]", "the first has ended");
    say("/stop");
    await untilLast((said) => said === "Generation stopped.", "the one that runs is found");

    expect(await endsOf(store, 2)).toMatchObject([
      { reason: "cancelled", detail: "new_message" },
      { reason: "cancelled", detail: "user" },
    ]);
    expect(asked).toBe(2);
  });

  test("a stop waits for the next word of a model that says none", async () => {
    const gate = createGate();
    const store = createMemoryStore();
    const engine = createScriptedEngine([[gate.pass, start(), text("too late"), finish()]]);
    const { say, untilLast } = await openStage({ engine, store });

    say("First");
    await gate.reached;
    say("/stop");
    await untilLast((said) => said === "Generation stopped.", "it is stopped");

    // The gate is closed to the end.
    expect(await endsOf(store, 1)).toMatchObject([{ reason: "cancelled", detail: "user" }]);
  });

  test("every stop is recorded as a command", async () => {
    const gate = createGate();
    const store = createMemoryStore();
    const engine = createScriptedEngine(() => [start(), text("Once"), gate.pass, finish()]);
    const { api, ann, say, untilLast } = await openStage({ engine, store });
    const cleo = api.person({ firstName: "Cleo" });
    const group = api.group({ title: "Whales", admins: [cleo], members: [ann] });

    say("First");
    await untilLast((said) => said === "Once", "the first has begun");
    say("Second");
    await untilLast((said) => said === "Once", "the second has begun");
    await endsOf(store, 1);
    say("/stop");
    await endsOf(store, 2);
    api.say(group, ann, "@fullstop_bot Third");
    await api.until(() => group.lastFromBot?.text === "Once", "the third has begun");
    api.press(group, cleo, "⏹ Stop");

    expect((await endsOf(store, 3)).map(({ detail }) => detail)).toEqual(["new_message", "user", "operator"]);
  });

  test("a tool runs on after a stop, and what was used before it costs nothing", async () => {
    const running = createGate();
    const told = createGate();
    const store = createMemoryStore();
    const look = defineTool({
      name: "look",
      async execute(_input, { signal }) {
        signal.addEventListener("abort", () => told.open());
        await Promise.all([running.pass(), told.pass()]);
        return "looked";
      },
    });
    const engine = createScriptedEngine([
      [start(), text("Let me look."), ...call("call-1", "look"), usage(100, 20), finish("tool_calls")],
    ]);
    running.open();
    const { say, untilLast } = await openStage({ engine, store, tools: [look] });

    say("First");
    await running.reached;
    say("/stop");
    await untilLast((said) => said.startsWith("Generation stopped."), "it is stopped");
    await told.pass();

    const events = await eventsOf(store);
    expect(events.filter((event) => event.type === "usage")).toMatchObject([
      { usage: { inputTokens: 100, outputTokens: 20 } },
    ]);
  });

  test("an answer that is to be resumed counts as whole", async () => {
    const engine = createScriptedEngine([
      [start(), text("Half and "), finish("paused")],
      [start(), text("half."), finish()],
    ]);
    const { chat, say, untilLast } = await openStage({ engine });

    say("First");
    await untilLast((said) => said.endsWith("half."), "it is whole");

    expect(chat.lastFromBot).toMatchObject({ text: "Half and half.", buttons: [] });
    expect(askedOf(engine, 1)).toEqual(["user: First", "assistant: Half and "]);
  });

  test("an answer that has reached its length limit seems to have ended unexpectedly", async () => {
    const store = createMemoryStore();
    const engine = createScriptedEngine(() => [start(), text("Word. "), finish("token_limit_reached")]);
    const { chat, say, untilLast } = await openStage({ engine, store });

    say("First");
    await untilLast((said) => said.endsWith("[cut off: the answer has reached its length limit]"), "it says so");

    expect(chat.lastFromBot?.buttons).toEqual([["▶ Continue", "🔄 Regenerate"]]);
    expect(await endsOf(store, 1)).toMatchObject([{ reason: "token_limit_reached" }]);
  });
});
