import { afterEach, describe, expect, it } from "vitest";
import { createFolder } from "../support/folder.ts";
import { freePort } from "../support/free-port.ts";
import { get, hashOf, readFrames } from "../support/gateway.ts";
import { runBin, runMain } from "../support/run.ts";
import { startServe } from "../support/serve.ts";
import type { ServeProcess } from "../support/serve.ts";

const folder = createFolder();
const cwd = folder.path(".");
const running: ServeProcess[] = [];

async function start(parameters: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const server = await startServe(parameters, { cwd, env });
  running.push(server);
  return server;
}

afterEach(async () => {
  for (const { child, exit } of running.splice(0)) {
    child.kill("SIGKILL");
    await exit;
  }
});

describe("fullstop serve", () => {
  it("listens on one address, also where localhost has two", async () => {
    const twoAddresses = `
      const dns = require("node:dns");
      const lookup = dns.lookup;
      const both = [{ address: "127.0.0.1", family: 4 }, { address: "::1", family: 6 }];
      dns.lookup = (host, options, done) =>
        host === "localhost" && options.all ? process.nextTick(done, null, both) : lookup.call(dns, host, options, done);
    `;
    const preload = folder.write("two-addresses.cjs", twoAddresses);
    const { url } = await start(["--port", "0", "--host", "localhost"], { NODE_OPTIONS: `--require ${preload}` });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u);
    expect((await get(`${url}/healthz`)).status).toBe(200);
    await expect(fetch(url.replace("127.0.0.1", "[::1]"))).rejects.toThrow("fetch failed");
  });

  it("says first where it listens, then which models there are, and who can reach it", async () => {
    const { url, stdout, child, exit } = await start(["--port", "0"], {
      OPENAI_API_KEY: "very-secret",
      // Nobody is there, and nobody else is to be asked which models they have.
      OPENAI_BASE_URL: "http://127.0.0.1:1/v1",
    });
    expect(stdout().split("\n")[0]).toBe(`fullstop is listening on ${url}`);
    expect(new URL(url).hostname).toBe("127.0.0.1");
    expect(await get(`${url}/healthz`)).toEqual({ status: 200, body: { status: "ok" } });
    expect(await get(`${url}/v1/models`)).toMatchObject({ body: { data: [{ id: "pip" }] } });
    child.kill("SIGTERM");
    expect(await exit).toBe(0);
    expect(stdout()).toMatch(/^ {2}pip \(local\)$/mu);
    expect(stdout()).toMatch(/openai\/…/u);
    expect(stdout()).toMatch(/only this machine/u);
    expect(stdout()).not.toContain("very-secret");
  });

  it("takes its port from PORT, and rather from --port", async () => {
    const port = await freePort();
    const byEnvironment = await start([], { PORT: String(port) });
    expect(new URL(byEnvironment.url).port).toBe(String(port));
    const byOption = await start(["--port", "0"], { PORT: String(port) });
    expect(new URL(byOption.url).port).not.toBe(String(port));
  });

  it("says so when its port is taken", async () => {
    const { url } = await start(["--port", "0"]);
    const { exitCode, stdout, stderr } = await runBin(["serve", "--port", new URL(url).port]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toMatch(
      /^fullstop: cannot go on: address already in use: 127\.0\.0\.1:\d+; end the program that has it, .*--port\n$/u,
    );
  });

  it.each([
    ["is not of this machine", "192.0.2.1", /: 192\.0\.2\.1:8799; choose another one with --host or --port\n$/u],
    ["nobody knows", "nowhere.invalid", /: nowhere\.invalid\n$/u],
  ])("names the address that it cannot listen on where that %s", async (_, host, words) => {
    const keys = [{ name: "me", sha256: hashOf("sesame") }];
    const config = folder.write("elsewhere.json", JSON.stringify({ host, keys }));
    // The port is nobody's, as there is nothing to listen on.
    const { exitCode, stderr } = await runBin(["serve", "--port", "8799", "--config", config]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^fullstop: cannot go on: /u);
    expect(stderr).toMatch(words);
  });

  it("reads a configuration", async () => {
    const keys = [{ name: "me", sha256: hashOf("sesame") }];
    const config = folder.write("good.json", JSON.stringify({ port: 0, keys, aliases: { quick: "pip" } }));
    const { url, stdout, child, exit } = await start(["--config", config]);
    expect((await get(`${url}/v1/models`)).status).toBe(401);
    expect(await get(`${url}/v1/models`, { authorization: "Bearer sesame" })).toMatchObject({
      body: { data: [{ id: "pip" }, { id: "quick" }] },
    });
    child.kill("SIGINT");
    expect(await exit).toBe(0);
    expect(stdout()).toContain("Keys are needed.");
  });

  it.each([
    ["not JSON", "{", /bad\.json: .*JSON/u],
    ["a field that is unknown", '{"prot": 80}', /bad\.json: .*prot/u],
    ["a bad value", '{"providers": {"vllm": {"baseUrl": "vllm"}}}', /bad\.json: providers\.vllm\.baseUrl: /u],
    ["a name that leads nowhere", '{"aliases": {"quick": "slow"}}', /aliases\.quick: There is no model "slow"/u],
  ])("refuses a configuration that is %s, and says where", async (_, content, message) => {
    const config = folder.write("bad.json", content);
    const { exitCode, stdout, stderr } = await runMain(["serve", "--config", config]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^fullstop serve: .*\nusage: fullstop serve/su);
  });

  it.each([
    { parameters: ["--config", "/no/such/file.json"], message: /cannot read \/no\/such\/file\.json/u },
    { parameters: ["--port", "http"], message: /--port must be a number from 0 to 65535, got "http"/u },
    { parameters: ["--port", "65536"], message: /--port must be/u },
    { parameters: ["--prot", "80"], message: /--prot/u },
    { parameters: ["pip"], message: /pip/u },
    { parameters: [], env: { PORT: "eighty" }, message: /PORT must be a number from 0 to 65535, got "eighty"/u },
    { parameters: [], env: { OLLAMA_HOST: "http://" }, message: /OLLAMA_HOST: /u },
  ])("refuses $parameters $env", async ({ parameters, env = {}, message }) => {
    const { exitCode, stdout, stderr } = await runMain(["serve", ...parameters], { env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });

  it.each(["0.0.0.0", "::", "127.0.0.1.example.com", "192.0.2.1"])(
    "does not listen on %s without keys",
    async (host) => {
      const { exitCode, stderr } = await runMain(["serve", "--port", "0", "--host", host]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`configure keys to listen on ${host}`);
    },
  );

  it("listens beyond this machine with keys", async () => {
    const keys = [{ name: "me", sha256: hashOf("sesame") }];
    const config = folder.write("open.json", JSON.stringify({ keys }));
    const { url, stdout } = await start(["--port", "0", "--host", "0.0.0.0", "--config", config]);
    expect(url).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/u);
    const reachable = url.replace("0.0.0.0", "127.0.0.1");
    expect((await get(`${reachable}/v1/models`)).status).toBe(401);
    await expect.poll(stdout).toContain(`Open ${reachable}/ in a browser`);
  });

  it("tells how it is used", async () => {
    const { exitCode, stdout } = await runMain(["serve", "--help"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^usage: fullstop serve.*--port N.*PORT.*OPENAI_API_KEY/su);
  });
});

describe("fullstop serve that is told to end", () => {
  const FOREVER = JSON.stringify({
    model: "pip",
    messages: [{ role: "user", content: "Say hello forever" }],
    stream: true,
    reasoning_effort: "none",
    fullstop: { ignoreEos: true },
  });

  async function startStream(config: object) {
    const server = await start(["--port", "0", "--config", folder.write("end.json", JSON.stringify(config))]);
    const response = await fetch(`${server.url}/v1/chat/completions`, { method: "POST", body: FOREVER });
    const frames = readFrames(response);
    // The model is loaded and writes.
    for (let count = 0; count < 5; count += 1) await frames.next();
    return { ...server, frames };
  }

  async function rest(frames: AsyncGenerator<{ readonly data: string }>): Promise<readonly string[]> {
    const all: string[] = [];
    for await (const { data } of frames) all.push(data);
    return all;
  }

  it.each(["SIGTERM", "SIGINT"] as const)("by %s ends running answers honestly, and itself well", async (signal) => {
    const { child, frames, exit } = await startStream({ shutdownMilliseconds: 50 });
    child.kill(signal);
    const all = await rest(frames);
    expect(all.at(-1)).toBe("[DONE]");
    expect(JSON.parse(all.at(-2)!)).toMatchObject({
      choices: [{ finish_reason: "length" }],
      fullstop: { reason: "cancelled", detail: "shutdown" },
    });
    expect(await exit).toBe(0);
  });

  it("twice does not wait for running answers", async () => {
    const { child, url, frames, exit } = await startStream({ shutdownMilliseconds: 3_600_000 });
    child.kill("SIGTERM");
    // It has heard the first one when it is not ready any more.
    while ((await get(`${url}/readyz`)).status === 200) await frames.next();
    child.kill("SIGTERM");
    expect((await rest(frames)).at(-1)).toBe("[DONE]");
    expect(await exit).toBe(0);
  });
});
