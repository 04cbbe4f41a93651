import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve as resolvePath } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { createFolder } from "../support/folder.ts";
import { startRedis } from "../support/redis-server.ts";
import { startServe } from "../support/serve.ts";
import { PLANTED, keysIn } from "./planted-keys.ts";
import { FAILURES, openTellingProvider } from "./telling-provider.ts";

const sha256 = (key: string): string => createHash("sha256").update(key).digest("hex");

const baseUrl = await openTellingProvider();
const redis = await startRedis();
await redis.command("ACL", "SETUSER", "gateway", "on", `>${PLANTED.redis}`, "~*", "&*", "+@all");
afterAll(() => redis.stop());

const folder = createFolder();
const MODELS = ["good", ...FAILURES];
const config = folder.write(
  "config.json",
  JSON.stringify({
    port: 0,
    providers: {
      up: { baseUrl, apiKeyEnv: "MY_PROVIDER_SECRET", timeouts: { firstByteMilliseconds: 1500 } },
      theirs: { baseUrl, callerKey: true, timeouts: { firstByteMilliseconds: 1500 } },
    },
    keys: [
      { name: "alice", sha256: sha256(PLANTED.alice) },
      { name: "olga", sha256: sha256(PLANTED.olga), operator: true },
    ],
    logs: { level: "trace", content: true },
  }),
);
const redisUrl = redis.url.replace("redis://", `redis://gateway:${PLANTED.redis}@`);
const environment = {
  MY_PROVIDER_SECRET: PLANTED.provider,
  OPENAI_API_KEY: PLANTED.environment,
  TELEGRAM_BOT_TOKEN: PLANTED.bot,
  TELEGRAM_WEBHOOK_SECRET: PLANTED.webhook,
  HF_TOKEN: PLANTED.hub,
  HOME: folder.path("."),
};

/** Asks for everything, well and badly, and gives all that came back. */
async function askForEverything(url: string): Promise<string> {
  const seen: string[] = [];
  const send = async (path: string, init: RequestInit): Promise<void> => {
    const response = await fetch(url + path, init).catch((error: unknown) => String(error));
    if (typeof response === "string") return;
    const text = await response.text().catch(String);
    seen.push(`${response.status} ${JSON.stringify([...response.headers])} ${text}`);
  };
  const everywhere = (key: string) => ({ authorization: `Bearer ${key}`, "x-api-key": key, "x-goog-api-key": key });
  await Promise.all(
    ["up", "theirs"].flatMap((provider) =>
      MODELS.flatMap((name) =>
        [true, false].map((stream) =>
          send("/v1/chat/completions", {
            method: "POST",
            headers: { ...everywhere(PLANTED.alice), "x-fullstop-provider-key": PLANTED.caller },
            body: JSON.stringify({ model: `${provider}/${name}`, stream, messages: [{ role: "user", content: "Hi" }] }),
          }),
        ),
      ),
    ),
  );
  for (const key of [PLANTED.wrong, PLANTED.alice]) {
    const init = { headers: everywhere(key) };
    const paths = [
      "/metrics",
      "/v1/models",
      "/v1/generations",
      "/v1/generations?state=ended",
      `/v1/generations/${key}`,
    ];
    for (const path of [...paths, `/${key}`, "/v1/models/%ff"]) await send(`${path}?key=${key}&token=${key}`, init);
    await send(`/v1beta/models/up/good:generateContent?key=${key}`, { method: "POST", body: "{" });
    await send("/v1/messages", { ...init, method: "POST", body: `{"model":"${key}` });
    await send("/v1/messages", { ...init, method: "POST", body: JSON.stringify({ fullstop: { [key]: key } }) });
    await send("/v1/messages", {
      ...init,
      method: "POST",
      body: "{}",
      headers: { ...init.headers, "x-fullstop-settings": key },
    });
  }
  // In one place only, and quoted in an error: each place is looked at by itself.
  for (const headers of Object.entries(everywhere(PLANTED.alice)).map((entry) => Object.fromEntries([entry]))) {
    await send(`/v1/models/${PLANTED.alice}`, { headers });
  }
  await send(`/v1beta/models/${PLANTED.alice}?key=${PLANTED.alice}`, {});
  await send("/v1/chat/completions", {
    method: "POST",
    headers: { authorization: `Bearer ${PLANTED.alice}`, "x-fullstop-provider-key": PLANTED.caller },
    body: JSON.stringify({ model: PLANTED.caller, messages: [{ role: "user", content: "Hi" }] }),
  });
  await send("/metrics", { headers: everywhere(PLANTED.olga) });
  await send("/v1/generations?state=ended", { headers: everywhere(PLANTED.olga) });
  return seen.join("\n");
}

describe("a server that serves well and badly", () => {
  it.each([
    ["a file", folder.path("generations.db")],
    ["Redis", redisUrl],
  ])("shows no key to anybody, with %s", async (kind, store) => {
    const served = await startServe(["--config", config], {
      cwd: folder.path("."),
      env: { ...environment, FULLSTOP_STORE: store },
    });
    // Also where a key is found before it is told to end.
    onTestFinished(() => void served.child.kill("SIGKILL"));
    const answers = await askForEverything(served.url);
    expect(answers.split("\n").length).toBeGreaterThan(40);
    expect(answers).toMatch(/^200 .*"content":"Hi"/mu);
    expect(keysIn(answers)).toEqual([]);
    if (kind === "Redis") {
      const keys = await redis.command<string[]>("KEYS", "*");
      expect(keys.length).toBeGreaterThan(10);
      const dumps = await Promise.all(keys.map((key) => redis.command<string>("DUMP", key)));
      expect(keysIn(keys.join("\n") + dumps.map(String).join("\n"))).toEqual([]);
    }
    served.child.kill("SIGTERM");
    await served.exit;
    expect(served.stderr()).toContain("generation ended");
    expect(keysIn(served.stdout() + served.stderr())).toEqual([]);
    if (kind === "a file") {
      const file = readFileSync(store, "latin1");
      expect(file).toContain("SQLite");
      expect(keysIn(file)).toEqual([]);
    }
  });
});

const BIN = resolvePath(import.meta.dirname, "../../bin/fullstop.js");

/** Runs a command to its end; one that has none, as a server that was not refused, is ended after a while. */
async function runBin(parameters: readonly string[], env: Readonly<Record<string, string>>, stdin = "") {
  const child = spawn(process.execPath, [BIN, ...parameters], { env, cwd: folder.path("."), timeout: 15_000 });
  child.stdin.end(stdin);
  const exit = new Promise<number | null>((resolve) => void child.on("close", resolve));
  const [stdout, stderr, exitCode] = await Promise.all([readAll(child.stdout), readAll(child.stderr), exit]);
  return { exitCode, stdout, stderr };
}

describe("a command", () => {
  it.each([
    ["doctor that asks providers", ["doctor", "--config", config, "--online"]],
    ["help of the bot", ["telegram", "--help"]],
    ["models", ["models", "list", "--config", config]],
    [
      "a model that is nowhere",
      ["models", "pull", `https://user:${PLANTED.hub}@127.0.0.1:1/m.gguf?token=${PLANTED.hub}`],
    ],
    ["an unknown option", ["serve", "--nonsense", "x"]],
  ])("shows no key: %s", async (_, parameters) => {
    const { stdout, stderr } = await runBin(parameters, { ...environment, FULLSTOP_STORE: "memory" });
    expect((stdout + stderr).length).toBeGreaterThan(0);
    expect(keysIn(stdout + stderr)).toEqual([]);
  });

  it.each(["good", ...FAILURES])("shows no key in a conversation, whatever the provider does: %s", async (word) => {
    const parameters = ["chat", "--config", config, "--model", "up/m", "--json"];
    const { stdout, stderr } = await runBin(parameters, environment, `please ${word}\n`);
    expect(JSON.parse(stdout)).toMatchObject({ prompt: `please ${word}` });
    expect(keysIn(stdout + stderr)).toEqual([]);
  });

  it.each([
    [
      "a store of no kind",
      { FULLSTOP_STORE: `postgres://user:${PLANTED.redis}@127.0.0.1/x?password=${PLANTED.redis}` },
    ],
    ["a key in place of its hash", { FULLSTOP_KEY_SHA256: PLANTED.alice }],
    ["a key with a line end", { OPENAI_API_KEY: `${PLANTED.environment}\n` }],
    ["a key with other letters", { MY_PROVIDER_SECRET: `${PLANTED.provider}\u2028` }],
    ["an address with a password", { OLLAMA_HOST: `http://user:${PLANTED.provider}@127.0.0.1:1/` }],
  ])("shows no key where the environment is wrong: %s", async (_, wrong) => {
    const env = { ...environment, FULLSTOP_STORE: "memory", ...wrong };
    const { exitCode, stdout, stderr } = await runBin(["serve", "--config", config], env);
    expect(exitCode).not.toBe(0);
    expect(keysIn(stdout + stderr)).toEqual([]);
  });

  it.each([
    [
      "an address with a password",
      { providers: { up: { baseUrl: `https://user:${PLANTED.provider}@example.com/v1` } } },
    ],
    ["an address with a key", { providers: { up: { baseUrl: `https://example.com/v1?key=${PLANTED.provider}` } } }],
    ["a key in place of its hash", { keys: [{ name: "alice", sha256: PLANTED.alice }] }],
    ["a key in place of a variable", { providers: { up: { baseUrl, apiKeyEnv: PLANTED.provider } } }],
    ["a key in a field that is none", { apiKey: PLANTED.provider }],
  ])("shows no key where the configuration is wrong: %s", async (what, wrong) => {
    const file = folder.path("wrong.json");
    writeFileSync(file, JSON.stringify(wrong));
    const { exitCode, stderr } = await runBin(["serve", "--config", file], { FULLSTOP_STORE: "memory" });
    expect(exitCode).not.toBe(0);
    // Whoever puts a key where its variable's name should be is told which name is not set.
    expect(keysIn(stderr)).toEqual(what === "a key in place of a variable" ? ["provider"] : []);
  });
});
