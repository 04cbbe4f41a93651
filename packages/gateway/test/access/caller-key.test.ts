import { finish, start, text, usage } from "fullstop/testing";
import { afterEach, describe, expect, it } from "vitest";
import { CLIENTS } from "../support/clients.ts";
import { DIALECTS } from "../support/dialects.ts";
import type { Dialect } from "../support/dialects.ts";
import { errorOf } from "../support/errors.ts";
import { get, hashOf, post } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";
import { bodyOf, pathOf } from "../support/small-requests.ts";

const DOOR_KEY = "open-sesame-alice";
const OWN_KEY = "my-own-paid-for-key";
const HEADER = "x-fullstop-provider-key";
const ANSWER = [start(), text("Hello"), usage(9, 4), finish()];

const config = {
  models: { mine: { provider: "openai-chat", model: "some-model" } },
  aliases: { ours: "mine" },
  fallbacks: { mine: ["openai-chat/other-model"] },
};
const BY_CALLER = { apiKeyEnv: undefined, callerKey: true };
const open = await openScripted(config, BY_CALLER);
const keyed = await openScripted(
  { ...config, keys: [{ name: "alice", sha256: hashOf(DOOR_KEY), limits: { costPerDay: 1 } }] },
  BY_CALLER,
);
const reset = () => {
  for (const gateway of [open, keyed]) for (const dialect of DIALECTS) gateway.script(dialect, ANSWER);
};
reset();
afterEach(reset);

/** Where each dialect's clients put a key. */
const PLACES: Readonly<Record<Dialect, (key: string) => Readonly<Record<string, string>>>> = {
  "openai-chat": (key) => ({ authorization: `Bearer ${key}` }),
  "openai-responses": (key) => ({ authorization: `Bearer ${key}` }),
  "anthropic-messages": (key) => ({ "x-api-key": key }),
  gemini: (key) => ({ "x-goog-api-key": key }),
};

const received = (gateway: typeof open, dialect: Dialect) => gateway.upstreams[dialect].requests.at(-1)?.headers;

describe.each(DIALECTS)("a caller's own key, for a provider of %s", (dialect) => {
  const model = `${dialect}/some-model`;
  const url = (gateway: typeof open, end = "") => `${gateway.url}${pathOf(dialect, model)}${end}`;

  it("goes to it as its own, by the header", async () => {
    const headers = { ...PLACES[dialect](DOOR_KEY), [HEADER]: OWN_KEY };
    expect((await post(url(keyed), bodyOf(dialect, model), headers)).status).toBe(200);
    expect(received(keyed, dialect)).toMatchObject(PLACES[dialect](OWN_KEY));
    expect(JSON.stringify(received(keyed, dialect))).not.toContain(DOOR_KEY);
    expect(JSON.stringify(received(keyed, dialect))).not.toContain(HEADER);
  });

  it("is where its client puts it, if the gateway has none of its own", async () => {
    const told = await CLIENTS[dialect](open.url, OWN_KEY)({ model, stream: true });
    expect(told.text).toBe("Hello");
    expect(received(open, dialect)).toMatchObject(PLACES[dialect](OWN_KEY));
  });

  it("in the header counts more than the one of its client", async () => {
    const headers = { ...PLACES[dialect]("not-this-one"), [HEADER]: OWN_KEY };
    expect((await post(url(open), bodyOf(dialect, model), headers)).status).toBe(200);
    expect(received(open, dialect)).toMatchObject(PLACES[dialect](OWN_KEY));
  });

  it("is never the key of the gateway", async () => {
    const before = keyed.upstreams[dialect].requests.length;
    const error = await errorOf(CLIENTS[dialect](keyed.url, DOOR_KEY)({ model, stream: true }));
    expect(error).toMatchObject({ isOfficial: true, status: 401 });
    expect(error.message).toContain(`send it in the header ${HEADER}`);
    expect(error.message).not.toContain("your client");
    expect(keyed.upstreams[dialect].requests).toHaveLength(before);
    expect(keyed.house.generations.live()).toEqual([]);
  });

  it("is asked for where there is none", async () => {
    const { status, body } = await post(url(open), bodyOf(dialect, model));
    expect(status).toBe(401);
    expect(JSON.stringify(body)).toContain(`send it in the header ${HEADER}, or where your client puts its key`);
    // It is not the gateway that is closed.
    expect(JSON.stringify(body)).toContain('"invalid_provider_key"');
  });

  it("is refused where it can be none, without being repeated", async () => {
    const { status, body } = await post(url(open), bodyOf(dialect, model), { [HEADER]: `${OWN_KEY} twice` });
    expect(status).toBe(401);
    expect(JSON.stringify(body)).toMatch(new RegExp(`key of ${dialect} cannot be used: .*got \\d+ characters`, "u"));
    expect(JSON.stringify(body)).not.toContain(OWN_KEY);
  });

  it("is in no answer and no event, whatever the provider says", async () => {
    open.script(dialect, {
      status: 401,
      headers: { "x-seen": OWN_KEY },
      body: { error: { message: `Incorrect API key provided: ${OWN_KEY}`, type: OWN_KEY, code: OWN_KEY } },
    });
    for (const stream of [true, false]) {
      const end = dialect === "gemini" && stream ? url(open).replace(":generate", ":streamGenerate") : url(open);
      const body = JSON.stringify({ ...bodyOf(dialect, model), ...(dialect !== "gemini" && { stream }) });
      const response = await fetch(end, { method: "POST", headers: { [HEADER]: OWN_KEY }, body });
      expect(response.status).toBe(401);
      const id = response.headers.get("x-fullstop-generation-id");
      const told = (await response.text()) + JSON.stringify([...response.headers]);
      const summary = JSON.stringify((await get(`${open.url}/v1/generations/${id}`)).body);
      const events = await (await fetch(`${open.url}/v1/generations/${id}/events`)).text();
      expect(told).toMatch(/\[redacted\]/u);
      expect(events).toContain('"type":"finish"');
      expect(told + summary + events).not.toContain(OWN_KEY);
    }
  });
});

describe("a caller's own key", () => {
  it.each(["mine", "ours"])("is for the model %s of the provider, and for those to ask instead", async (model) => {
    keyed.script("openai-chat", (request) => (request.model === "some-model" ? { status: 500 } : ANSWER));
    const headers = { authorization: `Bearer ${DOOR_KEY}`, [HEADER]: OWN_KEY };
    const { status } = await post(`${keyed.url}/v1/chat/completions`, bodyOf("openai-chat", model), headers);
    expect(status).toBe(200);
    expect(keyed.upstreams["openai-chat"].requests.at(-1)?.request.model).toBe("other-model");
    expect(received(keyed, "openai-chat")).toMatchObject({ authorization: `Bearer ${OWN_KEY}` });
  });

  it("may stand in the address, as Gemini has it", async () => {
    const address = `${open.url}${pathOf("gemini", "gemini/some-model")}?key=${OWN_KEY}`;
    expect((await post(address, bodyOf("gemini", ""))).status).toBe(200);
    expect(received(open, "gemini")).toMatchObject({ "x-goog-api-key": OWN_KEY });
  });

  it("is each caller's own, also at the same time", async () => {
    open.script("openai-chat", ANSWER);
    const before = open.upstreams["openai-chat"].requests.length;
    const keys = Array.from({ length: 20 }, (_, index) => `key-of-caller-${index}`);
    await Promise.all(keys.map((key) => CLIENTS["openai-chat"](open.url, key)({ model: "mine", stream: true })));
    const seen = open.upstreams["openai-chat"].requests.slice(before).map(({ headers }) => headers.authorization);
    expect(new Set(seen)).toEqual(new Set(keys.map((key) => `Bearer ${key}`)));
    expect(seen).toHaveLength(keys.length);
  });
});
