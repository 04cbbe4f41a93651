import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { PIP, createFolder, hashOf, openModelServer } from "../../../fullstop/test/llama/model-server.ts";
import { runBin } from "../support/run.ts";
import { startInTerminal } from "../support/pty.ts";

/** A home of its own for each test, so that nobody's downloads are touched. */
async function openHome() {
  const home = await createFolder();
  const models = path.join(home, ".node-llama-cpp", "models");
  const run = (parameters: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runBin(["models", ...parameters], { cwd: home, env: { HOME: home, ...env } });
  return { home, models, run };
}

/** A server that speaks like Hugging Face and has one model. */
function openHub() {
  return openModelServer(({ path: asked }) => {
    if (asked === "/v2/someone/pip-GGUF/manifests/Q8_0") {
      return { status: 200, body: JSON.stringify({ ggufFile: { rfilename: "pip.Q8_0.gguf" } }) };
    }
    return asked === "/someone/pip-GGUF/resolve/main/pip.Q8_0.gguf"
      ? { file: PIP, headers: { "x-linked-etag": `"${hashOf(PIP)}"` } }
      : { status: 404 };
  });
}

describe("fullstop models", () => {
  it("lists the embedded model, those of the configuration and providers, and never a key", async () => {
    const { home, run } = await openHome();
    const config = {
      models: { fast: { provider: "house", model: "gpt-x" } },
      aliases: { best: "fast" },
      providers: { house: { baseUrl: "http://127.0.0.1:1/v1", dialect: "openai-chat" } },
    };
    writeFileSync(path.join(home, "fullstop.config.json"), JSON.stringify(config));
    const env = { OPENAI_API_KEY: "quiet-harbour", MISTRAL_API_KEY: "" };
    const { exitCode, stdout, stderr } = await run(["--json"], env);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual([
      { name: "pip", kind: "embedded", where: "@fullstop/pip", bytes: PIP.length },
      { name: "fast", kind: "configured", where: "house/gpt-x", bytes: null },
      { name: "best", kind: "configured", where: "fast", bytes: null },
      { name: "house/…", kind: "provider", where: "http://127.0.0.1:1/v1", bytes: null },
      { name: "openai/…", kind: "provider", where: "OPENAI_API_KEY is set", bytes: null },
    ]);
    const table = await run(["list"], env);
    expect(table.stdout).toMatch(/^pip +embedded +\d+\.\d MB +@fullstop\/pip\nfast +configured/u);
    expect(table.stdout + stdout).not.toContain("quiet-harbour");
  });

  it("downloads a model, lists it, finds it again, and removes it", async () => {
    const hub = await openHub();
    const { models, run } = await openHome();
    const env = { HF_ENDPOINT: hub.origin };
    const name = "hf:someone/pip-GGUF:Q8_0";
    const file = path.join(models, "hf_someone_pip.Q8_0.gguf");

    const pulled = await run(["pull", name, "--json"], env);
    expect(pulled.exitCode).toBe(0);
    expect(JSON.parse(pulled.stdout)).toEqual({ name, path: file, bytes: PIP.length });
    expect(pulled.stderr).toContain("hf_someone_pip.Q8_0.gguf");
    const asked = hub.requests.length;
    expect(await run(["pull", name], env)).toEqual({ exitCode: 0, stdout: `${file}\n`, stderr: "" });
    expect(hub.requests).toHaveLength(asked);
    const listed = await run(["--json"], env);
    expect(JSON.parse(listed.stdout)).toContainEqual({
      name: file,
      kind: "downloaded",
      where: models,
      bytes: PIP.length,
    });

    const removed = await run(["remove", name], env);
    expect(removed).toMatchObject({ exitCode: 0, stderr: "" });
    expect(removed.stdout).toMatch(/^removed hf_someone_pip\.Q8_0\.gguf \(\d/u);
    expect(readdirSync(models)).toEqual([]);
  });

  it("draws a bar for somebody who watches", async () => {
    const hub = await openHub();
    const { home } = await openHome();
    const env = { HOME: home, HF_ENDPOINT: hub.origin };
    const run = startInTerminal(["models", "pull", "hf:someone/pip-GGUF:Q8_0"], { cwd: home, env });
    await run.until("100 %");
    expect(await run.exitCode).toBe(0);
  });

  it("keeps what has arrived when it is broken off, shows it as unfinished, and removes it when asked", async () => {
    const server = await openModelServer(() => ({ file: PIP, cutAfter: 100_000, etag: null, ranges: false }));
    const { models, run } = await openHome();
    const broken = await run(["pull", `${server.origin}/pip.gguf`]);
    expect(broken).toMatchObject({ exitCode: 1, stdout: "" });
    expect(broken.stderr).toMatch(/fullstop models: Downloading .* failed/u);
    const listed = JSON.parse((await run(["--json"])).stdout) as readonly { kind: string; name: string }[];
    const unfinished = listed.find(({ kind }) => kind === "unfinished");
    expect(unfinished).toBeDefined();
    expect((await run(["remove", path.basename(unfinished?.name ?? "")])).exitCode).toBe(0);
    expect(readdirSync(models)).toEqual([]);
  });

  it.each(["../outside.gguf", "outside.gguf", "link.gguf", "folder.gguf", "notes.txt", "pip"])(
    "removes nothing that was not downloaded: %s",
    async (name) => {
      const { home, models, run } = await openHome();
      mkdirSync(path.join(models, "folder.gguf"), { recursive: true });
      for (const file of [
        path.join(models, "notes.txt"),
        path.join(models, "..", "outside.gguf"),
        path.join(home, "x.gguf"),
      ]) {
        writeFileSync(file, "GGUF");
      }
      symlinkSync(path.join(home, "x.gguf"), path.join(models, "link.gguf"));
      const { exitCode, stdout, stderr } = await run(["remove", name]);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
      expect(stderr).toContain(`No model ${JSON.stringify(name)} was downloaded`);
      expect(existsSync(path.join(models, "..", "outside.gguf"))).toBe(true);
      expect(existsSync(path.join(home, "x.gguf"))).toBe(true);
      expect(readdirSync(models).sort()).toEqual(["folder.gguf", "link.gguf", "notes.txt"]);
    },
  );

  it("says so where a model is nowhere", async () => {
    const hub = await openHub();
    const { run } = await openHome();
    const { exitCode, stderr } = await run(["pull", "hf:someone/other:Q1"], { HF_ENDPOINT: hub.origin });
    expect(exitCode).toBe(1);
    expect(stderr).toContain("There is no model someone/other:Q1");
  });

  it.each([
    { parameters: ["fetch"], says: 'models takes list, pull, remove, got "fetch"' },
    { parameters: ["pull"], says: "pull needs the NAME of a model" },
    { parameters: ["pull", "pip"], says: 'pull needs hf:user/model:quant or an http address, got "pip"' },
    { parameters: ["list", "x"], says: 'there is nothing to do with "x"' },
    { parameters: ["remove", "a", "b"], says: 'there is nothing to do with "b"' },
  ])("refuses $parameters", async ({ parameters, says }) => {
    const { run } = await openHome();
    const { exitCode, stderr } = await run(parameters);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`fullstop models: ${says}`);
  });
});
