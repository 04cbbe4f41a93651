import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { cancelledSignal } from "fullstop";
import { describe, expect, onTestFinished, test } from "vitest";
import { startBotApi } from "../../../telegram/test/support/bot-api/index.ts";
import type { BotApi } from "../../../telegram/test/support/bot-api/index.ts";
import { openSqliteStore } from "../../src/stores/index.ts";
import { createFolder } from "../support/folder.ts";
import { freePort } from "../support/free-port.ts";
import { openGateway } from "../support/gateway.ts";
import { runBin } from "../support/run.ts";
import { startServe } from "../support/serve.ts";
import type { ServeProcess } from "../support/serve.ts";

const command = new URL("../../bin/fullstop.js", import.meta.url).pathname;

const folder = createFolder();

async function startTelegram(api: BotApi, parameters: readonly string[] = [], env: Record<string, string> = {}) {
  const started = await startServe(["--port", "0", ...parameters], {
    cwd: folder.path(""),
    env: { TELEGRAM_BOT_TOKEN: api.token, TELEGRAM_API_ROOT: api.url, ...env },
    program: [command, "telegram"],
  });
  onTestFinished(() => endProcess(started));
  return started;
}

async function endProcess({ child, exit }: ServeProcess): Promise<void> {
  child.kill("SIGTERM");
  await exit;
}

async function openApi(): Promise<BotApi> {
  const api = await startBotApi();
  onTestFinished(() => api.close());
  return api;
}

describe("fullstop telegram", () => {
  test("answers with Pip, stops when told, and ends when told", async () => {
    const api = await openApi();
    const ann = api.person({ firstName: "Ann" });
    const chat = api.privateChat(ann);
    const { url, child, exit, stdout, stderr } = await startTelegram(api);

    api.say(chat, ann, "What number comes before 395?");
    await api.until(() => chat.lastFromBot?.text.includes("394"), "Pip has answered", 60_000);
    await api.until(() => chat.lastFromBot?.buttons.length === 0, "Pip is done");
    // Something that it does not come to the end of by itself before it is stopped, however fast the machine is.
    api.say(chat, ann, "Count forever.");
    await api.until(() => chat.lastFromBot?.text.includes("1, 2, 3"), "Pip counts", 60_000);
    api.say(chat, ann, "/stop");
    await api.until(() => chat.lastFromBot?.text === "Generation stopped.", "it is stopped");
    await api.until(() => chat.messages.at(-3)?.text.endsWith("[interrupted]"), "it is marked");
    const metrics = await (await fetch(`${url}/metrics`)).text();
    child.kill("SIGTERM");

    expect(await exit).toBe(0);
    expect(stdout()).toMatch(
      /^fullstop is @fullstop_bot in Telegram\nfullstop is listening on http:\/\/127\.0\.0\.1:\d+\n/u,
    );
    expect(metrics).toContain('bot_generation_stops_total{phase="text",chat_type="private"} 1');
    expect(stderr()).toContain('"an answer was stopped"');
    expect(stderr()).not.toMatch(/395|Count/u);
  });

  test("asks a running gateway", async () => {
    const api = await openApi();
    const ann = api.person({ firstName: "Ann" });
    const chat = api.privateChat(ann);
    const gateway = await openGateway();
    onTestFinished(() => gateway.close());
    await startTelegram(api, ["--gateway", gateway.url, "--model", "pip"]);

    api.say(chat, ann, "What number comes before 395?");
    const answer = await api.until(() => chat.lastFromBot, "the gateway answers");
    await api.until(() => chat.lastFromBot?.text.includes("394"), "the gateway has answered", 60_000);

    expect(answer.isFromBot).toBe(true);
  });

  test("has Telegram send updates, which prove themselves", async () => {
    const api = await openApi();
    const ann = api.person({ firstName: "Ann" });
    const chat = api.privateChat(ann);
    const { url: outside, forwardTo } = await openForwarder();
    const { url } = await startTelegram(api, ["--webhook", `${outside}/updates`], {
      TELEGRAM_WEBHOOK_SECRET: "secret-1",
    });
    forwardTo(url);

    api.say(chat, ann, "/stop");
    await api.until(() => chat.lastFromBot?.text === "No active generation to stop.", "the update has come");
    const forged = await fetch(`${url}/updates`, { method: "POST", body: "{}" });
    const elsewhere = await fetch(`${url}/other`, { method: "POST", body: "{}" });

    expect(forged.status).toBe(401);
    expect(elsewhere.status).toBe(404);
  });

  test("keeps conversations in a file, over a restart", async () => {
    const api = await openApi();
    const ann = api.person({ firstName: "Ann" });
    const chat = api.privateChat(ann);
    const env = { FULLSTOP_STORE: folder.path("bot.db") };
    const first = await startTelegram(api, [], env);
    api.say(chat, ann, "My name is Ada.");
    await api.until(
      () => chat.lastFromBot?.buttons.length === 0 && chat.lastFromBot.text !== "",
      "it has answered",
      60_000,
    );
    await endProcess(first);
    await startTelegram(api, [], env);
    const asked = api.say(chat, ann, "What is my name?");
    const answer = await api.until(
      () => chat.messages.find(({ id, text }) => id > asked.id && text.includes("Ada")),
      "it remembers",
      60_000,
    );

    expect(answer.isFromBot).toBe(true);
  });

  test("keeps as many answers as the configuration says, and leaves those of others alone", async () => {
    const api = await openApi();
    const file = folder.path("shared.db");
    const before = await openSqliteStore({ file });
    const ours = `telegram:${api.botInfo.id}:1:1`;
    for (const [id, owner] of Object.entries({ a: ours, b: "alice", c: ours, d: "alice", e: ours })) {
      await before.open({ id, owner, model: "m", startedAt: 0, holder: "one" });
      await before.finish(id, cancelledSignal());
    }
    await before.close();
    const config = folder.write("retention.json", JSON.stringify({ store: { retention: { maxCount: 2 } } }));

    const parameters = ["--config", config, "--gateway", "http://127.0.0.1:1", "--model", "pip"];
    await endProcess(await startTelegram(api, parameters, { FULLSTOP_STORE: file }));

    const after = await openSqliteStore({ file });
    onTestFinished(() => after.close());
    expect((await after.ended()).map(({ id }) => id)).toEqual(["b", "c", "d", "e"]);
  });

  test("refuses to keep nothing of what is said", async () => {
    const config = folder.write("no-content.json", JSON.stringify({ store: { content: false } }));
    const env = { FULLSTOP_STORE: "memory", TELEGRAM_BOT_TOKEN: "1:a" };
    const { exitCode, stderr } = await runBin(["telegram", "--config", config], { env, cwd: folder.path("") });

    expect(exitCode).toBe(2);
    expect(stderr).toContain("fullstop telegram: store.content is false, but a bot has to keep what was said");
  });

  test.each([
    { parameters: [], env: {}, says: "TELEGRAM_BOT_TOKEN is not set" },
    { parameters: [], env: { TELEGRAM_BOT_TOKEN: "no" }, says: "token: must be a bot's token" },
    {
      parameters: ["--when-busy", "shout"],
      env: {},
      says: '--when-busy must be one of interrupt, queue, ignore, got "shout"',
    },
    {
      parameters: ["--allow-users", "me"],
      env: {},
      says: '--allow-users must be numbers with commas between, got "me"',
    },
    { parameters: ["--webhook", "https://x/y"], env: {}, says: "--webhook needs --port" },
    {
      parameters: ["--webhook", "bot.example.org", "--port", "0"],
      env: {},
      says: '--webhook must be an address, such as https://bot.example.org/telegram, got "bot.example.org"',
    },
    {
      parameters: ["--model", "nobody/knows"],
      env: { TELEGRAM_BOT_TOKEN: "1:a" },
      says: 'There is no model "nobody/knows"',
    },
  ])("refuses $parameters $env: $says", async ({ parameters, env, says }) => {
    const outcome = await runBin(["telegram", ...parameters], {
      env: { FULLSTOP_STORE: "memory", ...env },
      cwd: folder.path(""),
    });

    expect(outcome).toMatchObject({ exitCode: 2, stdout: "" });
    expect(outcome.stderr).toContain(`fullstop telegram: ${says}`);
  });

  test("says when another process fetches the updates, and ends", async () => {
    const api = await openApi();
    const { exit, stderr } = await startTelegram(api, [], { FULLSTOP_STORE: "memory" });
    await api.until(() => api.callsOf("getUpdates").length > 0, "updates are fetched");

    await fetch(`${api.url}/bot${api.token}/getUpdates`);

    expect(await exit).toBe(2);
    expect(stderr()).toContain("fullstop telegram: Another process fetches the updates of this bot");
    expect(stderr()).not.toContain(api.token);
  });

  test("says when Telegram cannot be reached, which is no wrong call", async () => {
    const address = `http://127.0.0.1:${await freePort()}`;
    const env = { FULLSTOP_STORE: "memory", TELEGRAM_BOT_TOKEN: "1:a", TELEGRAM_API_ROOT: address };
    const outcome = await runBin(["telegram"], { env, cwd: folder.path("") });

    expect(outcome).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `fullstop telegram: Telegram cannot be reached at ${address}\n`,
    });
  });

  test("says when Telegram does not know the token", async () => {
    const api = await openApi();
    const env = { FULLSTOP_STORE: "memory", TELEGRAM_BOT_TOKEN: "1:wrong", TELEGRAM_API_ROOT: api.url };
    const { exitCode, stderr } = await runBin(["telegram"], { env, cwd: folder.path("") });

    expect(exitCode).toBe(2);
    expect(stderr).toContain('Telegram says "Unauthorized"');
  });
});

/** A server whose address is known before that of the one behind it. */
async function openForwarder() {
  let target: string | undefined;
  const server = createServer((incoming, outgoing) => {
    if (target === undefined) {
      outgoing.writeHead(503).end();
      return;
    }
    const { method, headers } = incoming;
    const forwarded = httpRequest(`${target}${incoming.url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, forwardTo: (url: string) => void (target = url) };
}
