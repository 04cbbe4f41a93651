import { access } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createGate, finish, start, text } from "fullstop/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createManualClock } from "../../../fullstop/test/support/manual-clock.ts";
import { inTime } from "../../src/generations/ask-store.ts";
import { messageOf } from "../../src/message-of.ts";
import { get, post, readFrames } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted();
const model = "openai-chat/any-model";
const { store } = gateway.house.generations;

type Question = "find" | "read" | "live" | "ended" | "orders" | "order" | "delete";
const QUESTIONS: readonly Question[] = ["find", "read", "live", "ended", "orders", "order", "delete"];

/** Has the store answer some questions never again, until the end of the test. */
function silence(...questions: readonly Question[]): void {
  const never = (): Promise<never> => new Promise(() => undefined);
  const spies = questions.map((question) => vi.spyOn(store, question).mockImplementation(never));
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
}

/** Starts an answer that goes on until it is stopped, and gives its id. */
async function begin(): Promise<string> {
  gateway.script("openai-chat", [start(), text("on"), createGate().pass, finish()]);
  const messages = [{ role: "user", content: "?" }];
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model, stream: true, messages, fullstop: { onDisconnect: "continue" } }),
  });
  await response.body?.cancel();
  return response.headers.get("x-fullstop-generation-id") ?? "";
}

/** Leaves a record in the store of one that runs on another replica. */
async function recordElsewhere(id: string): Promise<void> {
  // Somebody has to live there, or it would be ended as lost.
  await store.renew("two", 600_000);
  await store.open({ id, owner: "anybody", model, startedAt: Date.now(), holder: "two" });
  await store.append(id, 0, [start(), text("there")]);
}

const AWAY = {
  status: 503,
  body: { error: { message: "The store of generations cannot be reached; try again later" } },
};

describe("a store that never answers", () => {
  it("keeps the list from nothing that runs here, which says that there may be others", async () => {
    const id = await begin();
    silence(...QUESTIONS);
    const { status, body } = await get(`${gateway.url}/v1/generations`);
    expect({ status, body }).toMatchObject({ status: 200, body: { generations: [{ id }], isPartial: true } });
    await post(`${gateway.url}/v1/generations/${id}/stop`, {});
  });

  it("keeps a stop of all from nothing that runs here, which says that there may be others", async () => {
    const id = await begin();
    silence(...QUESTIONS);
    const { status, body } = await post(`${gateway.url}/v1/generations/stop`, {});
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { generations: [{ id, result: "stopped" }], isPartial: true },
    });
  });

  it("is said in words to whoever asks for what only it knows", async () => {
    silence(...QUESTIONS);
    const root = `${gateway.url}/v1/generations`;
    const answers = await Promise.all([
      get(`${root}/unknown`),
      get(`${root}/unknown/events`),
      post(`${root}/unknown/stop`, {}),
      get(`${root}?state=ended`),
      get(`${gateway.url}/v1/responses/unknown`),
    ]);
    for (const answer of answers) expect(answer).toMatchObject(AWAY);
  });

  it("is said in words where it stops answering in between", async () => {
    for (const id of ["seen", "ordered"]) await recordElsewhere(id);
    silence("read", "order");
    const root = `${gateway.url}/v1/generations`;
    const answers = await Promise.all([get(`${root}/seen`), post(`${root}/ordered/stop`, {})]);
    for (const answer of answers) expect(answer).toMatchObject(AWAY);
  });

  it("leaves those as unreachable that it has told of, and cannot have stopped", async () => {
    const id = "told-of";
    await recordElsewhere(id);
    silence("orders");
    const { body } = await post(`${gateway.url}/v1/generations/stop`, {});
    expect(body).toMatchObject({ isPartial: true });
    expect((body as { readonly generations: readonly unknown[] }).generations).toContainEqual({
      id,
      result: "unreachable",
    });
  });
});

describe("the feed of what runs", () => {
  it("asks a store again that has never answered", async () => {
    await recordElsewhere("known-again");
    const live = store.live.bind(store);
    const spy = vi.spyOn(store, "live").mockImplementation((owner) => live(owner));
    spy.mockImplementationOnce(() => new Promise(() => undefined));
    onTestFinished(() => spy.mockRestore());
    const told: { readonly rows: readonly { readonly id: string }[]; readonly isPartial?: true }[] = [];
    for await (const { data } of readFrames(await fetch(`${gateway.url}/v1/generations/live`))) {
      if (data !== "") told.push(JSON.parse(data) as (typeof told)[number]);
      if (told.at(-1)?.isPartial !== true) break;
    }
    expect(told[0]).toMatchObject({ rows: [], isPartial: true });
    expect(told.at(-1)?.rows.map(({ id }) => id)).toContain("known-again");
  });
});

describe("an answer that is waited for", () => {
  it.each([
    ["comes", () => Promise.resolve("here"), "here"],
    ["fails", () => Promise.reject(new Error("away")), "away"],
  ])("leaves no timer behind where it %s", async (_, ask, expected) => {
    const clock = createManualClock();
    const answer = inTime<string>(ask(), 50, clock);
    expect(clock.running()).toEqual([10]);
    expect(await answer.catch(messageOf)).toBe(expected);
    expect(clock.running()).toEqual([]);
  });

  it("is given up when its time is over, whatever becomes of it", async () => {
    const clock = createManualClock();
    const gate = createGate();
    const late = gate.pass().then(() => Promise.reject(new Error("late")));
    const answer = inTime(late, 50, clock).catch(messageOf);
    await clock.fire(10);
    await clock.fire(40);
    expect(await answer).toBe("The store has not answered for 50 ms");
    gate.open();
    expect(await late.catch(messageOf)).toBe("late");
    expect(clock.running()).toEqual([]);
  });

  it("is heard where it had come while this process was too busy to hear it", async () => {
    // Behind the turn of immediates comes that of timers, all of which are over by then, and only then that of files.
    await nextTurn();
    const answer = inTime(access(import.meta.filename), 50);
    const busyUntil = performance.now() + 200;
    while (performance.now() < busyUntil) continue;
    expect(await answer).toBeUndefined();
  });
});
