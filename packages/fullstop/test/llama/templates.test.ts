import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { modelPath } from "@fullstop/pip";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LlamaEngine } from "../../src/llama/index.ts";
import { createLlamaEngine } from "../../src/llama/index.ts";
import { read, say, think } from "../support/local-model.ts";

const TOOLS = [{ name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } }];

/** What is replaced in Pip's template, by something of the same length, so that it opens the thinking in every prompt. */
const CHANGES = [
  ["enable_thinking is defined and enable_thinking is false", "true"],
  [String.raw`'<think>\n\n</think>\n\n'`, String.raw`'<think>\n'`],
] as const;

describe("a model whose template opens the thinking itself", () => {
  let folder: string;
  let engine: LlamaEngine;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "fullstop-"));
    const bytes = await readFile(modelPath);
    for (const [before, after] of CHANGES) {
      const at = bytes.indexOf(before);
      if (at < 0) throw new Error(`Pip's template does not hold ${before}`);
      bytes.write(after.padEnd(before.length), at);
    }
    const file = path.join(folder, "always.gguf");
    await writeFile(file, bytes);
    engine = createLlamaEngine({ model: file, sequences: 1, idleMilliseconds: 0 });
  });

  afterAll(async () => {
    await engine.dispose();
    await rm(folder, { recursive: true });
  });

  it("thinks from its first token on", async () => {
    const answer = await read(engine, think("What is 312 + 230?"));
    expect(answer.reasoning).toMatch(/^I add 312 and 230/u);
    expect(answer.text).toBe("312 + 230 = 542");
  });

  it("does not think when it is not to", async () => {
    const answer = await read(engine, say("What is 12 + 30?"));
    expect(answer.reasoning.trim()).toBe("");
    expect(answer.text).toBe("12 + 30 = 42");
    expect(answer.usage?.reasoningTokens).toBeLessThanOrEqual(2);
  });

  it("is skipped before it has begun", async () => {
    const generation = engine.generate(think("What is 12 + 30?"), new AbortController().signal);
    expect(generation.skipThinking()).toBe(true);
    let text = "";
    for await (const event of generation) if (event.type === "text") text += event.text;
    expect(text).toBe("12 + 30 = 42");
  });

  it("calls the tool that it has to", async () => {
    const request = think("What is the weather in Oslo?", { tools: TOOLS, toolChoice: "required" });
    const answer = await read(engine, request);
    expect(answer.calls).toEqual([{ name: "get_weather", json: '{"city": "Oslo"}', isComplete: true }]);
    expect(answer.reasoning).not.toContain("tool_call");
    expect(answer.signal.reason).toBe("tool_calls");
  });

  it("writes JSON that was asked for", async () => {
    const schema = { type: "object", properties: { city: { type: "string" } } };
    const answer = await read(engine, think("Hello", { output: { type: "json-schema", schema } }));
    expect(JSON.parse(answer.text)).toHaveProperty("city");
  });
});
