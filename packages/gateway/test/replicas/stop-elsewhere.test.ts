import { createGate, reasoning, text } from "fullstop/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createReplicaRoom, followEvents, look, openChat, stop } from "../support/replicas.ts";
import type { ReplicaProcess } from "../support/replicas.ts";
import type { Reply } from "../support/upstream.ts";

const room = createReplicaRoom(afterAll);
let a: ReplicaProcess;
let b: ReplicaProcess;
let answer: () => Reply = () => ({ status: 404 });

beforeAll(async () => {
  const [redis, upstream] = await Promise.all([room.redis(), room.upstream(() => answer())]);
  ({ a, b } = await room.serveTwo(upstream, redis.url));
});

/** Never opened: the provider says nothing more. */
const silence = (): Promise<void> => createGate().pass();

describe("a stop that comes to another replica", () => {
  it("ends the generation, with a receipt of what there is and of who has done it", async () => {
    answer = () => [text("So far "), text("so good"), silence];
    const stream = await openChat(a.url);
    await stream.has(2);
    const { status, body } = await stop(b.url, stream.id);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: stream.id,
      result: "stopped",
      text: "So far so good",
      signal: { reason: "cancelled", detail: "user" },
    });
    expect(body.replica).toMatch(/^a-/u);
    expect(body.usage?.outputTokens).toBeGreaterThan(0);
    expect(await stream.over).toBe("ended");
    expect(stream.pieces.join("")).toBe("So far so good");
    expect(stream.finishes).toHaveLength(1);
    for (const { url } of [a, b]) {
      const again = await stop(url, stream.id);
      expect(again.body).toMatchObject({ result: "already_finished", text: "So far so good" });
      expect(again.body.replica).toMatch(/^a-/u);
    }
  });

  it("lets the sentence be finished", async () => {
    const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));
    const sentences = Array.from({ length: 2_000 }, () => [text("It is "), pause, text("raining."), text(" ")]);
    answer = () => sentences.flat();
    const stream = await openChat(a.url);
    await stream.has(1);
    const { body } = await stop(b.url, stream.id, { mode: "finish-sentence" });
    expect(body).toMatchObject({ result: "stopped", signal: { reason: "cancelled", detail: "user" } });
    expect(body.text).toMatch(/raining\.$/u);
    await stream.over;
    expect(stream.pieces.join("")).toBe(body.text);
  });

  it("skips the thinking, and says so where there is none", async () => {
    let asked = 0;
    answer = () => {
      asked += 1;
      return asked === 1 ? [reasoning("Hm, "), silence] : [text("The answer"), silence];
    };
    const stream = await openChat(a.url);
    await expect.poll(async () => (await look(b.url, stream.id)).body.reasoning).toBe("Hm, ");
    expect(await stop(b.url, stream.id, { mode: "skip-thinking" })).toMatchObject({
      status: 200,
      body: { result: "stopped", reasoning: "Hm, " },
    });
    await stream.has(1);
    expect(stream.pieces).toEqual(["The answer"]);
    expect(await stop(b.url, stream.id, { mode: "skip-thinking" })).toMatchObject({
      body: { result: "not_thinking", text: "The answer" },
    });
    expect((await stop(b.url, stream.id)).body.result).toBe("stopped");
    const events = await followEvents(b.url, stream.id);
    expect(events.filter((event) => event.type === "reasoning" && event.skipped === true)).toHaveLength(1);
  });

  it("is for the owner and for operators only", async () => {
    answer = () => [text("Mine"), silence];
    const stream = await openChat(a.url);
    await stream.has(1);
    expect(await stop(b.url, stream.id, {}, "bob")).toMatchObject({ status: 404, body: { result: "not_found" } });
    expect((await look(b.url, stream.id, "bob")).status).toBe(404);
    expect((await look(b.url, stream.id)).body).toMatchObject({ state: "running", text: "Mine" });
    expect((await stop(b.url, stream.id, {}, "olivia")).body).toMatchObject({
      result: "stopped",
      signal: { detail: "operator" },
    });
  });
});
