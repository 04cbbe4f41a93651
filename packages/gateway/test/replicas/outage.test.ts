import type { GenerationEvent } from "fullstop";
import { createGate, text } from "fullstop/testing";
import { afterEach, describe, expect, it } from "vitest";
import { slowAnswer } from "../support/crash.ts";
import { post, readFrames } from "../support/http.ts";
import { as, createReplicaRoom, followEvents, look, openChat, stop, textOf } from "../support/replicas.ts";
import type { OpenStream } from "../support/replicas.ts";

const room = createReplicaRoom(afterEach);

const STREAMS = 200;

/** Never opened: the provider says nothing more. */
const silence = (): Promise<void> => createGate().pass();

async function more(streams: readonly OpenStream[], pieces: number): Promise<void> {
  await Promise.all(streams.map((stream) => stream.has(stream.pieces.length + pieces)));
}

/** What is recorded has to be what was read, with one end. */
function expectRecorded(events: readonly GenerationEvent[], { pieces, finishes }: OpenStream): void {
  expect(textOf(events)).toBe(pieces.join(""));
  expect(events.filter(({ type }) => type === "finish")).toHaveLength(1);
  expect(events.at(-1)?.type).toBe("finish");
  expect(finishes).toHaveLength(1);
}

describe.each([
  { what: "with its data", keepsData: true },
  { what: "without its data", keepsData: false },
])(`Redis, killed under ${STREAMS} streams of two gateways and back $what`, ({ keepsData }) => {
  it("keeps no stream from going on and no stop from working, and has everything in the end", async () => {
    const [redis, upstream] = await Promise.all([
      room.redis({ keepsData }),
      room.upstream(() => slowAnswer(2_000, 150)),
    ]);
    const { a, b } = await room.serveTwo(upstream, redis.url);
    const streams = await Promise.all(
      Array.from({ length: STREAMS }, (_, index) => openChat(index % 2 === 0 ? a.url : b.url)),
    );
    const [ofA, ofB] = [0, 1].map((rest) => streams.filter((_, index) => index % 2 === rest)) as [
      OpenStream[],
      OpenStream[],
    ];
    await more(streams, 3);
    await redis.kill();
    await more(streams, 5);
    // At once, on the replica that generates them.
    const early = [...ofA.slice(0, 10), ...ofB.slice(0, 10)];
    const atOnce = early.map(({ id }, index) => stop(index < 10 ? a.url : b.url, id).then(({ body }) => body.result));
    expect(new Set(await Promise.all(atOnce))).toEqual(new Set(["stopped"]));
    expect(await stop(b.url, ofA[20]!.id)).toMatchObject({ status: 503 });
    await redis.restart();
    // From elsewhere as soon as it is back.
    for (const [url, { id }] of [
      [b.url, ofA[20]!],
      [a.url, ofB[20]!],
    ] as const) {
      await expect.poll(async () => (await stop(url, id)).body.result, { timeout: 20_000 }).toMatch(/stopped|already/u);
      expect((await look(url, id)).body.signal).toMatchObject({ reason: "cancelled", detail: "user" });
    }
    await more(streams, 5);
    const rest = streams.filter(({ finishes }) => finishes.length === 0);
    expect(rest).toHaveLength(STREAMS - 22);
    // The other half from elsewhere, too.
    const stopped = await Promise.all(
      rest.map((stream) => stop(ofA.includes(stream) ? b.url : a.url, stream.id).then(({ body }) => body.result)),
    );
    expect(new Set(stopped)).toEqual(new Set(["stopped"]));
    expect(await Promise.all(streams.map(({ over }) => over))).toEqual(streams.map(() => "ended"));
    const recorded = await Promise.all(streams.map(({ id }) => followEvents(a.url, id)));
    expect(await Promise.all(streams.map(({ id }) => followEvents(b.url, id)))).toEqual(recorded);
    for (const [index, stream] of streams.entries()) expectRecorded(recorded[index]!, stream);
    const left = await fetch(`${a.url}/v1/generations`, { headers: as("olivia") });
    expect(await left.json()).toEqual({ generations: [] });
  });
});

interface Told {
  readonly rows: readonly { readonly id: string }[];
  readonly gone: readonly string[];
  readonly isPartial?: true;
}

describe("a store that is away", () => {
  it("leaves the feed of what runs going, and a stop of all ends what runs here", async () => {
    const [redis, upstream] = await Promise.all([room.redis(), room.upstream(() => [text("Here"), silence])]);
    const { a, b } = await room.serveTwo(upstream, redis.url);
    const [here, there] = await Promise.all([openChat(a.url), openChat(b.url)]);
    await Promise.all([here.has(1), there.has(1)]);
    const told: Told[] = [];
    let stopped: unknown;
    for await (const { data } of readFrames(await fetch(`${a.url}/v1/generations/live`, { headers: as("alice") }))) {
      if (data === "") continue;
      const change = JSON.parse(data) as Told;
      told.push(change);
      const known = new Set(told.flatMap(({ rows }) => rows.map(({ id }) => id)));
      if (known.size === 2 && stopped === undefined) {
        await redis.kill();
        ({ body: stopped } = await post(`${a.url}/v1/generations/stop`, {}, as("alice")));
      }
      if (change.gone.includes(here.id) && change.isPartial === true) break;
    }
    expect(stopped).toEqual({
      owner: "alice",
      generations: [{ id: here.id, result: "stopped" }],
      isPartial: true,
    });
    // What runs elsewhere has not ended, as far as anybody here knows.
    expect(told.flatMap(({ gone }) => gone)).not.toContain(there.id);
    expect(await here.over).toBe("ended");
    a.child.kill("SIGTERM");
    expect(await a.exit).toBe(0);
  });

  it("is said in words to whoever asks for what is elsewhere, while what is here can be seen and stopped", async () => {
    const [redis, upstream] = await Promise.all([room.redis(), room.upstream(() => [text("Here"), silence])]);
    const { a, b } = await room.serveTwo(upstream, redis.url);
    const [here, there] = await Promise.all([openChat(a.url), openChat(b.url)]);
    await Promise.all([here.has(1), there.has(1)]);
    const followed = await fetch(`${a.url}/v1/generations/${there.id}/events`, { headers: as("alice") });
    await redis.kill();
    const message = "The store of generations cannot be reached; try again later";
    const refusal = { status: 503, body: { error: { message } } };
    expect(await look(a.url, there.id)).toMatchObject(refusal);
    expect(await stop(a.url, there.id)).toMatchObject(refusal);
    // Whoever followed it from here is not left waiting, and does not take it for the end.
    await expect(followed.text()).rejects.toThrow("terminated");
    expect(await look(a.url, here.id)).toMatchObject({ status: 200, body: { state: "running", text: "Here" } });
    const list = await fetch(`${a.url}/v1/generations`, { headers: as("alice") });
    expect(await list.json()).toMatchObject({ generations: [{ id: here.id }], isPartial: true });
    expect(await stop(a.url, here.id)).toMatchObject({ status: 200, body: { result: "stopped", text: "Here" } });
    // Its end is not in the store yet, and is known all the same.
    expect(await look(a.url, here.id)).toMatchObject({ body: { state: "ended", signal: { reason: "cancelled" } } });
    const deletion = await fetch(`${a.url}/v1/generations/${here.id}`, { method: "DELETE", headers: as("alice") });
    expect(deletion.status).toBe(503);
    expect(await here.over).toBe("ended");
    a.child.kill("SIGTERM");
    expect(await a.exit).toBe(0);
  });
});
