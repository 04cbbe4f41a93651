import { readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { finish, start, text } from "fullstop/testing";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { DIALECTS } from "../support/dialects.ts";
import type { Dialect } from "../support/dialects.ts";
import { createFolder } from "../support/folder.ts";
import { openGatewayForFile } from "../support/gateway.ts";
import { runMain } from "../support/run.ts";
import { openScripted } from "../support/scripted.ts";
import { pathOf } from "../support/small-requests.ts";
import { watchConnections } from "../support/opened-connections.ts";

const visits: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
/** A server that nobody has a reason to ask. */
const trap = createServer(({ url, headers }, response) => {
  visits.push({ url, headers });
  response.end("{}");
});
await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
const TRAP = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;
/** A provider that sends everybody to the trap. */
const redirecting = createServer((_, response) => response.writeHead(307, { location: `${TRAP}/stolen` }).end());
await new Promise<void>((resolve) => redirecting.listen(0, "127.0.0.1", resolve));
const REDIRECTING = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/v1`;
afterAll(() => {
  for (const server of [trap, redirecting]) server.close();
});

const gateway = await openScripted();
const opened = watchConnections([gateway.url, ...Object.values(gateway.upstreams).map(({ baseUrl }) => baseUrl)]);
beforeEach(() => void (visits.length = 0));

const folder = createFolder();
const CANARY = "the-canary-sings-4711";
const FILE = pathToFileURL(folder.write("canary.txt", CANARY)).href;

/** An address where each dialect takes one. */
const IMAGES: Readonly<Record<Dialect, (url: string) => object>> = {
  "openai-chat": (url) => ({ messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }] }),
  "openai-responses": (url) => ({ input: [{ role: "user", content: [{ type: "input_image", image_url: url }] }] }),
  "anthropic-messages": (url) => ({
    max_tokens: 9,
    messages: [{ role: "user", content: [{ type: "image", source: { type: "url", url } }] }],
  }),
  gemini: (url) => ({ contents: [{ role: "user", parts: [{ fileData: { fileUri: url, mimeType: "image/png" } }] }] }),
};

describe.each(DIALECTS)("an address in a request of %s", (dialect) => {
  const addresses = [
    `${TRAP}/a.png`,
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/x.png",
    "http://localhost:1/x.png",
    "https://user:password@127.0.0.1:1/x.png",
    FILE,
  ];

  const ask = async (model: string, url: string): Promise<string> => {
    const body = { ...IMAGES[dialect](url), ...(dialect !== "gemini" && { model }), fullstop: { maxCharacters: 5 } };
    const response = await fetch(gateway.url + pathOf(dialect, model), {
      method: "POST",
      body: JSON.stringify(body),
    });
    return response.text();
  };

  it.each(addresses)("is passed on and not opened by the gateway, whatever it is: %s", async (url) => {
    gateway.script(dialect, [start(), text("Hello"), finish()]);
    expect(await ask(`${dialect}/m`, url)).toContain("Hello");
    const { body } = gateway.upstreams[dialect].requests.at(-1)!;
    expect(JSON.stringify(body)).toContain(JSON.stringify(url).slice(1, -1));
    expect(JSON.stringify(body)).not.toContain(CANARY);
    expect([...opened(), ...visits]).toEqual([]);
  });

  it.each(addresses)("is not opened for a model on this machine, whatever it is: %s", async (url) => {
    const answer = await ask("pip", url);
    expect(answer).toContain("This model reads text only, and the request holds an image");
    expect(answer).not.toContain(CANARY);
    expect([...opened(), ...visits]).toEqual([]);
  });

  it("does not change where the request goes", async () => {
    gateway.script(dialect, [start(), text("Hello"), finish()]);
    const others = [
      "base_url",
      "baseUrl",
      "api_base",
      "endpoint",
      "url",
      "provider",
      "proxy",
      "webhook",
      "callback_url",
    ];
    const fields = Object.fromEntries(others.map((name) => [name, TRAP]));
    const model = `${dialect}/m`;
    const headers = { "x-base-url": TRAP, "x-fullstop-base-url": TRAP, "helicone-target-url": TRAP };
    const body = { ...IMAGES[dialect]("https://example.com/a.png"), ...(dialect !== "gemini" && { model }), ...fields };
    const before = gateway.upstreams[dialect].requests.length;
    await (
      await fetch(gateway.url + pathOf(dialect, model), { method: "POST", headers, body: JSON.stringify(body) })
    ).text();
    expect(gateway.upstreams[dialect].requests.length).toBe(before + 1);
    expect([...opened(), ...visits]).toEqual([]);
  });

  it.each([
    "../../admin",
    "..%2f..%2fadmin",
    "m?key=x",
    "m#x",
    "//evil.example/m",
    "@evil.example",
    "m/../../x",
    "\\..\\x",
  ])("is not made of a model's name: %s", async (name) => {
    gateway.script(dialect, [start(), text("Hello"), finish()]);
    const model = `${dialect}/${name}`;
    const target = dialect === "gemini" ? pathOf(dialect, encodeURIComponent(model)) : pathOf(dialect, model);
    const body = { ...IMAGES[dialect]("https://example.com/a.png"), ...(dialect !== "gemini" && { model }) };
    await (await fetch(gateway.url + target, { method: "POST", body: JSON.stringify(body) })).text();
    expect(gateway.upstreams[dialect].requests.at(-1)?.request.model).toBe(name);
    expect([...opened(), ...visits]).toEqual([]);
  });
});

describe("a server that sends us elsewhere", () => {
  const KEY = "planted-key-0123456789";

  it.each(DIALECTS)("is not followed with a question or a count of %s", async (dialect) => {
    const providers = {
      up: { baseUrl: REDIRECTING, dialect, apiKeyEnv: "UP_KEY" },
      own: { baseUrl: REDIRECTING, dialect, callerKey: true },
    };
    const { url } = await openGatewayForFile({ providers }, { UP_KEY: KEY });
    for (const model of ["up/m", "own/m"]) {
      for (const address of [
        pathOf(dialect, model),
        pathOf(dialect, model).replace("generateContent", "countTokens"),
      ]) {
        const body = { ...IMAGES[dialect]("https://example.com/a.png"), ...(dialect !== "gemini" && { model }) };
        const headers = { "x-fullstop-provider-key": KEY };
        const response = await fetch(url + address, { method: "POST", headers, body: JSON.stringify(body) });
        expect(await response.text()).toContain("redirects to another address, which is not followed");
      }
    }
    expect(visits).toEqual([]);
  });

  it("is not followed by the doctor, who says so", async () => {
    const providers = Object.fromEntries(
      DIALECTS.map((dialect) => [dialect, { baseUrl: REDIRECTING, dialect, apiKeyEnv: "UP_SECRET" }]),
    );
    const config = folder.write("config.json", JSON.stringify({ providers }));
    const env = { UP_SECRET: KEY, FULLSTOP_STORE: "memory" };
    const { stdout, stderr } = await runMain(["doctor", "--online", "--config", config], { env });
    expect(stdout + stderr).toContain("redirects to another address, which is not followed");
    expect(visits).toEqual([]);
  });
});

describe("addresses", () => {
  const packages = path.resolve(import.meta.dirname, "../../..");

  /** The files of the source whose code fits a pattern. */
  const filesWith = (pattern: RegExp): readonly string[] =>
    ["console", "fullstop", "gateway", "telegram"]
      .flatMap((name) => {
        const source = path.join(packages, name, "src");
        const files = readdirSync(source, { recursive: true, encoding: "utf8" });
        return files.filter((file) => /\.tsx?$/u.test(file)).map((file) => [name, source, file] as const);
      })
      .flatMap(([name, source, file]) => {
        const code = readFileSync(path.join(source, file), "utf8").replaceAll(/^\s*(?:\*|\/\/).*$/gmu, "");
        return pattern.test(code) ? [`${name}/${file}`] : [];
      })
      .toSorted();

  it("are opened in these places of the source and no others", () => {
    expect(
      filesWith(/(?<!function )\bfetch\(|\.dispatch\(|\bnew (?:EventSource|WebSocket)|XMLHttpRequest|sendBeacon/u),
    ).toEqual([
      "console/api/http.ts", // the page's own server
      "fullstop/adapters/fetch/create-fetch.ts", // what the program itself asks
      "fullstop/engines/gateway.ts", // a gateway that the program names, redirects not followed
      "fullstop/engines/receive.ts", // providers, redirects not followed
      "fullstop/engines/remote.ts", // the default of the one above
      "fullstop/llama/model-request.ts", // models that the configuration or the command line names
      "gateway/doctor/check-keys.ts", // providers, redirects not followed
      "gateway/doctor/check-machine.ts", // this machine
      "gateway/models/llama-server.ts", // a llama.cpp server of the configuration, redirects not followed
      "gateway/models/provider-models.ts", // providers, through the one below
      "gateway/upstream/upstream.ts", // providers, redirects not followed
    ]);
  });

  it("can be opened by what these places import, and no others", () => {
    const opening = "node:(?:https?|http2|net|tls|dgram|dns)|(?:http|https|net|tls)|undici|@redis/|grammy|ws";
    const imports = new RegExp(`^(?:import (?!type )|export ).*from "(?:${opening})|import\\("(?:${opening})`, "mu");
    expect(filesWith(imports)).toEqual([
      "gateway/doctor/check-machine.ts", // tries whether a port can be listened on
      "gateway/doors/unreadable.ts", // the words for status codes
      "gateway/serve/command.ts", // looks at the form of an address
      "gateway/stores/redis-address.ts", // the store of the environment
      "gateway/stores/redis-cluster.ts",
      "gateway/stores/redis-connections.ts",
      "gateway/stores/redis-link.ts",
      "gateway/telegram/http.ts", // the web server beside a bot
      "gateway/upstream/open-socket.ts", // providers
      "gateway/upstream/upstream.ts", // what a header may hold
      "telegram/bot.ts", // Telegram, at the address of the environment
      "telegram/screen/outcome.ts", // what its errors mean
      "telegram/telegram-errors.ts",
      "telegram/updates/keep-fetching.ts", // what it throws where the network is away
      "telegram/updates/route-updates.ts",
      "telegram/updates/webhook.ts",
    ]);
  });
});
