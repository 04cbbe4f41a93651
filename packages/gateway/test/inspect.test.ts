import path from "node:path";
import { ANSWER_FORMATS } from "fullstop/wire";
import { describe, expect, it } from "vitest";
import {
  chatOf,
  chatStream,
  citedChat,
  cutChatStream,
  geminiDocument,
  messagesStream,
  ollamaLines,
  overloaded,
} from "./support/answers.ts";
import { createFolder } from "./support/folder.ts";
import { runBin, runMain } from "./support/run.ts";

const folder = createFolder();
const chat = folder.write("chat.sse", chatStream);
const cutChat = folder.write("cut-chat.sse", cutChatStream);
const messages = folder.write("messages.sse", messagesStream);
const usage = "usage: fullstop inspect [--json] [--format F] [--chunk-bytes N] [--status N] FILE…\n";

async function inspectJson(parameters: readonly string[], stdin?: string): Promise<unknown[]> {
  const { exitCode, stdout, stderr } = await runMain(["inspect", "--json", ...parameters], {
    ...(stdin !== undefined && { stdin }),
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  const lines = stdout.split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line) as unknown);
}

describe("a wrong call of inspect", () => {
  const formats = Object.keys(ANSWER_FORMATS).join(", ");
  it.each([
    { parameters: [], complaint: "a FILE is missing; - is standard input" },
    { parameters: ["--json"], complaint: "a FILE is missing; - is standard input" },
    { parameters: ["-", chat, "-"], complaint: `standard input can be read only once, got "- ${chat} -"` },
    { parameters: ["--jsn", chat], complaint: 'there is no option "--jsn"' },
    { parameters: ["--jsn=1", chat], complaint: 'there is no option "--jsn"' },
    { parameters: ["-j", chat], complaint: 'there is no option "-j"' },
    { parameters: ["--no-json", chat], complaint: 'there is no option "--no-json"' },
    { parameters: ["--json=yes", chat], complaint: '--json takes no value, got "yes"' },
    { parameters: [chat, "--format"], complaint: "--format needs a value" },
    { parameters: ["--format", "openai", chat], complaint: `--format must be one of ${formats}, got "openai"` },
    { parameters: ["--format", "toString", chat], complaint: `--format must be one of ${formats}, got "toString"` },
    { parameters: ["--format=", chat], complaint: `--format must be one of ${formats}, got ""` },
    { parameters: [chat, "--chunk-bytes"], complaint: "--chunk-bytes needs a value" },
    ...["0", "-5", "1.5", "1e3", "ten", "", " 1", "99999999999999999999"].map((value) => ({
      parameters: ["--chunk-bytes", value, chat],
      complaint: `--chunk-bytes must be a whole number of at least 1, got "${value}"`,
    })),
    ...["99", "600", "OK", "2e2"].map((value) => ({
      parameters: ["--status", value, chat],
      complaint: `--status must be a whole number from 100 to 599, got "${value}"`,
    })),
    {
      parameters: ["--status", "\u009B2J", chat],
      complaint: '--status must be a whole number from 100 to 599, got "\\u009b2J"',
    },
  ])("is refused: $parameters", async ({ parameters, complaint }) => {
    expect(await runMain(["inspect", ...parameters])).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `fullstop inspect: ${complaint}\n${usage}`,
    });
  });

  it("is refused by the installed command too", async () => {
    expect(await runBin(["inspect", "--status", "abc", chat])).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `fullstop inspect: --status must be a whole number from 100 to 599, got "abc"\n${usage}`,
    });
  });

  it.each([["--help"], ["-h"]])("is helped by %s", async (option) => {
    const { exitCode, stdout, stderr } = await runMain(["inspect", option]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout.startsWith(usage)).toBe(true);
    for (const word of ["--json", "--chunk-bytes", "--status", ...Object.keys(ANSWER_FORMATS)]) {
      expect(stdout).toContain(`  ${word}`);
    }
  });
});

describe("inspect --json", () => {
  it("says all there is to say about an answer", async () => {
    expect(await inspectJson([chat])).toEqual([
      {
        file: chat,
        format: "openai-chat",
        signal: {
          shouldTerminate: true,
          reason: "natural_completion",
          confidence: expect.stringMatching(/^(?:high|medium)$/u) as string,
          providerSpecific: { originalField: "choices[0].finish_reason", originalValue: "stop" },
          message: "The model finished its answer",
        },
        truncated: false,
        text: "Good morning",
        reasoning: "",
        toolCalls: [],
        sources: [],
        usage: { inputTokens: 5, outputTokens: 2 },
      },
    ]);
  });

  it("lists the sources", async () => {
    expect(await inspectJson(["-"], citedChat)).toMatchObject([
      {
        sources: [
          { title: "Cranes\u001B[2J", url: "https://birds.example/crane", quote: null },
          { title: null, url: "https://dance.example/", quote: null },
          { title: "Trick", url: "javascript:alert(1)", quote: null },
        ],
      },
    ]);
  });

  it.each([
    {
      name: "a stream that was cut",
      content: cutChatStream,
      expected: {
        format: "openai-chat",
        truncated: true,
        text: "Good ",
        signal: { reason: "error_termination", detail: "truncated" },
        usage: null,
      },
    },
    {
      name: "calls, one of them cut",
      content: messagesStream,
      expected: {
        format: "anthropic-messages",
        truncated: false,
        text: "Let me look.",
        reasoning: "Which city?",
        signal: { reason: "token_limit_reached" },
        toolCalls: [
          { name: "get_time", arguments: '{"zone":"CET"}' },
          { name: "get_weather", arguments: '{"city":"Par' },
        ],
        usage: { inputTokens: 41, outputTokens: 64 },
      },
    },
    {
      name: "a whole document without usage",
      content: geminiDocument,
      expected: { format: "gemini", text: "Bonjour", signal: { reason: "token_limit_reached" }, usage: null },
    },
    {
      name: "lines of JSON",
      content: ollamaLines,
      expected: { format: "ollama-chat", text: "Hi", usage: { inputTokens: 3, outputTokens: 1 } },
    },
    {
      name: "an error",
      content: overloaded,
      expected: {
        format: "anthropic-messages",
        text: "",
        truncated: false,
        signal: { reason: "error_termination", message: "Overloaded" },
      },
    },
    {
      name: "nothing at all",
      content: "",
      expected: { format: "openai-chat", text: "", truncated: true, usage: null },
    },
  ])("recognises $name, however it is cut", async ({ content, expected }) => {
    const file = folder.write("any", content);
    const [whole] = await inspectJson([file]);
    expect(whole).toMatchObject({ file, ...expected });
    for (const size of ["1", "2", "7", "1000000"]) {
      expect(await inspectJson(["--chunk-bytes", size, file])).toEqual([whole]);
    }
  });

  it("names just the two counts of usage", async () => {
    const [answer] = await inspectJson([messages]);
    expect(Object.keys((answer as { usage: object }).usage)).toEqual(["inputTokens", "outputTokens"]);
  });

  it("reads an answer in the dialect it is told", async () => {
    expect(await inspectJson(["--format", "gemini", chat])).toMatchObject([{ format: "gemini", text: "" }]);
    expect(await inspectJson(["--format=openai-chat", chat])).toEqual(await inspectJson([chat]));
  });

  it("takes an answer with the status of an error for an error", async () => {
    const signal = { reason: "error_termination", providerSpecific: { metadata: { status: 503 } } };
    expect(await inspectJson(["--status", "503", chat])).toMatchObject([{ text: "", signal }]);
    expect(await inspectJson(["--status", "503", "--format", "openai-chat", chat])).toMatchObject([
      { text: "", signal },
    ]);
  });

  it("does not tell an error by the status of an answer that began well", async () => {
    const broken = folder.write("broken.sse", 'data: {"error":{"message":"Upstream failed"}}\n\n');
    const signal = {
      reason: "error_termination",
      detail: "provider_error",
      message: "Upstream failed",
      providerSpecific: { originalField: "error", originalValue: "" },
    };
    expect(await inspectJson(["--status", "200", broken])).toMatchObject([{ signal }]);
    expect(await inspectJson([broken])).toEqual(await inspectJson(["--status", "200", broken]));
  });

  it("reads standard input among files, in the order given", async () => {
    expect(await inspectJson([messages, "-", chat], ollamaLines)).toMatchObject([
      { file: messages },
      { file: "-", format: "ollama-chat", text: "Hi" },
      { file: chat },
    ]);
    const { stdout } = await runBin(["inspect", "--json", "-"], { stdin: messagesStream });
    expect(JSON.parse(stdout)).toMatchObject({ file: "-", text: "Let me look." });
  });

  it("takes a name after -- for a file", async () => {
    const { exitCode, stderr } = await runMain(["inspect", "--", "--json"]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: "fullstop inspect: cannot read --json: no such file\n",
    });
  });

  it("keeps whatever an answer says within one line", async () => {
    const odd = "a\nb\r\u0085c\u2028d\u2029e\u009B2J\u007F\u0000";
    const file = folder.write("odd.sse", chatOf(odd));
    const { stdout } = await runMain(["inspect", "--json", file]);
    expect(stdout.trimEnd()).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    expect(JSON.parse(stdout)).toMatchObject({ text: odd });
  });
});

describe("a file that cannot be read", () => {
  it.each([
    { name: "is missing", file: folder.path("missing.sse"), words: "no such file" },
    { name: "is a directory", file: path.dirname(chat), words: "is a directory" },
    { name: "is inside a file", file: path.join(chat, "x"), words: "not a directory" },
  ])("does not keep the others from being read: it $name", async ({ file, words }) => {
    for (const run of [runMain, runBin]) {
      const { exitCode, stdout, stderr } = await run(["inspect", "--json", chat, file, cutChat]);
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr: `fullstop inspect: cannot read ${file}: ${words}\n`,
      });
      const lines = stdout.trimEnd().split("\n");
      expect(lines.map((line) => (JSON.parse(line) as { file: string }).file)).toEqual([chat, cutChat]);
    }
  });
});
