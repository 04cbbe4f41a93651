import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { openRedisStore } from "../../src/stores/redis-store.ts";
import type { RedisStoreOptions } from "../../src/stores/redis-store.ts";
import { createRedisRoom } from "../support/redis-room.ts";

const { start, open } = createRedisRoom();

async function refusalOf(options: RedisStoreOptions): Promise<string> {
  return openRedisStore(options).then(
    () => "not refused",
    (error: unknown) => `${String(error)} ${JSON.stringify(error)}`,
  );
}

describe("where a Redis store is, and what it is told", () => {
  it.each([
    { url: "localhost:6379", shown: "localhost:6379" },
    { url: "http://localhost", shown: "http://localhost" },
    { url: "redis://me:hunter2@local host", shown: "redis://…" },
    { url: "redis:me:hunter2@local host", shown: "…@local host" },
    { url: "redis://me:hunter2@host:port", shown: "redis://…" },
    { url: "redis://me:hunt@er2hunter2@host:port", shown: "redis://…" },
    { url: "redis://:hunter2", shown: "redis://…" },
    { url: "unix://me:hunter2@nowhere", shown: "unix://…@nowhere" },
    { url: "redis://me:hunter2@host/nine?secret=hunter2", shown: "redis://…@host/nine" },
  ])("is refused if it is no address, without telling the password: $url", async ({ url, shown }) => {
    const refusal = await refusalOf({ url });
    expect(refusal).toContain(`got "${shown}"`);
    expect(refusal).not.toContain("hunter2");
  });

  it.each(["unix:///run/redis.sock", "redis://:hunter2@localhost/1"])("of a cluster is not %s", async (url) => {
    const refusal = await refusalOf({ url, cluster: true });
    expect(refusal).toContain("A cluster is reached by redis:// or rediss:// with a host and without a database");
    expect(refusal).not.toContain("hunter2");
  });

  it("has a prefix without braces, which are for Redis to tell where a key lives", async () => {
    expect(await refusalOf({ url: "redis://localhost", prefix: "{app}:" })).toContain(
      'must not have braces, got "{app}:"',
    );
  });

  it.each(["timeoutMilliseconds", "expiryMilliseconds"])("has %s that can be counted", async (name) => {
    expect(await refusalOf({ url: "redis://localhost", [name]: 0.5 })).toContain(
      `${name} of a Redis store must be a whole number above 0, got 0.5`,
    );
  });

  it("lets in whoever has the password, and does not tell the one that others have tried", async () => {
    const redis = await start();
    await redis.command("CONFIG", "SET", "requirepass", "swordfish");
    const right = await open({ url: redis.url.replace("unix://", "unix://:swordfish@") });
    expect(await right.live()).toEqual([]);
    const errors: string[] = [];
    const wrong = await open({
      url: redis.url.replace("unix://", "unix://:hunter2@"),
      onError: ({ message, stack = "" }) => errors.push(message, stack),
    });
    await expect(wrong.live()).rejects.toThrow(/unix:\/\/…@\/.* cannot be reached: WRONGPASS/u);
    expect(errors.join("\n")).not.toContain("hunter2");
  });

  it("stays secret if a server is so old that it quotes what it does not understand", async () => {
    const sockets = new Set<Socket>();
    const old = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("data", (data) => {
        const words = data
          .toString()
          .split("\r\n")
          .filter((word) => /^\w/u.test(word));
        socket.write(`-ERR unknown command \`HELLO\`, with args beginning with: ${words.slice(1).join(", ")}\r\n`);
      });
    }).listen(0, "127.0.0.1");
    await once(old, "listening");
    const { port } = old.address() as AddressInfo;
    const errors: string[] = [];
    const store = await open({
      url: `redis://:hunter%402@127.0.0.1:${port}`,
      onError: ({ message, stack = "" }) => errors.push(message, stack),
    });
    await expect(store.live()).rejects.toThrow("cannot be reached: ERR unknown command");
    await expect(store.live()).rejects.not.toThrow(/hunter(?:@|%40)2/u);
    expect(errors.join("\n")).not.toMatch(/hunter(?:@|%40)2/u);
    for (const socket of sockets) socket.destroy();
    old.close();
  });
});
