import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { openGateway, openGatewayForFile, get, hashOf } from "../support/gateway.ts";

const KEYS = [
  { name: "alice", sha256: hashOf("open-sesame-alice") },
  { name: "root", sha256: hashOf("open-sesame-root"), operator: true },
];
const ALICE = { authorization: "Bearer open-sesame-alice" };
const ROOT = { authorization: "Bearer open-sesame-root" };

const open = await openGatewayForFile();
const locked = await openGatewayForFile({ keys: KEYS });
const shown = await openGatewayForFile({ keys: KEYS, metrics: { public: true } });
const byEnvironment = await openGatewayForFile({}, { FULLSTOP_KEY_SHA256: hashOf("open-sesame-root") });

describe("/metrics", () => {
  it.each([
    ["anybody on this machine where there are no keys", open, {}, 200],
    ["no page of another site", open, { origin: "https://example.com" }, 403],
    ["nobody without a key", locked, {}, 401],
    ["nobody with a key that is not an operator's", locked, ALICE, 403],
    ["an operator", locked, ROOT, 200],
    ["everybody where the configuration says so", shown, {}, 200],
    ["an operator whose key is in the environment", byEnvironment, ROOT, 200],
    ["nobody else there", byEnvironment, {}, 401],
  ] as const)("is for %s", async (_, { url }, headers, status) => {
    const response = await fetch(`${url}/metrics`, { headers });
    expect(response.status).toBe(status);
    expect((await response.text()).includes("fullstop_generations_total")).toBe(status === 200);
  });
});

describe("health", () => {
  it.each(["/healthz", "/readyz"])("is told at %s without a key", async (path) => {
    expect((await get(`${locked.url}${path}`)).status).toBe(200);
  });

  it("is good while the server shuts down, but it is not ready", async () => {
    const gateway = await openGateway();
    afterAll(() => gateway.close());
    expect(await get(`${gateway.url}/readyz`)).toEqual({ status: 200, body: { status: "ready" } });
    gateway.house.operations.readiness.beginShutdown();
    expect(await get(`${gateway.url}/readyz`)).toEqual({
      status: 503,
      body: { status: "not_ready", problems: ["shutting_down"] },
    });
    expect(await get(`${gateway.url}/healthz`)).toEqual({ status: 200, body: { status: "ok" } });
  });
});

describe("a key in the environment", () => {
  it("may have its hash in large letters, as some programs write it", async () => {
    const sha256 = hashOf("open-sesame-loud").toUpperCase();
    const gateway = await openGateway({}, { FULLSTOP_KEY_SHA256: sha256 });
    onTestFinished(() => gateway.close());
    expect((await get(`${gateway.url}/v1/models`, { "x-api-key": "open-sesame-loud" })).status).toBe(200);
    const configured = await openGateway({ keys: [{ name: "loud", sha256 }] });
    onTestFinished(() => configured.close());
    expect((await get(`${configured.url}/v1/models`, { "x-api-key": "open-sesame-loud" })).status).toBe(200);
  });

  it("is refused where somebody else has the same one, or its name with other limits", async () => {
    const environment = { FULLSTOP_KEY_SHA256: hashOf("open-sesame").toUpperCase() };
    const twice = openGateway({ keys: [{ name: "alice", sha256: hashOf("open-sesame") }] }, environment);
    await expect(twice).rejects.toThrow(/^FULLSTOP_KEY_SHA256: it is the hash of keys\.0, too/u);
    const limited = { name: "operator", sha256: hashOf("open-sesame-bob"), limits: { concurrent: 1 } };
    await expect(openGateway({ keys: [limited] }, environment)).rejects.toThrow(
      /^FULLSTOP_KEY_SHA256: another key of "operator" has other limits/u,
    );
  });

  it("is refused where it is not a hash, and not repeated", async () => {
    const refused = openGateway({}, { FULLSTOP_KEY_SHA256: "open-sesame" });
    await expect(refused).rejects.toThrow(/^FULLSTOP_KEY_SHA256 must be the SHA-256 (?!.*sesame)/u);
  });
});
