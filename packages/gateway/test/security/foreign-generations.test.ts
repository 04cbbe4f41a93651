import { randomUUID } from "node:crypto";
import { createGate, finish, reasoning, start, text } from "fullstop/testing";
import { afterAll, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/config.ts";
import { openRedisStore } from "../../src/stores/redis-store.ts";
import { hashOf, openGatewayForFile, post } from "../support/gateway.ts";
import type { Gateway } from "../support/gateway.ts";
import { startRedis } from "../support/redis-server.ts";
import { openUpstream } from "../support/upstream.ts";
import { ROUTES, describedRoutes, routesOf, waysOf } from "./routes.ts";
import type { RouteRequest } from "./routes.ts";

const SECRET = "the-fox-sleeps";
const as = (key: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${key}` });

const hold = createGate();
const upstream = await openUpstream("openai-chat", ({ messages }) =>
  JSON.stringify(messages).includes("wait")
    ? [start(), reasoning(SECRET), hold.pass, text(SECRET), finish()]
    : [start(), reasoning("Hm"), text(SECRET), text("!"), finish()],
);
afterAll(async () => {
  hold.open();
  await upstream.close();
});
const config = {
  providers: { up: { baseUrl: upstream.baseUrl } },
  keys: [
    { name: "alice", sha256: hashOf("alice-key") },
    { name: "bob", sha256: hashOf("bob-key") },
    { name: "olga", sha256: hashOf("olga-key"), operator: true },
  ],
};
const redis = await startRedis();
afterAll(() => redis.stop());
const memory = await openGatewayForFile(config);
const first = await openGatewayForFile(config, { FULLSTOP_STORE: redis.url });
const second = await openGatewayForFile(config, { FULLSTOP_STORE: redis.url });

/** Where alice's generations run, and where bob asks for them. */
const PLACES: readonly (readonly [string, Gateway, Gateway])[] = [
  ["on the same server", memory, memory],
  ["on the same server, in Redis", first, first],
  ["on another replica", first, second],
];

it("knows every address of the gateway", () => {
  expect(describedRoutes().toSorted()).toEqual(Object.keys(ROUTES).toSorted());
});

interface Answer {
  readonly status: number;
  readonly headers: object;
  readonly body: string;
}

/** Asks for an id, and gives the answer as it would be for any id. */
async function ask({ url }: Gateway, request: RouteRequest, id: string, more: object = {}): Promise<Answer> {
  const response = await fetch(url + request.path.replace("{id}", id), {
    method: request.method,
    headers: { ...as("bob-key"), ...more },
    // What is not refused may be a stream without an end.
    signal: AbortSignal.timeout(20_000),
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
  });
  const { date: _, ...headers } = Object.fromEntries(response.headers);
  return { status: response.status, headers, body: (await response.text()).replaceAll(id, "{id}") };
}

/** An id that is made as another one is, and stands for nothing. */
const madeLike = (id: string): string => id.replace(/[0-9a-f]{32}$/u, randomUUID().replaceAll("-", ""));

/** Generations of alice: one that runs and one that has ended, of each kind of id that she can have asked for. */
async function generate({ url }: Gateway): Promise<readonly string[]> {
  const question = (what: string) => ({ model: "up/m", fullstop: { onDisconnect: "continue" }, input: what });
  const chat = { ...question("wait"), input: undefined, stream: true, messages: [{ role: "user", content: "wait" }] };
  const running = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: as("alice-key"),
    body: JSON.stringify(chat),
  });
  await running.body?.cancel();
  const background = await post(`${url}/v1/responses`, { ...question("wait"), background: true }, as("alice-key"));
  const ended = await post(`${url}/v1/responses`, question("now"), as("alice-key"));
  const ids = [running.headers.get("x-fullstop-generation-id"), ...[background, ended].map(({ body }) => idIn(body))];
  return ids.map(String);
}

const idIn = (body: unknown): unknown => (body as { id: unknown }).id;

/** What alice sees of hers. */
async function lookAt({ url }: Gateway, ids: readonly string[]): Promise<unknown> {
  const looks = ids.map(async (id) =>
    (await fetch(`${url}/v1/generations/${id}`, { headers: as("alice-key") })).text(),
  );
  return Promise.all(looks);
}

describe.each(PLACES)("somebody else's generation %s", async (_, theirs, asked) => {
  const ids = await generate(theirs);
  const before = await lookAt(theirs, ids);

  describe.each(routesOf("one"))("at $method $path", (route) => {
    it.each(waysOf(route))("is as one that is not there: $path $body", async (request) => {
      for (const id of ids) {
        const real = await ask(asked, request, id);
        const made = await ask(asked, request, madeLike(id));
        expect(real).toEqual(made);
        expect(real.status).toBeGreaterThanOrEqual(400);
      }
    });
  });

  it.each(["0", "1", "9", "-1", "x"])(
    "is not there for somebody who claims to have read %s events of it",
    async (last) => {
      const route = { method: "GET", path: "/v1/generations/{id}/events" };
      for (const id of ids) {
        const more = { "last-event-id": last };
        expect(await ask(asked, route, id, more)).toEqual(await ask(asked, route, madeLike(id), more));
      }
    },
  );

  it.each(["previous_response_id", "conversation"])("cannot be gone on with, by %s", async (field) => {
    const send = (id: string) =>
      post(`${asked.url}/v1/responses`, { model: "up/m", input: "?", [field]: id }, as("bob-key"));
    for (const id of ids) {
      const [real, made] = await Promise.all([send(id), send(madeLike(id))]);
      expect({ status: real.status, body: JSON.stringify(real.body).replaceAll(id, "") }).toEqual({
        status: 400,
        body: JSON.stringify(made.body).replaceAll(/(?:resp_|chatcmpl-)[0-9a-f]{32}/gu, ""),
      });
    }
  });

  it.each(["", "?state=ended", "?state=ended&limit=1"])("is in no list: %s", async (query) => {
    const response = await fetch(`${asked.url}/v1/generations${query}`, { headers: as("bob-key") });
    const body = await response.text();
    for (const word of [...ids, SECRET, "alice"]) expect(body).not.toContain(word);
  });

  it("does not say whether it is there when it stands for a page of the history", async () => {
    await post(`${asked.url}/v1/responses`, { model: "up/m", input: "now" }, as("bob-key"));
    const pageAfter = async (id: string): Promise<string> => {
      const address = `${asked.url}/v1/generations?state=ended&before=${id}`;
      return (await fetch(address, { headers: as("bob-key") })).text();
    };
    for (const id of ids) expect(await pageAfter(id)).toBe(await pageAfter(madeLike(id)));
  });

  it("is not in the feed of what runs", async () => {
    const left = new AbortController();
    const headers = as("bob-key");
    const response = await fetch(`${asked.url}/v1/generations/live`, { headers, signal: left.signal });
    const { value } = (await response.body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(value)).toBe('data: {"rows":[],"gone":[]}\n\n');
    left.abort();
  });

  it("is not stopped with all of one's own, nor by the name of whoever has it", async () => {
    const all = await post(`${asked.url}/v1/generations/stop`, {}, as("bob-key"));
    expect(all.body).toEqual({ owner: "bob", generations: [] });
    const named = await post(`${asked.url}/v1/generations/stop`, { owner: "alice" }, as("bob-key"));
    const nobody = await post(`${asked.url}/v1/generations/stop`, { owner: "zelda" }, as("bob-key"));
    expect([named.status, nobody.status]).toEqual([403, 403]);
    expect(JSON.stringify(named.body).replaceAll("alice", "zelda")).toBe(JSON.stringify(nobody.body));
  });

  it("is after all of that as it was", async () => {
    expect(await lookAt(theirs, ids)).toEqual(before);
    expect(JSON.stringify(before)).toContain(SECRET);
  });

  it("is there for operators", async () => {
    for (const id of ids) {
      const response = await fetch(`${asked.url}/v1/generations/${id}`, { headers: as("olga-key") });
      expect(response.status).toBe(200);
      await response.body?.cancel();
    }
  });
});

describe("what a bot has recorded in the same store", () => {
  it("is no key's", async () => {
    const store = await openRedisStore({ url: redis.url });
    await store.open({ id: "answer-1", owner: "telegram:7:1:1", model: "up/m", startedAt: 1, holder: "bot" });
    for (const request of routesOf("one").flatMap(waysOf)) {
      expect(await ask(second, request, "answer-1")).toEqual(await ask(second, request, "answer-2"));
    }
    expect(await store.find("answer-1")).toMatchObject({ owner: "telegram:7:1:1", signal: undefined });
    await store.close();
  });

  it("cannot be had by a key of the same name", () => {
    const keys = [{ name: "telegram:7:1:1", sha256: hashOf("key") }];
    expect(() => parseConfig({ keys })).toThrow("must be made of letters, digits, dots, dashes and underscores");
  });
});

describe("without a key", () => {
  it.each(routesOf("ask", "models", "list", "one", "operators"))("nobody is let in at $method $path", async (route) => {
    for (const more of [{}, as("wrong-key")]) {
      const { status } = await fetch(memory.url + route.path.replace("{id}", "resp_1").replace("{model}", "pip"), {
        method: route.method,
        headers: more,
        ...(route.method === "POST" && { body: "{" }),
      });
      expect(status).toBe(401);
    }
  });
});
