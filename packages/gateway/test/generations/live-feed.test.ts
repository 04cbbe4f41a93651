import { createGate, finish, reasoning, start, text } from "fullstop/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { get, hashOf, post, readFrames } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";

const gateway = await openScripted({
  keys: [
    { name: "alice", sha256: hashOf("a") },
    { name: "bob", sha256: hashOf("b") },
    { name: "olga", sha256: hashOf("o"), operator: true },
  ],
});
const model = "openai-chat/any-model";
const as = (key: string) => ({ authorization: `Bearer ${key}` });

interface Change {
  readonly rows: readonly {
    readonly id: string;
    readonly owner: string;
    readonly phase: string;
    readonly lastWords: string;
    readonly characters: number;
  }[];
  readonly gone: readonly string[];
  readonly isPartial?: true;
}

/** Follows the feed as somebody. */
async function* feedOf(key: string): AsyncGenerator<Change> {
  const leaving = new AbortController();
  try {
    const response = await fetch(`${gateway.url}/v1/generations/live`, { headers: as(key), signal: leaving.signal });
    for await (const { data } of readFrames(response)) if (data !== "") yield JSON.parse(data) as Change;
  } finally {
    leaving.abort();
  }
}

/** Starts an answer that goes on until the gate is opened, and gives its id. */
async function begin(key: string): Promise<string> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: as(key),
    body: JSON.stringify({
      model,
      stream: true,
      messages: [{ role: "user", content: "?" }],
      fullstop: { onDisconnect: "continue" },
    }),
  });
  await response.body?.cancel();
  return response.headers.get("x-fullstop-generation-id") ?? "";
}

describe("the feed of what runs", () => {
  it("begins with all that runs, and goes on with what changes and what ends", async () => {
    const gate = createGate();
    gateway.script("openai-chat", [
      start(),
      reasoning("hmm"),
      gate.pass,
      text("So it is"),
      createGate().pass,
      finish(),
    ]);
    const id = await begin("a");
    let thinking = false;
    for await (const { rows, gone } of feedOf("a")) {
      const row = rows.find((each) => each.id === id);
      if (row?.phase === "thinking") {
        expect(row).toMatchObject({ owner: "alice", lastWords: "hmm", characters: 3 });
        thinking = true;
        gate.open();
      }
      if (row?.phase === "answering") {
        expect(row).toMatchObject({ lastWords: "hmmSo it is", characters: 11 });
        await post(`${gateway.url}/v1/generations/${id}/stop`, {}, as("a"));
      }
      if (gone.includes(id)) break;
    }
    expect(thinking).toBe(true);
  });

  it("shows whoever asks their own, and operators everybody's", async () => {
    gateway.script("openai-chat", [start(), text("on"), createGate().pass, finish()]);
    const ids = [await begin("a"), await begin("b")];
    const seen = async (key: string): Promise<readonly string[]> => {
      for await (const { rows } of feedOf(key)) return rows.map(({ owner }) => owner).toSorted();
      return [];
    };
    expect(await seen("a")).toEqual(["alice"]);
    expect(await seen("b")).toEqual(["bob"]);
    expect(await seen("o")).toEqual(["alice", "bob"]);
    expect(await get(`${gateway.url}/v1/generations/live`, as("nobody"))).toMatchObject({ status: 401 });
    for (const id of ids) await post(`${gateway.url}/v1/generations/${id}/stop`, {}, as("o"));
  });
});

describe("a store that does not answer", () => {
  /** Has the question what runs wait at a gate until the end of the test. */
  function holdBackStore(): ReturnType<typeof createGate> {
    const gate = createGate();
    const { store } = gateway.house.generations;
    const live = store.live.bind(store);
    const spy = vi.spyOn(store, "live").mockImplementation(async (owner) => {
      await gate.pass();
      return live(owner);
    });
    onTestFinished(() => {
      gate.open();
      spy.mockRestore();
    });
    return gate;
  }

  it("keeps the feed from nothing that runs here, which says that there may be others until it does", async () => {
    gateway.script("openai-chat", [start(), text("on"), createGate().pass, finish()]);
    const id = await begin("a");
    const gate = holdBackStore();
    const told: Change[] = [];
    for await (const change of feedOf("a")) {
      told.push(change);
      if (change.isPartial !== true) break;
      gate.open();
    }
    expect(told[0]).toMatchObject({ rows: [{ id, lastWords: "on" }], isPartial: true });
    expect(told.flatMap(({ gone }) => gone)).toEqual([]);
    await post(`${gateway.url}/v1/generations/${id}/stop`, {}, as("a"));
  });

  it("keeps a stop of all from nothing that runs here", async () => {
    gateway.script("openai-chat", [start(), text("on"), createGate().pass, finish()]);
    const id = await begin("a");
    const gate = holdBackStore();
    const ended = gateway.house.generations.local(id)?.ended;
    const receipt = post(`${gateway.url}/v1/generations/stop`, {}, as("a"));
    expect(await ended).toMatchObject({ reason: "cancelled", detail: "user" });
    gate.open();
    expect(await receipt).toMatchObject({ body: { owner: "alice", generations: [{ id, result: "stopped" }] } });
  });
});

describe("the head of a stream", () => {
  it("is all that a HEAD gets, at once and with an end", async () => {
    gateway.script("openai-chat", [start(), text("on"), createGate().pass, finish()]);
    const id = await begin("a");
    for (const path of ["live", `${id}/events`]) {
      const leaving = gateway.nextDisconnect();
      const headers = { ...as("a"), connection: "close" };
      const response = await fetch(`${gateway.url}/v1/generations/${path}`, { method: "HEAD", headers });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
      await leaving;
    }
    await post(`${gateway.url}/v1/generations/${id}/stop`, {}, as("a"));
  });
});

describe("a stop of all that runs for a key", () => {
  it("ends those of the key and no others", async () => {
    gateway.script("openai-chat", [start(), text("on"), createGate().pass, finish()]);
    const [first, second, other] = [await begin("a"), await begin("a"), await begin("b")];
    const address = `${gateway.url}/v1/generations/stop`;
    expect(await post(address, { owner: "bob" }, as("a"))).toMatchObject({ status: 403 });
    for (const body of [{ owner: 7 }, { ownr: "alice" }, []]) {
      expect(await post(address, body, as("a"))).toMatchObject({ status: 400 });
    }
    const { body } = await post(address, {}, as("a"));
    const { owner, generations } = body as { owner: string; generations: { id: string; result: string }[] };
    expect(owner).toBe("alice");
    expect(generations.map(({ id }) => id).toSorted()).toEqual([first, second].toSorted());
    expect(generations.every(({ result }) => result === "stopped")).toBe(true);
    expect(await post(address, { owner: "bob" }, as("o"))).toMatchObject({
      body: { generations: [{ id: other, result: "stopped" }] },
    });
    expect(await get(`${gateway.url}/v1/generations/${other}`, as("b"))).toMatchObject({
      body: { signal: { reason: "cancelled", detail: "operator" } },
    });
  });
});

describe("text that is held back", () => {
  it("is told to readers who want it, outside of the events", async () => {
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("It is 4</ans"), gate.pass, text("er"), finish()]);
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: as("a"),
      body: JSON.stringify({
        model,
        stream: true,
        messages: [{ role: "user", content: "?" }],
        fullstop: { onDisconnect: "continue", stop: ["</answer>"] },
      }),
    });
    const id = response.headers.get("x-fullstop-generation-id") ?? "";
    await response.body?.cancel();
    const events = await fetch(`${gateway.url}/v1/generations/${id}/events?held=true`, { headers: as("a") });
    let shown = "";
    const held: string[] = [];
    for await (const { id: offset, data } of readFrames(events)) {
      const event = JSON.parse(data) as { type?: string; text?: string };
      if (offset === undefined) {
        held.push(event.text ?? "");
        gate.open();
      } else if (event.type === "text") shown += event.text;
    }
    expect(held[0]).toBe("</ans");
    expect(shown).toBe("It is 4</anser");
  });
});
