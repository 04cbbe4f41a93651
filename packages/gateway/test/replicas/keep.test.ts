import { readFileSync } from "node:fs";
import { call, finish, reasoning, text, usage } from "fullstop/testing";
import { afterEach, describe, expect, it } from "vitest";
import type { RedisServer } from "../support/redis-server.ts";
import { as, createReplicaRoom, followEvents, look, openChat } from "../support/replicas.ts";
import type { ReplicaProcess } from "../support/replicas.ts";

const room = createReplicaRoom(afterEach);

/** Runs an answer to its end, and gives its id. */
async function run({ url }: ReplicaProcess, more: object = {}): Promise<string> {
  const stream = await openChat(url, more);
  await stream.over;
  return stream.id;
}

/** Which of some generations a server knows. */
async function known({ url }: ReplicaProcess, ids: readonly string[]): Promise<readonly boolean[]> {
  return Promise.all(ids.map(async (id) => (await look(url, id)).status === 200));
}

async function end({ child, exit }: ReplicaProcess): Promise<void> {
  child.kill("SIGTERM");
  await exit;
}

/** All that Redis has, whatever it is. */
async function dump(redis: RedisServer): Promise<string> {
  const kinds: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
    string: (key) => redis.command("GET", key),
    hash: (key) => redis.command("HGETALL", key),
    list: (key) => redis.command("LRANGE", key, "0", "-1"),
    set: (key) => redis.command("SMEMBERS", key),
    stream: (key) => redis.command("XRANGE", key, "-", "+"),
  };
  const keys = await redis.command<string[]>("KEYS", "*");
  const values: unknown[] = [];
  for (const key of keys) values.push(key, await kinds[await redis.command<string>("TYPE", key)]!(key));
  return JSON.stringify(values);
}

describe.each(["sqlite", "redis"] as const)("what is kept in %s", (kind) => {
  async function place(): Promise<{ readonly store: string; readonly redis: RedisServer | undefined }> {
    if (kind === "sqlite") return { store: room.file("generations.db"), redis: undefined };
    const redis = await room.redis();
    return { store: redis.url, redis };
  }

  it("is as much as retention says, by count, by bytes and by age", async () => {
    const upstream = await room.upstream(() => [text("x".repeat(2_000)), finish()]);
    const { store } = await place();
    const first = await room.serve("first", upstream, store);
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.push(await run(first));
    expect(await known(first, ids)).toEqual(ids.map(() => true));
    await end(first);
    for (const [retention, kept] of [
      [{ maxCount: 4 }, [false, true, true, true, true]],
      [{ maxBytes: 5_000 }, [false, false, false, true, true]],
      [{ maxAgeMilliseconds: 0 }, [false, false, false, false, false]],
    ] as const) {
      // It is looked after when a server starts, and then from time to time.
      const server = await room.serve("next", upstream, store, { store: { retention } });
      await expect.poll(() => known(server, ids)).toEqual(kept);
      await end(server);
    }
  });

  it("is deleted on request, by whom it belongs to", async () => {
    const upstream = await room.upstream(() => [text("Gone"), finish()]);
    const { store } = await place();
    const server = await room.serve("one", upstream, store);
    const ids = [await run(server), await run(server)];
    const remove = (path: string, who: "alice" | "bob") =>
      fetch(server.url + path, { method: "DELETE", headers: as(who) });
    expect((await remove(`/v1/generations/${ids[0]}`, "bob")).status).toBe(404);
    expect((await remove(`/v1/responses/${ids[1]}`, "bob")).status).toBe(404);
    expect(await known(server, ids)).toEqual([true, true]);
    expect(await (await remove(`/v1/generations/${ids[0]}`, "alice")).json()).toEqual({ id: ids[0], deleted: true });
    expect(await (await remove(`/v1/responses/${ids[1]}`, "alice")).json()).toEqual({
      id: ids[1],
      object: "response",
      deleted: true,
    });
    expect(await known(server, ids)).toEqual([false, false]);
    expect((await remove(`/v1/generations/${ids[0]}`, "alice")).status).toBe(404);
  });

  it("has no word of what was written where content is off, but how much and how it ended", async () => {
    const answers = [
      [reasoning("Marzipan "), text("Marzipan"), ...call("c1", "look_up", { what: "Marzipan" }), usage(7, 5), finish()],
      [text("One marzipan two"), finish()],
      [...Array.from({ length: 200 }, () => text("One piece of marzipan\n")), finish()],
    ];
    let asked = 0;
    const upstream = await room.upstream(() => answers[asked++ % answers.length]!);
    const { store, redis } = await place();
    const server = await room.serve("one", upstream, store, { store: { content: false } });
    const ids = [
      await run(server, { messages: [{ role: "user", content: "marzipan" }], metadata: { about: "marzipan" } }),
      await run(server, { fullstop: { stop: ["marzipan"] } }),
      await run(server, { fullstop: { repetition: true } }),
    ];
    const reasons = await Promise.all(ids.map(async (id) => (await look(server.url, id)).body.signal.reason));
    expect(reasons).toEqual(["tool_calls", "stop_sequence", "repetition_detected"]);
    const events = await followEvents(server.url, ids[0]!);
    expect(events).toContainEqual(expect.objectContaining({ value: { type: "text", characters: 8 } }));
    expect((await look(server.url, ids[0]!)).body.usage).toMatchObject({ outputTokens: 5 });
    const bytes =
      redis === undefined
        ? ["", "-wal"].map((suffix) => readFileSync(store + suffix, "latin1")).join("")
        : await dump(redis);
    expect(bytes).toContain(ids[0]);
    expect(bytes).toContain("characters");
    expect(bytes).not.toMatch(/marzipan/iu);
  });
});
