import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { call, finish, start, text } from "fullstop/testing";
import { afterAll, describe, expect, it } from "vitest";
import { findNode } from "../../fullstop/test/support/node-24.ts";
import { openScripted } from "../../gateway/test/support/scripted.ts";
import { Answer } from "../src/answer/fold.ts";
import { CODE_KINDS, writeCode } from "../src/pages/playground/code-samples.ts";
import type { CodeKind } from "../src/pages/playground/code-samples.ts";
import { FIRST_SETTINGS } from "../src/pages/playground/settings.ts";
import type { Prompt, Turn } from "../src/pages/playground/turn.ts";

const gateway = await openScripted();
const run = promisify(execFile);
// Beside the clients, so that they are found. The ai package is in a project of its own, with a newer Node.
const folder = path.resolve(import.meta.dirname, "../.scratch");
const newer = path.resolve(import.meta.dirname, "../../fullstop/test/node-24/.scratch");
for (const each of [folder, newer]) mkdirSync(each, { recursive: true });
afterAll(() => [folder, newer].forEach((each) => rmSync(each, { recursive: true, force: true })));

const settings = {
  ...FIRST_SETTINGS,
  model: "openai-chat/any-model",
  stop: ["STOP", "it's `over`"],
  maxTokens: 50,
};

function turn(prompt: Prompt, answer = new Answer()): Turn {
  return { key: 1, prompt, answer, state: { type: "asking" }, order: "none" };
}

const turns = [turn({ type: "text", text: `Don't say "$HOME" \\ or '` })];

async function output(kind: CodeKind, asked = settings, said: readonly Turn[] = turns): Promise<string> {
  const code = writeCode(kind, gateway.url, asked, said);
  if (kind === "curl") return (await run("bash", ["-c", code])).stdout;
  const file = path.join(kind === "ai" ? newer : folder, `${kind}.mjs`);
  writeFileSync(file, code);
  return (await run(kind === "ai" ? findNode() : process.execPath, [file])).stdout;
}

/** How each client says that a stop string has ended the answer. The ai package has no word of its own for it. */
const ENDINGS: Readonly<Record<CodeKind, string>> = {
  curl: '"stop_sequence"',
  openai: "stop_sequence",
  anthropic: "stop_sequence",
  ai: "stop",
};

describe.each(CODE_KINDS)("the request as code for %s", (kind) => {
  it("does what the page does", async () => {
    gateway.script("openai-chat", [start(), text("All good STOP never seen"), finish()]);
    const shown = await output(kind);
    expect(shown).toContain("All good");
    expect(shown).not.toContain("never seen");
    expect(shown).toContain(ENDINGS[kind]);
    const { request } = gateway.upstreams["openai-chat"].requests.at(-1)!;
    expect(request.messages.at(-1)?.content).toEqual([{ type: "text", text: `Don't say "$HOME" \\ or '` }]);
    expect(request.maxOutputTokens).toBe(50);
    expect(request.tools).toBeUndefined();
  });

  it("ends at letters that no header can hold", async () => {
    gateway.script("openai-chat", [start(), text("Welcome to 日本 and 🗻 never seen"), finish()]);
    const shown = await output(kind, { ...settings, stop: ["日本", "🗻"] });
    expect(shown).toContain("Welcome to");
    expect(shown).not.toContain("never seen");
  });

  it("has the tool, its call and its result, and asks for no thinking where none is wanted", async () => {
    gateway.script("openai-chat", [start(), text("Snow."), finish()]);
    const called = new Answer();
    for (const event of [text("Let me look."), ...call("c1", "get_weather", { city: "Oslo" })]) called.add(event);
    await output(kind, { ...settings, offersTool: true, thinks: false }, [
      turn({ type: "text", text: "What is the weather in Oslo?" }, called),
      turn({ type: "results", results: [{ callId: "c1", content: "snow" }] }),
    ]);
    const { request } = gateway.upstreams["openai-chat"].requests.at(-1)!;
    expect(request.reasoning?.effort).toBe("none");
    expect(request.tools).toMatchObject([{ name: "get_weather", parameters: { required: ["city"] } }]);
    expect(request.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(JSON.stringify(request.messages[1])).toContain("Let me look.");
    expect(JSON.stringify(request.messages[1])).toContain("Oslo");
    expect(JSON.stringify(request.messages[2])).toContain("snow");
  });
});
