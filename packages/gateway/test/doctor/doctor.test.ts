import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdirSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkNode } from "../../src/doctor/check-machine.ts";
import { createFolder } from "../support/folder.ts";
import { freePort } from "../support/free-port.ts";
import { openGateway } from "../support/gateway.ts";
import { startRedis } from "../support/redis-server.ts";
import { runBin } from "../support/run.ts";

const folder = createFolder();
const cwd = folder.path("");
/** Any free port, so that nothing on the machine is in the way. */
const env = { FULLSTOP_STORE: "memory", PORT: "0", HOME: cwd };

interface Diagnosis {
  readonly isWell: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly status: string;
    readonly finding: string;
    readonly advice?: string;
  }[];
}

async function examine(parameters: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const { exitCode, stdout, stderr } = await runBin(["doctor", "--json", ...parameters], {
    cwd,
    env: { ...env, ...more },
  });
  expect(stderr).toBe("");
  const diagnosis = JSON.parse(stdout) as Diagnosis;
  expect(exitCode).toBe(diagnosis.isWell ? 0 : 1);
  const found = (name: string) => diagnosis.checks.find((each) => each.name === name);
  return { ...diagnosis, found, stdout };
}

/** Opens a server that answers every request with a status, and gives its address. */
async function openServer(
  answer: (headers: Readonly<Record<string, unknown>>, url: string) => number,
): Promise<string> {
  const server = createServer(({ headers, url }, response) => {
    response.writeHead(answer(headers, url ?? "")).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("fullstop doctor", () => {
  it("finds nothing wrong on a machine as it is installed", async () => {
    const { exitCode, stdout, stderr } = await runBin(["doctor"], { cwd, env });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout.split("\n").map((line) => line.replace(/:.*/u, ""))).toEqual([
      "✔ node",
      "– configuration",
      "✔ pip",
      "– keys",
      "✔ store",
      "✔ port",
      "– telegram",
      "",
    ]);
  });

  it("tells which keys are set, and never what they are", async () => {
    const { checks, stdout } = await examine([], {
      OPENAI_API_KEY: "quiet-harbour-1",
      GROQ_API_KEY: "quiet-harbour-2\n",
      TELEGRAM_BOT_TOKEN: "123456:quiet-harbour-3",
    });
    expect(stdout).not.toContain("quiet-harbour");
    expect(checks).toContainEqual({ name: "OPENAI_API_KEY", status: "well", finding: "is set" });
    expect(checks).toContainEqual(expect.objectContaining({ name: "GROQ_API_KEY", status: "wrong" }));
    expect(checks).toContainEqual(expect.objectContaining({ name: "telegram", status: "well" }));
  });

  it.each([
    { status: 200, expected: { status: "well" } },
    { status: 401, expected: { status: "wrong", advice: "set HOUSE_KEY to another one" } },
    { status: 503, expected: { status: "wrong", advice: "try again later" } },
  ])("asks providers if told to: $status", async ({ status, expected }) => {
    let seen: unknown;
    const url = await openServer((headers, path) => {
      seen = [headers["authorization"], path];
      return status;
    });
    const file = folder.write(
      `online-${status}.json`,
      JSON.stringify({
        providers: { house: { baseUrl: `${url}/v1`, dialect: "openai-chat", apiKeyEnv: "HOUSE_KEY" } },
      }),
    );
    const { found, stdout } = await examine(["--online", "--config", file], { HOUSE_KEY: "quiet-harbour" });
    expect(found("HOUSE_KEY")).toMatchObject(expected);
    expect(seen).toEqual(["Bearer quiet-harbour", "/v1/models"]);
    expect(stdout).not.toContain("quiet-harbour");
  });

  it("asks Ollama and other servers that need no key, and says where they cannot be reached", async () => {
    const seen: string[] = [];
    const url = await openServer((_headers, path) => {
      seen.push(path);
      return 200;
    });
    const up = await examine([], { OLLAMA_HOST: url, OPENAI_BASE_URL: `${url}/v1` });
    expect(up.found("OLLAMA_HOST")).toMatchObject({ status: "well", finding: `${new URL(url).host} answers` });
    expect(up.found("OPENAI_BASE_URL")).toMatchObject({ status: "well" });
    expect(seen.toSorted()).toEqual(["/api/tags", "/v1/models"]);
    const down = await examine([], { OLLAMA_HOST: "127.0.0.1:1" });
    expect(down.found("OLLAMA_HOST")).toMatchObject({
      status: "wrong",
      finding: expect.stringContaining("cannot be reached") as string,
      advice: "start the server, or correct OLLAMA_HOST",
    });
  });

  it("blames Pip for no variable that cannot be used", async () => {
    const { found } = await examine([], { OPENAI_BASE_URL: "nonsense" });
    expect(found("configuration")).toMatchObject({ status: "wrong" });
    expect(found("OPENAI_BASE_URL")).toMatchObject({ status: "wrong" });
    expect(found("pip")).toMatchObject({ status: "well" });
  });

  it("says where a provider cannot be reached, and why", async () => {
    const port = await freePort();
    const config = {
      providers: { house: { baseUrl: `http://127.0.0.1:${port}/v1`, dialect: "openai-chat", apiKeyEnv: "K" } },
    };
    const file = folder.write("unreachable.json", JSON.stringify(config));
    const { found } = await examine(["--online", "--config", file], { K: "x" });
    expect(found("K")).toMatchObject({
      status: "wrong",
      finding: `127.0.0.1:${port} cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}`,
      advice: `check the connection to 127.0.0.1:${port}`,
    });
  });

  it.each([
    { content: "{", says: "JSON" },
    { content: '{"prot": 1}', says: "prot" },
    { content: '{"models": {"x": {"provider": "nobody", "model": "y"}}}', says: 'there is no provider "nobody"' },
  ])("says what is wrong with a configuration: $content", async ({ content, says }) => {
    const file = folder.write("broken.json", content);
    const { found } = await examine(["--config", file]);
    expect(found("configuration")).toMatchObject({
      status: "wrong",
      finding: expect.stringContaining(says) as string,
      advice: expect.stringContaining("correct it") as string,
    });
  });

  it("reaches a Redis that is there, and says so when it is not", async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const up = await examine([], { FULLSTOP_STORE: redis.url });
    expect(up.found("store")).toEqual({ name: "store", status: "well", finding: "in Redis" });
    await redis.kill();
    const down = await examine([], { FULLSTOP_STORE: redis.url });
    expect(down.found("store")).toMatchObject({
      status: "wrong",
      advice: expect.stringContaining("start it") as string,
    });
  });

  it("says so where the file of the store is a folder", async () => {
    mkdirSync(folder.path("store.db"));
    const { found } = await examine([], { FULLSTOP_STORE: folder.path("store.db") });
    expect(found("store")).toMatchObject({
      status: "wrong",
      advice: "set FULLSTOP_STORE to memory, another file or the address of a Redis",
    });
  });

  it("tells a port that is taken from one with a gateway", async () => {
    const gateway = await openGateway();
    onTestFinished(() => gateway.close());
    const other = await openServer(() => 404);
    const ours = await examine([], { PORT: new URL(gateway.url).port });
    expect(ours.found("port")).toMatchObject({
      status: "absent",
      finding: expect.stringContaining("a gateway") as string,
    });
    const theirs = await examine([], { PORT: new URL(other).port });
    expect(theirs.found("port")).toMatchObject({
      status: "wrong",
      advice: expect.stringContaining("--port") as string,
    });
    expect((await examine([], { PORT: "many" })).found("port")).toMatchObject({ status: "wrong" });
  });

  it("knows a token by its form", async () => {
    const { found } = await examine([], { TELEGRAM_BOT_TOKEN: "no token" });
    expect(found("telegram")).toMatchObject({
      status: "wrong",
      advice: expect.stringContaining("@BotFather") as string,
    });
  });

  it.each([
    { version: "20.18.9", status: "wrong" },
    { version: "18.20.0", status: "wrong" },
    { version: "20.19.0", status: "well" },
    { version: "22.1.0", status: "well" },
  ])("Node $version is $status", ({ version, status }) => {
    expect(checkNode(version)).toMatchObject({ status });
  });
});
