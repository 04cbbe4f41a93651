import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { text as textOf } from "node:stream/consumers";
import type { CitationEvent } from "fullstop";
import { createGate, finish, reasoning, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { readWish } from "../../src/chat/prompts.ts";
import { createFolder } from "../support/folder.ts";
import { runBin } from "../support/run.ts";
import { openScripted } from "../support/scripted.ts";

const folder = createFolder();
const gateway = await openScripted();
const cwd = folder.path("");
const bin = path.resolve(import.meta.dirname, "../../bin/fullstop.js");
const scripted = ["chat", "--gateway", gateway.url, "--model", "openai-chat/any-model"];

const page = (url: string, title: string): CitationEvent => ({
  type: "citation",
  start: 0,
  end: 5,
  url,
  title,
  format: "openai-chat",
});
const CITED = [
  start(),
  text("Good.\n"),
  page("https://one.example/", "One\u001B[2J"),
  page("https://two.example/", "Two"),
  page("https://one.example/", "One"),
  finish(),
];

describe("fullstop chat without a terminal", () => {
  it("answers each line, and remembers those before", async () => {
    const stdin = "My name is Ada.\n\nWhat is my name?\n";
    const { exitCode, stdout, stderr } = await runBin(["chat"], { stdin, cwd });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout.split("\n")).toEqual([expect.stringContaining("Ada"), expect.stringContaining("Ada"), ""]);
  });

  it("writes the text only, without any control characters", async () => {
    gateway.script("openai-chat", [start(), reasoning("Hm."), text("Good\u001B[2J\n\tday"), finish()]);
    const { stdout } = await runBin(scripted, { stdin: "Hi", cwd, env: { FORCE_COLOR: "1" } });
    expect(stdout).toBe("Good\\u001b[2J\n\tday\n");
  });

  it("tells all about an answer as JSON", async () => {
    gateway.script("openai-chat", [start(), reasoning("Hm."), text("Good."), usage(3, 2), finish()]);
    const { stdout } = await runBin([...scripted, "--json"], { stdin: "Hi\nHi again\n", cwd });
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ prompt: "Hi", text: "Good.", reasoning: "Hm.", end: "completed" }),
      expect.objectContaining({ prompt: "Hi again", usage: expect.objectContaining({ outputTokens: 2 }) as object }),
    ]);
  });

  it("lists the sources of an answer after it, without any control characters", async () => {
    gateway.script("openai-chat", CITED);
    const { stdout } = await runBin(scripted, { stdin: "Hi\nHi\n", cwd });
    const answer = "Good.\n\nSources:\n1. One\\u001b[2J https://one.example/\n2. Two https://two.example/\n";
    expect(stdout).toBe(answer + answer);
  });

  it("lists the sources of an answer as JSON", async () => {
    gateway.script("openai-chat", CITED);
    const { stdout } = await runBin([...scripted, "--json"], { stdin: "Hi", cwd });
    expect(JSON.parse(stdout)).toMatchObject({
      text: "Good.\n",
      sources: [
        { title: "One\u001B[2J", url: "https://one.example/", quote: null },
        { title: "Two", url: "https://two.example/", quote: null },
      ],
      end: "completed",
    });
  });

  it("asks a gateway for pip where no model is named", async () => {
    const { exitCode, stdout } = await runBin(["chat", "--gateway", gateway.url], { stdin: "My name is Ada.\n", cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Ada");
  });

  it("sends what it was told to send", async () => {
    gateway.script("openai-chat", [start(), text("Good."), finish()]);
    const { requests } = gateway.upstreams["openai-chat"];
    await runBin([...scripted, "--system", "Be brief.", "--no-thinking", "--max-tokens", "7"], { stdin: "Hi", cwd });
    expect(requests.at(-1)?.request).toMatchObject({
      maxOutputTokens: 7,
      messages: [
        { role: "system", content: [{ type: "text", text: "Be brief." }] },
        { role: "user", content: [{ type: "text", text: "Hi" }] },
      ],
    });
    expect(JSON.stringify(requests.at(-1)?.request.reasoning)).toMatch(/none|0/u);
  });

  it("ends an answer at the limit that was set, and says so", async () => {
    gateway.script("openai-chat", [start(), text("One, two"), usage(3, 2), finish("token_limit_reached")]);
    const { requests } = gateway.upstreams["openai-chat"];
    const before = requests.length;
    const told = await runBin([...scripted, "--max-tokens", "2"], { stdin: "Count\n", cwd });
    expect(told).toMatchObject({ exitCode: 12, stdout: "One, two\n" });
    expect(told.stderr).toBe("fullstop chat: the answer was cut at its limit of tokens\n");
    const { exitCode, stdout, stderr } = await runBin([...scripted, "--max-tokens", "2", "--json"], {
      stdin: "Count\n",
      cwd,
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 12, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      text: "One, two",
      end: "incomplete",
      signal: { reason: "token_limit_reached" },
      usage: { outputTokens: 2 },
    });
    expect(requests.length - before).toBe(2);
  });

  it("shows the thinking that a limit has cut", async () => {
    gateway.script("openai-chat", [start(), reasoning("Let me"), usage(3, 2), finish("token_limit_reached")]);
    const { stdout } = await runBin([...scripted, "--max-tokens", "2", "--json"], { stdin: "Count\n", cwd });
    expect(JSON.parse(stdout)).toMatchObject({ text: "", reasoning: "Let me", end: "incomplete" });
  });

  it("says so, and by its exit code, when an answer fails", async () => {
    gateway.script("openai-chat", { status: 401 });
    const { exitCode, stdout, stderr } = await runBin(scripted, { stdin: "Hi\n", cwd });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "\n" });
    expect(stderr).toMatch(/^fullstop chat: \S/u);
  });

  it("says so, and by its exit code, when a conversation is refused for its length", async () => {
    const error = { message: "Too long", type: "invalid_request_error", code: "context_length_exceeded" };
    gateway.script("openai-chat", { status: 400, body: { error } });
    const { exitCode, stdout, stderr } = await runBin([...scripted, "--json"], { stdin: "Hi\n", cwd });
    expect({ exitCode, ...(JSON.parse(stdout) as object) }).toMatchObject({ exitCode: 1, end: "context_full" });
    expect(stderr).toMatch(/^fullstop chat: \S/u);
  });

  it("stops an answer at SIGINT and keeps it, and leaves at the second", async () => {
    const gate = createGate();
    gateway.script("openai-chat", [start(), text("One, two"), gate.pass, finish()]);
    const child = spawn(process.execPath, [bin, ...scripted], { cwd, env: {} });
    const exit = once(child, "close");
    const stderr = textOf(child.stderr);
    let stdout = "";
    const until = (wanted: string): Promise<void> =>
      new Promise((resolve) => {
        child.stdout.on("data", (chunk: Buffer) => {
          stdout += chunk.toString();
          if (stdout.includes(wanted)) resolve();
        });
      });
    const hasBegun = until("One, two");
    const isMarked = until("[interrupted]\n");
    child.stdin.write("Count.\n");
    await hasBegun;
    child.kill("SIGINT");
    await isMarked;
    child.kill("SIGINT");
    expect(await exit).toEqual([130, null]);
    expect(await stderr).toBe("");
    gate.open();
  });

  it.each([
    { parameters: ["--max-tokens", "0"], says: '--max-tokens must be a whole number of at least 1, got "0"' },
    { parameters: ["--model", "nobody/knows"], says: 'There is no model "nobody/knows"' },
    { parameters: ["--model", "none.gguf"], says: 'There is no file "none.gguf"' },
    { parameters: ["Hello"], says: 'chat takes nothing but options, got "Hello"' },
  ])("refuses $parameters", async ({ parameters, says }) => {
    const { exitCode, stdout, stderr } = await runBin(["chat", ...parameters], { cwd });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(`fullstop chat: ${says}`);
  });
});

describe("a line that is typed", () => {
  it.each([
    { line: "  Hello ", wish: { type: "ask", prompt: "Hello" } },
    { line: "//etc is a folder", wish: { type: "ask", prompt: "/etc is a folder" } },
    { line: "", wish: { type: "nothing" } },
    { line: "/exit", wish: { type: "exit" } },
    { line: "/quit", wish: { type: "exit" } },
    { line: "/new", wish: { type: "new" } },
    { line: "/nwe", wish: { type: "unknown", command: "/nwe" } },
  ])("$line", ({ line, wish }) => {
    expect(readWish(line)).toEqual(wish);
  });
});
