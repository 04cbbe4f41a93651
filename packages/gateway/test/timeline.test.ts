import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { paintNothing } from "../src/colours.ts";
import { createSummaryCollector } from "../src/inspect/summary.ts";
import { renderTimeline } from "../src/inspect/timeline.ts";
import { chatOf, chatStream, citedChat, cutChatStream, messagesStream } from "./support/answers.ts";
import { createFolder } from "./support/folder.ts";
import { runBin, runMain } from "./support/run.ts";

const folder = createFolder();
const ESCAPE = "\u001B[";

/** The readable form of an answer without its head line. */
async function show(content: string, parts: Parameters<typeof runMain>[1] = {}): Promise<string> {
  const { stdout } = await runMain(["inspect", "-"], { ...parts, stdin: content });
  return stdout.slice(stdout.indexOf("\n") + 1);
}

describe("the readable form of an answer", () => {
  it("tells what came in order and how it ended", async () => {
    const { stdout } = await runBin(["inspect", "-"], { stdin: messagesStream });
    expect(stdout).toMatchInlineSnapshot(`
      "-  anthropic-messages, 2020 bytes
        start      claude-small, msg_1
        reasoning  Which city?
        text       Let me look.
        tool call  get_time {"zone":"CET"}
        tool call  get_weather {"city":"Par (cut)
        usage      41 tokens in (30 cached), 64 out
        end        token_limit_reached
        confidence high
        told by    delta.stop_reason "max_tokens"
        message    Maximum tokens reached
      "
    `);
  });

  it("tells of an answer that was cut", async () => {
    const { stdout } = await runMain(["inspect", "-"], { stdin: cutChatStream });
    expect(stdout).toMatchInlineSnapshot(`
      "-  openai-chat, 292 bytes
        start      gpt-small, chatcmpl-1
        text       Good 
        end        error_termination
        detail     truncated
        confidence high
        told by    end_of_input ""
        message    The source ended without a finish
      "
    `);
  });

  it.each([
    { content: "hello\n", parameters: [], says: "openai-chat, 6 bytes" },
    { content: "hello\n", parameters: ["--format", "gemini"], says: "gemini, 6 bytes" },
  ])("does not call what means nothing an answer in a dialect: $parameters", async ({ content, parameters, says }) => {
    const { stdout } = await runMain(["inspect", ...parameters, "-"], { stdin: content });
    expect(stdout.split("\n")[0]).toBe(`-  nothing in it was understood, read as ${says}`);
  });

  it("lists what is quoted, each source once, after what was said", async () => {
    expect((await show(citedChat)).split("\n").slice(1, 6)).toEqual([
      "  text       Cranes sleep standing. They dance, too.",
      String.raw`  source 1   Cranes\u001b[2J https://birds.example/crane`,
      "  source 2   https://dance.example/",
      "  source 3   Trick javascript:alert(1)",
      "  end        natural_completion",
    ]);
  });

  it("has an empty line between files", async () => {
    const file = folder.write("chat.sse", chatStream);
    const { stdout } = await runMain(["inspect", file, file]);
    const size = `${Buffer.byteLength(chatStream)} bytes`;
    expect(stdout.match(/^$|^\S.*$/gmu)).toEqual([
      `${file}  openai-chat, ${size}`,
      "",
      `${file}  openai-chat, ${size}`,
      "",
    ]);
  });

  it.each([40, 80, 133])("shortens text to %i columns and says how long it was", async (columns) => {
    const shown = await show(chatOf("lorem ipsum ".repeat(50)), { columns });
    const line = shown.split("\n").find((candidate) => candidate.includes("text"))!;
    expect(line).toMatch(/^ {2}text {7}lorem ip[^…]*… \(600 characters\)$/u);
    expect(line).toHaveLength(columns);
  });

  it("shows a text whole that just fits", async () => {
    const columns = 60;
    const text = "x".repeat(columns - "  text       ".length);
    expect(await show(chatOf(text), { columns })).toContain(`text       ${text}\n`);
    expect(await show(chatOf(`${text}x`), { columns })).toContain("… (48 characters)\n");
  });

  it("counts what takes two columns as two, and never shows half a character", async () => {
    const shown = await show(chatOf("早上好👩‍👩‍👧‍👦".repeat(40)), { columns: 60 });
    const line = shown.split("\n").find((candidate) => candidate.includes("text"))!;
    expect(line).toMatch(/… \(400 characters\)$/u);
    const [kept = ""] = /[^ ]*(?=…)/u.exec(line.slice("  text       ".length)) ?? [];
    expect(kept).toMatch(/^(?:早上好👩‍👩‍👧‍👦)*早?上?好?$/u);
    expect(
      [...new Intl.Segmenter().segment(kept)].length * 2 + "  text       … (400 characters)".length,
    ).toBeLessThanOrEqual(60);
  });

  it("never shows a control character of an answer, and says which it was", async () => {
    const text = "a\u001B[31mred\u0007\u009Bx\u202Ereversed\u2028\n\tend\u{E0041}";
    const shown = await show(chatOf(text), { columns: 200 });
    expect(shown).toContain(String.raw`a\u001b[31mred\u0007\u009bx\u202ereversed\u2028\n\tend\u{e0041}` + "\n");
    expect(shown.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  });

  it("escapes whatever else comes from outside", () => {
    const evil = "x\u001B[2J\u0007";
    const collector = createSummaryCollector();
    const { sink } = collector;
    sink.push({ type: "start", id: evil, model: evil });
    sink.push({ type: "reasoning", text: evil });
    sink.push({ type: "tool-call-start", callId: "1", name: evil });
    sink.push({ type: "tool-call-delta", callId: "1", json: evil });
    sink.push({
      type: "finish",
      signal: {
        shouldTerminate: true,
        reason: "stop_sequence",
        confidence: "high",
        providerSpecific: { originalField: evil, originalValue: evil },
        message: evil,
        detail: evil,
        stopSequence: evil,
      },
    });
    const answer = { file: evil, format: "gemini", size: 1, summary: collector.summarise() } as const;
    const lines = renderTimeline(answer, { width: 80, paint: paintNothing });
    expect(lines.filter((line) => line.includes("x\\u001b[2J\\u0007"))).toHaveLength(8);
    expect(lines.join("")).not.toMatch(/\p{Cc}/u);
  });

  it("does not call an answer ended that is still being written", async () => {
    const shown = await show(JSON.stringify({ object: "response", id: "resp_1", status: "in_progress", output: [] }));
    expect(shown).toMatch(/^ {2}not ended {2}unknown$/mu);
  });
});

describe("colours", () => {
  const terminal = { isTTY: true };
  it.each([
    { name: "not when piped", parts: {}, isColoured: false },
    { name: "on a terminal", parts: terminal, isColoured: true },
    { name: "not where NO_COLOR is set", parts: { ...terminal, env: { NO_COLOR: "1" } }, isColoured: false },
    { name: "where NO_COLOR is empty", parts: { ...terminal, env: { NO_COLOR: "" } }, isColoured: true },
    { name: "where FORCE_COLOR is set", parts: { env: { FORCE_COLOR: "1" } }, isColoured: true },
    { name: "not where FORCE_COLOR is 0", parts: { ...terminal, env: { FORCE_COLOR: "0" } }, isColoured: false },
    { name: "where both are set", parts: { env: { FORCE_COLOR: "1", NO_COLOR: "1" } }, isColoured: true },
  ])("are used: $name", async ({ parts, isColoured }) => {
    expect((await show(messagesStream, parts)).includes(ESCAPE)).toBe(isColoured);
  });

  it("are used by the installed command when forced, and change nothing but colours", async () => {
    const plain = await runBin(["inspect", "-"], { stdin: messagesStream });
    const coloured = await runBin(["inspect", "-"], { stdin: messagesStream, env: { FORCE_COLOR: "1" } });
    expect(coloured.stdout).toContain(`${ESCAPE}33mtoken_limit_reached${ESCAPE}39m`);
    expect(stripVTControlCharacters(coloured.stdout)).toBe(plain.stdout);
  });
});
