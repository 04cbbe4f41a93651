import { getEventListeners } from "node:events";
import { createGate, finish, start, text } from "fullstop/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { EventLog } from "../../src/generations/event-log.ts";
import { close, write } from "../support/event-log.ts";
import { whenWriting } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";

const READERS = 20;

describe("a reader of a log who goes", () => {
  it("is done at once, whether or not more is to come, and leaves no listener behind", async () => {
    const log = new EventLog();
    write(log, text("0"));
    const leaving = new AbortController();
    const reader = log.follow(0, leaving.signal);
    expect(await reader.next()).toEqual({ done: false, value: [text("0")] });
    const next = reader.next();
    expect(getEventListeners(leaving.signal, "abort")).toHaveLength(1);
    leaving.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(getEventListeners(leaving.signal, "abort")).toEqual([]);
  });

  it("gets nothing where it had gone before", async () => {
    const log = new EventLog();
    write(log, text("0"));
    expect(await log.follow(0, AbortSignal.abort()).next()).toEqual({ done: true, value: undefined });
  });

  it("is not listened to while it reads on, nor after the end", async () => {
    const log = new EventLog();
    const { signal } = new AbortController();
    const reader = log.follow(0, signal);
    for (const event of [text("0"), text("1")]) {
      const next = reader.next();
      write(log, event);
      expect(await next).toEqual({ done: false, value: [event] });
      expect(getEventListeners(signal, "abort")).toEqual([]);
    }
    const next = reader.next();
    close(log);
    await next;
    expect((await reader.next()).done).toBe(true);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("a generation that is silent", async () => {
  const gateway = await openScripted();

  /** Counts who follows a log, and tells when nobody does any more. */
  function watchFollowers(log: EventLog) {
    const follow = log.follow.bind(log);
    const over: Promise<void>[] = [];
    let waiting = 0;
    const spy = vi.spyOn(log, "follow").mockImplementation(async function* (from, signal) {
      const gate = createGate();
      over.push(gate.pass());
      waiting += 1;
      try {
        yield* follow(from, signal);
      } finally {
        waiting -= 1;
        gate.open();
      }
    });
    onTestFinished(() => spy.mockRestore());
    return { all: () => Promise.all(over), count: () => over.length, waiting: () => waiting };
  }

  it.each(["/v1/generations/", "/v1/responses/"])("is waited for by nobody who has gone from %s", async (path) => {
    const gate = createGate();
    onTestFinished(() => gate.open());
    gateway.script("openai-chat", [start(), text("word "), gate.pass, finish()]);
    const started = fetch(`${gateway.url}/v1/responses`, {
      method: "POST",
      body: JSON.stringify({ model: "openai-chat/any-model", input: "Hi", background: true }),
    });
    const generation = await whenWriting(gateway);
    await started;
    const followers = watchFollowers(generation.log);
    const address = `${gateway.url}${path}${generation.id}${path === "/v1/responses/" ? "?stream=true" : "/events"}`;
    const readers = Array.from({ length: READERS }, async () => {
      const leaving = new AbortController();
      const response = await fetch(address, { signal: leaving.signal });
      await response.body?.getReader().read();
      leaving.abort();
    });
    await Promise.all(readers);
    expect(followers.count()).toBe(READERS);
    // Nothing is written meanwhile: it is their going that has woken them.
    await followers.all();
    expect(followers.waiting()).toBe(0);
    gate.open();
    await generation.ended;
  });
});
