import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { startBotApi } from "../../../telegram/test/support/bot-api/index.ts";
import type { BotApi } from "../../../telegram/test/support/bot-api/index.ts";
import { createFolder } from "../support/folder.ts";
import { startRedis } from "../support/redis-server.ts";
import { runBin } from "../support/run.ts";
import { startServe } from "../support/serve.ts";
import { PLANTED, keysIn } from "./planted-keys.ts";
import { FAILURES, openTellingProvider } from "./telling-provider.ts";

const BIN = path.resolve(import.meta.dirname, "../../bin/fullstop.js");
const baseUrl = await openTellingProvider();
const folder = createFolder();
const config = folder.write(
  "config.json",
  JSON.stringify({
    providers: { up: { baseUrl, apiKeyEnv: "MY_PROVIDER_SECRET", timeouts: { firstByteMilliseconds: 500 } } },
    logs: { level: "trace", content: true },
  }),
);
const redis = await startRedis();
await redis.command("ACL", "SETUSER", "bot", "on", `>${PLANTED.redis}`, "~*", "&*", "+@all");
afterAll(() => redis.stop());

/** Where a bot finds its keys, as whoever runs one sets them. */
const environmentOf = (api: Pick<BotApi, "url">) => ({
  TELEGRAM_BOT_TOKEN: PLANTED.bot,
  TELEGRAM_API_ROOT: api.url,
  TELEGRAM_WEBHOOK_SECRET: PLANTED.webhook,
  MY_PROVIDER_SECRET: PLANTED.provider,
  OPENAI_API_KEY: PLANTED.environment,
  HF_TOKEN: PLANTED.hub,
  FULLSTOP_KEY: PLANTED.gateway,
  HOME: folder.path("."),
});

async function openApi(): Promise<BotApi> {
  const api = await startBotApi({ token: PLANTED.bot });
  onTestFinished(() => api.close());
  return api;
}

/** Starts the bot that people start, in a process of its own. */
async function startTelegram(api: BotApi, store: string, parameters: readonly string[]) {
  const started = await startServe(["--port", "0", ...parameters], {
    cwd: folder.path("."),
    env: { ...environmentOf(api), FULLSTOP_STORE: store },
    program: [BIN, "telegram"],
  });
  onTestFinished(async () => {
    started.child.kill("SIGKILL");
    await started.exit;
  });
  return started;
}

/** An error of Telegram that repeats the token, as a server of one's own may. */
const telling = (code: number) => ({ code, description: `Error: bot${PLANTED.bot} is in the way` });

/** Has the bot answer well and badly, while Telegram does what it should and what it should not. */
async function talk(api: BotApi): Promise<void> {
  const ann = api.person({ firstName: "Ann" });
  const chat = api.privateChat(ann);
  const ask = async (words: string): Promise<void> => {
    const { id } = api.say(chat, ann, words);
    const isAnswered = (): boolean => chat.messages.some((message) => message.id > id && message.isFromBot);
    await api.until(() => isAnswered() && chat.lastFromBot?.text !== "…", `"${words}" is answered`);
  };
  for (const word of ["good", ...FAILURES]) await ask(`please ${word}`);

  // What Telegram refuses for good, for a while, and in silence; then it is asked again.
  const faults = [
    api.refuse("sendMessage", telling(401)),
    api.refuse("sendMessage", { ...telling(429), parameters: { retry_after: 1 } }),
    api.refuse("sendMessage", telling(400)),
    api.refuse("getUpdates", telling(502)),
    api.refuse("getUpdates", { ...telling(429), parameters: { retry_after: 1 } }),
    api.refuse("answerCallbackQuery", telling(400)),
    api.drop("sendMessage"),
    api.drop("getUpdates"),
  ];
  for (let round = 0; faults.some(({ used }) => used === 0) && round < 12; round += 1) {
    api.say(chat, ann, "please be good");
    api.pressData(chat, ann, "stop:AAAAAAAAAAAAAAAAAAAAAA");
    const used = faults.reduce((sum, fault) => sum + fault.used, 0);
    await api.until(() => faults.reduce((sum, fault) => sum + fault.used, 0) > used, "something went wrong");
  }
  expect(faults.map(({ used }) => used)).not.toContain(0);
  await ask("please be good");
}

describe("a bot that answers well and badly", () => {
  it.each([
    ["a file", folder.path("bot.db")],
    ["Redis", redis.url.replace("redis://", `redis://bot:${PLANTED.redis}@`)],
  ])("shows no key to anybody, with %s", async (kind, store) => {
    const api = await openApi();
    const { url, child, exit, stdout, stderr } = await startTelegram(api, store, [
      "--config",
      config,
      "--model",
      "up/m",
    ]);
    await talk(api);

    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain("bot_generations_total");
    expect(keysIn(metrics)).toEqual([]);
    // What people in Telegram get to see of it.
    const calls = JSON.stringify(api.calls.map(({ method, parameters }) => [method, parameters]));
    expect(calls).toContain("sendMessage");
    expect(keysIn(calls)).toEqual([]);
    if (kind === "Redis") {
      const keys = await redis.command<string[]>("KEYS", "*");
      expect(keys.length).toBeGreaterThan(5);
      const dumps = await Promise.all(keys.map((key) => redis.command<string>("DUMP", key)));
      expect(keysIn(keys.join("\n") + dumps.map(String).join("\n"))).toEqual([]);
    }
    child.kill("SIGTERM");
    await exit;
    expect(stderr()).toMatch(/"level":"warn"/u);
    expect(keysIn(stdout() + stderr())).toEqual([]);
    if (kind === "a file") {
      const file = readFileSync(store, "latin1");
      expect(file).toContain("SQLite");
      expect(keysIn(file)).toEqual([]);
    }
  });

  it("shows no key where updates are sent to it, by anybody", async () => {
    const api = await openApi();
    const parameters = ["--config", config, "--model", "up/m", "--webhook", "http://127.0.0.1:1/updates"];
    const { url, child, exit, stdout, stderr } = await startTelegram(api, "memory", parameters);
    const answers: string[] = [];
    for (const [secret, body] of [
      [PLANTED.wrong, "{}"],
      [PLANTED.webhook, `{"update_id": ${PLANTED.bot}`],
      [PLANTED.webhook, "{}"],
      [PLANTED.webhook, `{"update_id":1,"message":{"text":"${PLANTED.wrong}"}}`],
    ] as const) {
      const headers = { "content-type": "application/json", "x-telegram-bot-api-secret-token": secret };
      const response = await fetch(`${url}/updates?token=${PLANTED.wrong}`, { method: "POST", headers, body });
      answers.push(`${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`);
    }
    answers.push(await (await fetch(`${url}/bot${PLANTED.bot}/x?key=${PLANTED.wrong}`)).text());
    child.kill("SIGTERM");
    await exit;

    expect(answers[0]).toMatch(/^401 /u);
    expect(keysIn(answers.join("\n"))).toEqual([]);
    expect(stderr()).toContain("a request to the webhook could not be handled");
    expect(keysIn(stdout() + stderr())).toEqual([]);
    // Telegram has to know the secret, and nobody else.
    const others = api.calls.filter(({ method }) => method !== "setWebhook").map(({ parameters: sent }) => sent);
    expect(keysIn(JSON.stringify(others))).toEqual([]);
  });
});

describe("a bot that cannot run", () => {
  it.each([
    ["Telegram does not know the token, and repeats it", "getMe", 401],
    ["Telegram is too busy", "getMe", 429],
    ["another process fetches the updates", "getUpdates", 409],
    ["Telegram takes the token back", "getUpdates", 401],
    ["Telegram does not take the webhook", "setWebhook", 400],
  ] as const)("shows no key where %s", async (_, method, code) => {
    const api = await openApi();
    // Of the secret it knows only by the call that sets the webhook.
    const secret = method === "setWebhook" ? PLANTED.webhook : "";
    api.refuse(method, { code, description: `${telling(code).description} ${secret}` }, { times: 99 });
    const webhook = method === "setWebhook" ? ["--webhook", "https://example.com/x", "--port", "0"] : [];
    const { exitCode, stdout, stderr } = await runBin(["telegram", "--config", config, "--model", "up/m", ...webhook], {
      env: { ...environmentOf(api), FULLSTOP_STORE: "memory" },
      cwd: folder.path("."),
    });

    // Whoever has no time now may have some later; the others say no.
    expect(exitCode).toBe(code === 429 ? 1 : 2);
    expect(stderr).toContain("fullstop telegram: ");
    expect(keysIn(stdout + stderr)).toEqual([]);
  });

  const at = (root: string) => ({ TELEGRAM_API_ROOT: root });

  it.each([
    ["Telegram cannot be reached", at("http://127.0.0.1:1"), []],
    ["its address has a password", at(`http://user:${PLANTED.redis}@127.0.0.1:1`), []],
    ["its address has a key", at(`http://127.0.0.1:1/?key=${PLANTED.redis}`), []],
    ["its address is none", at(`user:${PLANTED.redis}@127.0.0.1:1?key=${PLANTED.redis}`), []],
    ["the token is none", { TELEGRAM_BOT_TOKEN: PLANTED.wrong }, []],
    ["the token has a line end", { TELEGRAM_BOT_TOKEN: `${PLANTED.bot}\n` }, []],
    ["the token is a parameter", {}, ["--token", PLANTED.bot]],
    ["the store is of no kind", { FULLSTOP_STORE: `postgres://user:${PLANTED.redis}@127.0.0.1/x` }, []],
    ["the store cannot be reached", { FULLSTOP_STORE: `redis://user:${PLANTED.redis}@127.0.0.1:1` }, []],
    ["the gateway's address has a password", {}, ["--gateway", `http://user:${PLANTED.redis}@127.0.0.1:1`]],
    ["the gateway's key has a line end", { FULLSTOP_KEY: `${PLANTED.gateway}\n` }, ["--gateway", "http://127.0.0.1:1"]],
  ])("shows no key where %s", async (_, wrong, parameters) => {
    const env = { ...environmentOf({ url: "http://127.0.0.1:1" }), FULLSTOP_STORE: "memory", ...wrong };
    const { exitCode, stdout, stderr } = await runBin(
      ["telegram", "--config", config, "--model", "up/m", ...parameters],
      { env, cwd: folder.path(".") },
    );

    expect(exitCode).toBeGreaterThan(0);
    expect(stderr).toContain("fullstop telegram: ");
    expect(keysIn(stdout + stderr)).toEqual([]);
  });

  it("shows no key where the webhook's secret is none that Telegram takes", async () => {
    const env = { ...environmentOf(await openApi()), TELEGRAM_WEBHOOK_SECRET: `${PLANTED.webhook} x` };
    const { exitCode, stdout, stderr } = await runBin(
      ["telegram", "--config", config, "--model", "up/m", "--webhook", "https://x.example/", "--port", "0"],
      { env: { ...env, FULLSTOP_STORE: "memory" }, cwd: folder.path(".") },
    );

    expect(exitCode).toBe(2);
    expect(stderr).toContain("fullstop telegram: secretToken must be");
    expect(keysIn(stdout + stderr)).toEqual([]);
  });
});
