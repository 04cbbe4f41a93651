import { createGate, text } from "fullstop/testing";
import { afterEach, describe, expect, it } from "vitest";
import { LEASE_MILLISECONDS, createReplicaRoom, followEvents, look, openChat, stop } from "../support/replicas.ts";
import type { TwoReplicas } from "../support/replicas.ts";
import type { Reply } from "../support/upstream.ts";

const room = createReplicaRoom(afterEach);

/** Two gateways on one Redis, in front of a provider that answers so. */
async function openTwo(answer: () => Reply, config: object = {}): Promise<TwoReplicas> {
  const [redis, upstream] = await Promise.all([room.redis(), room.upstream(answer)]);
  return room.serveTwo(upstream, redis.url, config);
}

/** Never opened: the provider says nothing more. */
const silence = (): Promise<void> => createGate().pass();

describe("a generation whose replica was killed", () => {
  it("is not said to be stopped by whoever cannot reach it", async () => {
    const { a, b } = await openTwo(() => [text("Half an ans"), silence], { store: { leaseMilliseconds: 60_000 } });
    const stream = await openChat(a.url);
    await stream.has(1);
    await a.kill();
    const stopping = stop(b.url, stream.id);
    expect((await look(b.url, stream.id)).body).toMatchObject({ state: "running", text: "Half an ans" });
    expect(await stopping).toMatchObject({ status: 503, body: { result: "unreachable", text: "Half an ans" } });
  });

  it("is ended by another within the lease, with what there is", async () => {
    const { a, b } = await openTwo(() => [text("Half "), text("an ans"), silence]);
    const stream = await openChat(a.url);
    await stream.has(2);
    // The sentence would be ended by the one who is about to go, and ends with it.
    const stopping = stop(b.url, stream.id, { mode: "finish-sentence" });
    await a.kill();
    expect(await stream.over).toBe("broken");
    const lost = { reason: "error_termination", detail: "owner_lost" };
    await expect
      .poll(async () => (await look(b.url, stream.id)).body, { interval: 50, timeout: 4 * LEASE_MILLISECONDS })
      .toMatchObject({ state: "ended", text: "Half an ans", signal: lost });
    expect((await stopping).body).toMatchObject({ result: "already_finished", signal: lost });
    expect((await stop(b.url, stream.id)).body).toMatchObject({ result: "already_finished", signal: lost });
  });

  it("is read on elsewhere without a gap or a repeat, to exactly one finish", async () => {
    const whole = Array.from({ length: 400 }, (_, index) => `${index} `);
    const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2));
    const { a, b } = await openTwo(() => [...whole.flatMap((each) => [text(each), pause]), silence]);
    const stream = await openChat(a.url);
    await stream.has(50);
    await a.kill();
    expect(await stream.over).toBe("broken");
    expect(stream.pieces).toEqual(whole.slice(0, stream.pieces.length));
    // The only event before the first piece is the start.
    const rest = await followEvents(b.url, stream.id, 1 + stream.pieces.length);
    const pieces = [...stream.pieces, ...rest.flatMap((event) => (event.type === "text" ? [event.text] : []))];
    expect(pieces).toEqual(whole.slice(0, pieces.length));
    expect(rest.filter(({ type }) => type === "finish")).toMatchObject([{ signal: { detail: "owner_lost" } }]);
    expect(rest.at(-1)?.type).toBe("finish");
  });
});

describe("a replica that was only stopped for a while", () => {
  it("ends what others have ended for it, as they have said", async () => {
    const { a, b } = await openTwo(() => [text("Half "), silence]);
    const stream = await openChat(a.url);
    await stream.has(1);
    a.child.kill("SIGSTOP");
    await expect
      .poll(async () => (await look(b.url, stream.id)).body.state, { interval: 50, timeout: 4 * LEASE_MILLISECONDS })
      .toBe("ended");
    a.child.kill("SIGCONT");
    // It learns of it with the next thing that it has to record: here of the stop of its own reader.
    expect((await stop(a.url, stream.id)).body).toMatchObject({
      result: "already_finished",
      signal: { detail: "owner_lost" },
    });
    expect(await stream.over).toBe("ended");
    expect(stream.finishes).toHaveLength(1);
    const events = await followEvents(a.url, stream.id);
    expect(events.filter(({ type }) => type === "finish")).toHaveLength(1);
  });
});
