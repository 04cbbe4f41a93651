import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { finish, start, text } from "fullstop/testing";
import { afterAll, describe, expect, it } from "vitest";
import { openScripted } from "../../gateway/test/support/scripted.ts";
import { Answer } from "../src/answer/fold.ts";
import { writeCode } from "../src/pages/playground/code-samples.ts";
import { FIRST_SETTINGS } from "../src/pages/playground/settings.ts";
import type { PlaygroundSettings } from "../src/pages/playground/settings.ts";
import type { Turn } from "../src/pages/playground/turn.ts";

const gateway = await openScripted();
const run = promisify(execFile);
// Within the repository, so that the clients are found.
const folder = path.resolve(import.meta.dirname, "../.scratch");
mkdirSync(folder, { recursive: true });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const settings = {
  ...FIRST_SETTINGS,
  model: "openai-chat/any-model",
  stop: ["STOP", "it's `over`"],
  maxTokens: 50,
};
const turns: readonly Turn[] = [
  {
    prompt: { type: "text", text: `Don't say "$HOME" \\ or '` },
    answer: new Answer(),
    state: { type: "asking" },
    order: "none",
  },
];

async function output(kind: "curl" | "openai" | "anthropic", asked: PlaygroundSettings = settings): Promise<string> {
  const code = writeCode(kind, gateway.url, asked, turns);
  if (kind === "curl") return (await run("bash", ["-c", code])).stdout;
  const file = path.join(folder, `${kind}.mjs`);
  writeFileSync(file, code);
  return (await run(process.execPath, [file])).stdout;
}

describe("the request as code", () => {
  it.each([
    ["curl", '"stop_sequence"'],
    ["openai", "stop_sequence"],
    ["anthropic", "stop_sequence"],
  ] as const)("does for %s what the page does", async (kind, ending) => {
    gateway.script("openai-chat", [start(), text("All good STOP never seen"), finish()]);
    const shown = await output(kind);
    expect(shown).toContain("All good");
    expect(shown).not.toContain("never seen");
    expect(shown).toContain(ending);
    const { request } = gateway.upstreams["openai-chat"].requests.at(-1)!;
    expect(request.messages.at(-1)?.content).toEqual([{ type: "text", text: `Don't say "$HOME" \\ or '` }]);
    expect(request.maxOutputTokens).toBe(50);
  });

  it.each(["curl", "openai", "anthropic"] as const)("ends %s at letters that no header can hold", async (kind) => {
    gateway.script("openai-chat", [start(), text("Welcome to 日本 and 🗻 never seen"), finish()]);
    const shown = await output(kind, { ...settings, stop: ["日本", "🗻"] });
    expect(shown).toContain("Welcome to");
    expect(shown).not.toContain("never seen");
  });

  it("is there for the ai package, too", () => {
    const code = writeCode("ai", gateway.url, settings, turns);
    expect(code).toContain(`baseURL: "${gateway.url}/v1"`);
    expect(code).toContain("maxOutputTokens: 50");
    expect(code).toContain("x-fullstop-settings");
  });
});
