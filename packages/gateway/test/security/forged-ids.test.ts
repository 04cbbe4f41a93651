import { createGate, finish, start, text } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { hashOf, openGatewayForFile, post } from "../support/gateway.ts";
import { createLogLines } from "../support/log-lines.ts";
import { createRedisRoom } from "../support/redis-room.ts";
import { openScripted } from "../support/scripted.ts";
import { requestOf, sendRaw, statusesOf } from "./raw-http.ts";
import { routesOf, waysOf } from "./routes.ts";

const log = createLogLines();
const keys = [{ name: "alice", sha256: hashOf("alice-key"), operator: true }];
const memory = await openScripted({ keys }, {}, log);
const room = createRedisRoom();
const KEY = "Authorization: Bearer alice-key";

/** Ids as nobody has made them, as they stand in an address. */
const FORGED = [
  "..%2f..%2fmetrics",
  "%2e%2e%2fmetrics",
  "..%5c..%5cetc%5cpasswd",
  "%2Fetc%2Fpasswd",
  "%00",
  "resp_%00",
  "a%0d%0aSet-Cookie:%20x=1",
  "%E2%80%AE",
  "%F0%9F%98%80",
  "%EF%BB%BF",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "null",
  "undefined",
  "0",
  "-1",
  "*",
  "%7B%7D",
  "%5B%5D",
  "{other}",
  "generations:ended",
  "'%20OR%20'1'='1",
  "%22;DROP%20TABLE%20generation;--",
  "${7*7}",
  "%252e%252e",
  "\u00e9",
];

describe.each(FORGED)("the id %s", (id) => {
  it("stands for nothing at any address", async () => {
    for (const { method, path, body } of routesOf("one").flatMap(waysOf)) {
      const line = `${method} ${path.replace("{id}", id)}`;
      const json = body === undefined ? "" : JSON.stringify(body);
      const [status, ...others] = statusesOf(await sendRaw(memory, requestOf(line, [KEY], json)));
      expect([400, 404]).toContain(status);
      expect(others).toEqual([]);
    }
  });
});

describe("an id", () => {
  it.each([
    ["%ff", 400],
    ["%", 400],
    ["%zz", 400],
    ["x".repeat(101), 414],
    ["%41".repeat(101), 414],
  ])("that cannot be one is refused: %.20s", async (id, expected) => {
    for (const { method, path } of routesOf("one")) {
      const answer = await sendRaw(memory, requestOf(`${method} ${path.replace("{id}", id)}`, [KEY]));
      expect(statusesOf(answer)).toEqual([expected]);
    }
  });

  it.each(["/../", "/./", "//", "/x/../"])("is not left by a path in it: %s", async (step) => {
    const answer = await sendRaw(memory, requestOf(`GET /v1/generations${step}../metrics`, [KEY]));
    expect(statusesOf(answer)).toEqual([404]);
  });

  it("of any kind is looked for in Redis under its own name only", async () => {
    const redis = await room.start();
    const gateway = await openGatewayForFile({ keys }, { FULLSTOP_STORE: redis.url });
    const before = await redis.command("KEYS", "*");
    for (const id of FORGED) {
      for (const { method, path } of routesOf("one")) {
        const answer = await sendRaw(gateway, requestOf(`${method} ${path.replace("{id}", id)}`, [KEY]));
        expect([400, 404]).toContain(statusesOf(answer)[0]);
      }
    }
    const added = (await redis.command<string[]>("KEYS", "*")).filter((key) => !String(before).includes(key));
    expect(added.filter((key) => !/lease|holders/u.test(key))).toEqual([]);
    await gateway.close();
  });
});

describe("an id that is nearly one", async () => {
  memory.script("openai-chat", [start(), text("Hello"), finish()]);
  const question = { model: "openai-chat/m", input: "?" };
  const { body } = await post(`${memory.url}/v1/responses`, question, { authorization: "Bearer alice-key" });
  const { id } = body as { id: string };

  it.each([
    `${id};id=2`,
    `${id}%3Fowner=alice`,
    `${id}%23x`,
    `${id}%20`,
    `%20${id}`,
    `${id}%00`,
    `${id}%0a`,
    `${id}%2F..`,
    `x%2F..%2F${id}`,
    id.toUpperCase(),
    id.slice(0, -1),
    `${id}0`,
    id.slice("resp_".length),
    id.replace("resp_", "chatcmpl-"),
    id.replace("_", "%255F"),
  ])("stands for nothing at any address: %s", async (near) => {
    for (const { method, path, body: order } of routesOf("one").flatMap(waysOf)) {
      const line = `${method} ${path.replace("{id}", near)}`;
      const json = order === undefined ? "" : JSON.stringify(order);
      const [status, ...others] = statusesOf(await sendRaw(memory, requestOf(line, [KEY], json)));
      expect([400, 404]).toContain(status);
      expect(others).toEqual([]);
    }
    expect(statusesOf(await sendRaw(memory, requestOf(`GET /v1/generations/${id}`, [KEY])))).toEqual([200]);
  });
});

describe("where a reader was", async () => {
  const hold = createGate();
  memory.script("openai-chat", [start(), text("Hello"), hold.pass, finish()]);
  const question = { model: "openai-chat/m", input: "?", background: true };
  const { body } = await post(`${memory.url}/v1/responses`, question, { authorization: "Bearer alice-key" });
  const { id } = body as { id: string };
  const eventsFrom = (query: string, header?: string): Promise<string> => {
    const headers = header === undefined ? [KEY] : [KEY, `Last-Event-ID: ${header}`];
    return sendRaw(memory, requestOf(`GET /v1/generations/${id}/events${query}`, headers));
  };

  const FORGED_PLACES = ["-1", "1e999", "NaN", "9007199254740993", "1,2", "%00", "1%0d%0ax", "1&from=2", "Infinity"];

  it.each(FORGED_PLACES)("cannot be %s", async (from) => {
    expect(statusesOf(await eventsFrom(`?from=${from}`))).toEqual([400]);
    const after = `GET /v1/responses/${id}?stream=true&starting_after=${from.replace("from", "starting_after")}`;
    expect(statusesOf(await sendRaw(memory, requestOf(after, [KEY])))).toEqual([400]);
  });

  it.each(["-1", "1e999", "NaN", "9007199254740993", "1, 2", "x", "{}"])("cannot be %s by a header", async (last) => {
    expect(statusesOf(await eventsFrom("", last))).toEqual([400]);
  });

  it("may be further than anything has come, where nothing is to be had", async () => {
    const far = eventsFrom("?from=9007199254740991");
    hold.open();
    expect(await far).not.toContain("Hello");
    expect(statusesOf(await eventsFrom("?from=9007199254740991"))).toEqual([204]);
    expect(await eventsFrom("?from=0")).toContain("Hello");
  });

  it("is nothing that anybody logs, nor is an id", () => {
    expect(log.text()).not.toMatch(/passwd|Set-Cookie|DROP|owner=alice|Infinity/u);
  });
});
