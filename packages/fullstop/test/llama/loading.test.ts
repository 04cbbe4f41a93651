import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { modelPath } from "@fullstop/pip";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLlamaEngine } from "../../src/llama/index.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { openPip, read, say } from "../support/local-model.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "fullstop-"));
});

afterAll(() => rm(folder, { recursive: true }));

/** A copy of Pip's file with some bytes replaced by others of the same length. */
async function pipWith(name: string, find: string, replacement: string): Promise<string> {
  const bytes = await readFile(modelPath);
  const at = bytes.indexOf(find);
  expect(at).toBeGreaterThan(0);
  bytes.write(replacement, at);
  const file = path.join(folder, name);
  await writeFile(file, bytes);
  return file;
}

describe("a model that cannot be loaded", () => {
  const broken: Readonly<Record<string, () => Promise<string>>> = {
    "a path where nothing is": () => Promise.resolve(path.join(folder, "nothing.gguf")),
    "a file of another kind": async () => {
      const file = path.join(folder, "text.gguf");
      await writeFile(file, "just some text that is no model at all");
      return file;
    },
    "half a model": async () => {
      const file = path.join(folder, "half.gguf");
      await writeFile(file, (await readFile(modelPath)).subarray(0, 4_000_000));
      return file;
    },
    "a model without a template": () => pipWith("plain.gguf", "tokenizer.chat_template", "tokenizer.chat_tumplate"),
    "a model with a broken template": () => pipWith("odd.gguf", "{%- if tools %}", "{%- if tools ((("),
  };

  it.each(Object.keys(broken))("is told apart: %s", async (kind) => {
    const file = await broken[kind]!();
    const engine = createLlamaEngine({ model: file });
    const failure = await engine.load().catch((error: unknown) => error);
    const [expectedKind, message] = EXPECTED[kind]!;
    expect(failure).toMatchObject({ name: "ModelLoadError", kind: expectedKind });
    expect(String(failure)).toMatch(message);
    expect(engine.status()).toMatchObject({ isLoaded: false, live: 0 });
    const answer = await read(engine, say("Hello"));
    expect(answer.events).toHaveLength(1);
    expect(answer.signal).toMatchObject({ reason: "error_termination", detail: "model_unavailable" });
    expect(answer.signal.message).toMatch(message);
    await engine.dispose();
  });

  const EXPECTED: Readonly<Record<string, readonly [kind: string, message: RegExp]>> = {
    "a path where nothing is": ["not_found", /nothing\.gguf/u],
    "a file of another kind": ["invalid_file", /text\.gguf/u],
    "half a model": ["invalid_file", /half\.gguf.*is cut off/u],
    "a model without a template": ["no_template", /template/u],
    "a model with a broken template": ["no_template", /template/u],
  };

  it("is tried again by the next request, once it is there", async () => {
    const file = path.join(folder, "late.gguf");
    const engine = createLlamaEngine({ model: file });
    expect((await read(engine, say("What is 2 + 3?"))).signal.reason).toBe("error_termination");
    await writeFile(file, await readFile(modelPath));
    expect((await read(engine, say("What is 2 + 3?"))).text).toBe("2 + 3 = 5");
    await engine.dispose();
  });

  it("is told apart: too large a context", async () => {
    const engine = createLlamaEngine({ model: "pip", contextTokens: 10_000_000, sequences: 8 });
    await expect(engine.load()).rejects.toMatchObject({ name: "ModelLoadError", kind: "out_of_memory" });
    await engine.dispose();
  });

  it.each([
    [{ model: "" }, /model must be "pip", a path/u],
    [{ model: "pip", sequences: 0 }, /sequences must be a whole number of at least 1, got 0/u],
    [{ model: "pip", contextTokens: 8 }, /contextTokens must be/u],
    [{ model: "pip", thread: 2 }, /has no such option.*"thread"/u],
    [{ model: "pip", sampling: { temperature: "hot" } }, /temperature must be a number/u],
    [{ model: "pip", gpu: "yes" }, /gpu must be true or false/u],
    [{ model: "pip", rules: { minTokens: -1 } }, /minTokens must be a whole number/u],
  ] as const)("is not even looked for with %j", (options, message) => {
    expect(() => createLlamaEngine(options as never)).toThrow(message);
  });
});

describe("a model in memory", () => {
  it("says what it is", async () => {
    const engine = openPip({ contextTokens: 500 });
    expect(await engine.load()).toEqual({
      name: "pip-q8_0.gguf",
      contextTokens: 500,
      canThink: true,
      canCallTools: true,
    });
  });

  it("is loaded once, however many ask for it", async () => {
    const engine = openPip({ sequences: 2 });
    const answers = await Promise.all([1, 2, 3].map(() => read(engine, say("What is 2 + 3?"))));
    expect(answers.map(({ text }) => text)).toEqual(["2 + 3 = 5", "2 + 3 = 5", "2 + 3 = 5"]);
  });

  it("leaves it when nobody has used it for a while, and comes back", async () => {
    const clock = createManualClock();
    const engine = openPip({ idleMilliseconds: 1000, clock });
    let timers: readonly number[] = [];
    await read(engine, say("What is 2 + 3?"), undefined, () => (timers = clock.running()));
    expect(timers).toEqual([]);
    await clock.fire(1000);
    expect(engine.status().isLoaded).toBe(false);
    expect((await read(engine, say("What is 2 + 3?"))).text).toBe("2 + 3 = 5");
  });

  it("is not taken away from a generation", async () => {
    const engine = openPip();
    let unloading: Promise<void> | undefined;
    const answer = await read(engine, say("Count from 1 to 50"), undefined, (event) => {
      if (event.type === "start") unloading = engine.unload();
    });
    expect(answer.signal.reason).toBe("natural_completion");
    await unloading;
    expect(engine.status().isLoaded).toBe(false);
  });

  it("can stand beside another", async () => {
    const engines = [openPip(), openPip({ contextTokens: 512 })];
    const answers = await Promise.all(engines.map((engine) => read(engine, say("Count from 1 to 50"))));
    expect(answers[0]!.text).toBe(answers[1]!.text);
    await engines[0]!.dispose();
    expect((await read(engines[1]!, say("What is 2 + 3?"))).text).toBe("2 + 3 = 5");
  });

  it("is gone after its engine was disposed of, which stops what generates", async () => {
    const engine = createLlamaEngine({ model: "pip" });
    let disposing: Promise<void> | undefined;
    const answer = await read(engine, say("Say hello forever"), undefined, (event) => {
      if (event.type === "text") disposing ??= engine.dispose();
    });
    await disposing;
    expect(answer.signal).toMatchObject({ reason: "cancelled", detail: "shutdown" });
    expect(engine.status()).toMatchObject({ isLoaded: false, live: 0 });
    const late = await read(engine, say("Hello"));
    expect(late.signal).toMatchObject({ reason: "error_termination", detail: "shutdown" });
    await engine.dispose();
  });
});

describe("a process with generations running", () => {
  const script = (ending: string): string => `
    import { createLlamaEngine } from ${JSON.stringify(import.meta.resolve("fullstop/llama"))};
    const engine = createLlamaEngine({ model: "pip", sequences: 4 });
    const request = { model: "pip", messages: [{ role: "user", content: [{ type: "text", text: "Say hello forever" }] }] };
    let writing = 0;
    const readers = [1, 2, 3, 4].map(async () => {
      let told = false;
      for await (const event of engine.generate(request, new AbortController().signal)) {
        if (event.type !== "text" && event.type !== "reasoning") continue;
        if (!told) writing += 1;
        told = true;
        if (writing === 4) { writing = 0; console.log("writing"); ${ending} }
      }
    });
    await Promise.all(readers);
  `;

  it.each([
    ["exits when told to", "process.exit(7);", undefined, [7, null]],
    ["ends by itself once the engine is disposed of", "void engine.dispose();", undefined, [0, null]],
    ["is ended by a signal", "", "SIGTERM", [null, "SIGTERM"]],
  ] as const)("%s", async (_, ending, signal, expected) => {
    const file = path.join(folder, "process.mjs");
    await writeFile(file, script(ending));
    const child = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "pipe"] });
    let errors = "";
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    const exit = once(child, "exit");
    await Promise.race([once(child.stdout, "data"), exit]);
    if (signal !== undefined) child.kill(signal);
    await exit;
    expect([child.exitCode, child.signalCode, errors]).toEqual([...expected, ""]);
  });
});
