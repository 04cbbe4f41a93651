import { createGate, finish, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { hashOf, openGatewayForFile } from "../support/gateway.ts";
import { openScripted } from "../support/scripted.ts";
import { bodyOf, pathOf } from "../support/small-requests.ts";

const PAGE = "https://app.example.com";
const OTHERS = ["https://example.com", "http://app.example.com", "https://app.example.com.evil.example", "null"];
const MODEL = "openai-chat/some-model";
const ALLOWED = "access-control-allow-origin";

const open = await openScripted({ allowedOrigins: [PAGE], anonymous: { concurrent: 1 } });
const keyed = await openScripted({ allowedOrigins: [PAGE], keys: [{ name: "alice", sha256: hashOf("alice") }] });
const closed = await openGatewayForFile();
for (const gateway of [open, keyed]) {
  gateway.script("openai-chat", [start(), text("Hello"), usage(9, 4), finish()]);
}

const preflight = (url: string, origin: string, path = pathOf("openai-chat", MODEL)) =>
  fetch(`${url}${path}`, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    },
  });

const ask = (url: string, origin: string, more: object = {}, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${url}${pathOf("openai-chat", MODEL)}`, {
    method: "POST",
    headers: { origin, ...headers },
    body: JSON.stringify({ ...bodyOf("openai-chat", MODEL), ...more }),
  });

describe("a page of an origin that is allowed", () => {
  it("may ask before it asks", async () => {
    for (const { url } of [open, keyed]) {
      const response = await preflight(url, PAGE);
      expect(response.status).toBe(204);
      expect(response.headers.get(ALLOWED)).toBe(PAGE);
      expect(response.headers.get("access-control-allow-headers")).toBe("authorization,content-type");
      expect(response.headers.get("access-control-allow-methods")).toMatch(/\bPOST\b/u);
      expect(response.headers.get("access-control-allow-credentials")).toBeNull();
    }
  });

  it.each([true, false])("may read the answer and its id, stream: %s", async (stream) => {
    for (const [url, headers] of [[open.url, {}] as const, [keyed.url, { authorization: "Bearer alice" }] as const]) {
      const response = await ask(url, PAGE, { stream }, headers);
      expect(response.status).toBe(200);
      expect(response.headers.get(ALLOWED)).toBe(PAGE);
      expect(response.headers.get("vary")).toContain("Origin");
      const exposed = response.headers.get("access-control-expose-headers");
      expect(exposed?.split(", ").toSorted()).toEqual(["retry-after", "x-fullstop-generation-id"]);
      expect(await response.text()).toContain("Hello");
    }
  });

  it("may read events", async () => {
    const id = (await ask(open.url, PAGE)).headers.get("x-fullstop-generation-id");
    const response = await fetch(`${open.url}/v1/generations/${id}/events`, { headers: { origin: PAGE } });
    expect(response.headers.get(ALLOWED)).toBe(PAGE);
    expect(await response.text()).toContain('"type":"finish"');
  });

  it("may read why it is refused", async () => {
    const withoutKey = await ask(keyed.url, PAGE);
    expect({ status: withoutKey.status, origin: withoutKey.headers.get(ALLOWED) }).toEqual({
      status: 401,
      origin: PAGE,
    });
    const gate = createGate();
    open.script("openai-chat", [start(), gate.pass, text("Hello"), finish()]);
    const first = ask(open.url, PAGE);
    await gate.reached;
    const limited = await ask(open.url, PAGE);
    expect({ status: limited.status, origin: limited.headers.get(ALLOWED) }).toEqual({ status: 429, origin: PAGE });
    expect(limited.headers.get("retry-after")).toBe("1");
    gate.open();
    expect((await first).status).toBe(200);
    const nothing = await fetch(`${open.url}/nothing`, { headers: { origin: PAGE } });
    expect({ status: nothing.status, origin: nothing.headers.get(ALLOWED) }).toEqual({ status: 404, origin: PAGE });
  });
});

describe.each(OTHERS)("a page of the origin %s, which is not allowed,", (origin) => {
  it("is told so by its browser", async () => {
    for (const { url } of [open, keyed, closed]) expect((await preflight(url, origin)).headers.get(ALLOWED)).toBeNull();
  });

  it("is refused where there are no keys", async () => {
    for (const { url } of [open, closed]) {
      const response = await ask(url, origin, { model: MODEL });
      expect({ status: response.status, origin: response.headers.get(ALLOWED) }).toEqual({ status: 403, origin: null });
    }
  });

  it("cannot read the answer to a key", async () => {
    const response = await ask(keyed.url, origin, { stream: true }, { authorization: "Bearer alice" });
    expect(await response.text()).toContain("Hello");
    expect(response.headers.get(ALLOWED)).toBeNull();
  });
});

describe("a gateway that allows no origin", () => {
  it("says nothing of origins", async () => {
    const response = await fetch(`${closed.url}/healthz`, { headers: { origin: PAGE } });
    expect([...response.headers.keys()].filter((name) => /^access-control|^vary/u.test(name))).toEqual([]);
    expect((await preflight(closed.url, PAGE)).status).toBe(405);
  });
});
