import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { createFolder } from "../support/folder.ts";
import { runBin, runMain } from "../support/run.ts";

const bin = path.resolve(import.meta.dirname, "../../bin/fullstop.js");
const folder = createFolder();

function startPipe(parameters: readonly string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [bin, "pipe", ...parameters], { env: {} });
}

/** The exit code of a process, or the signal that has ended it. */
async function exitOf(child: ChildProcessWithoutNullStreams): Promise<unknown> {
  const [code, signal] = (await once(child, "close")) as unknown[];
  return code ?? signal;
}

const sentence = "The model says the same once more. ";

describe("fullstop pipe", () => {
  it.each([
    { parameters: [], stdin: "all of it\n", stdout: "all of it\n", exitCode: 0, says: "The input has ended" },
    { parameters: [], stdin: "", stdout: "", exitCode: 0, says: "The input has ended" },
    {
      parameters: ["--stop", "END", "--stop", "FIN"],
      stdin: "one FIN two END",
      stdout: "one ",
      exitCode: 10,
      says: 'Stop string detected: "FIN"',
    },
    {
      parameters: ["--stop", "END", "--include"],
      stdin: "one END two",
      stdout: "one END",
      exitCode: 10,
      says: 'Stop string detected: "END"',
    },
    {
      parameters: ["--stop=end", "--ignore-case"],
      stdin: "one END",
      stdout: "one ",
      exitCode: 10,
      says: 'Stop string detected: "end"',
    },
    { parameters: ["--stop", "END"], stdin: "one EN", stdout: "one EN", exitCode: 0, says: "The input has ended" },
    { parameters: ["--stop", "-x"], stdin: "a -x", stdout: "a ", exitCode: 10, says: 'Stop string detected: "-x"' },
    {
      parameters: ["--stop", "\u001B[2J"],
      stdin: "a\u001B[2Jb",
      stdout: "a",
      exitCode: 10,
      says: 'Stop string detected: "\\u001b[2J"',
    },
    {
      parameters: ["--max-characters", "5"],
      stdin: "Grüße an alle",
      stdout: "Grüße",
      exitCode: 12,
      says: "Maximum characters reached",
    },
    {
      parameters: ["--max-characters", "0"],
      stdin: "something",
      stdout: "",
      exitCode: 12,
      says: "Maximum characters reached",
    },
    { parameters: ["--max-seconds", "0"], stdin: "late", stdout: "late", exitCode: 13, says: "Time limit reached" },
  ])("$parameters on $stdin", async ({ parameters, stdin, stdout, exitCode, says }) => {
    const outcome = await runMain(["pipe", ...parameters], { stdin });
    expect(outcome).toEqual({ exitCode, stdout, stderr: `fullstop pipe: ${says}\n` });
  });

  it("ends a text that goes round in circles", async () => {
    const { exitCode, stdout, stderr } = await runBin(["pipe", "--repetition"], { stdin: sentence.repeat(100) });
    expect(exitCode).toBe(11);
    expect(sentence.repeat(100).startsWith(stdout)).toBe(true);
    expect(stdout.length).toBeLessThan(sentence.length * 20);
    expect(stderr).toContain(`Repetition detected: `);
  });

  it("leaves out what is repeated if asked to", async () => {
    const stdin = sentence.repeat(100);
    const plain = await runMain(["pipe", "--repetition"], { stdin });
    const trimmed = await runMain(["pipe", "--repetition", "--trim"], { stdin });
    expect(trimmed.exitCode).toBe(11);
    expect(trimmed.stdout.length).toBeLessThan(plain.stdout.length);
    expect(trimmed.stdout.startsWith(sentence)).toBe(true);
  });

  it("tells the ending as JSON", async () => {
    const { stderr } = await runBin(["pipe", "--json", "--stop", "END"], { stdin: "Grüße END" });
    expect(JSON.parse(stderr)).toMatchObject({
      exitCode: 10,
      bytesWritten: 8,
      signal: { reason: "stop_sequence", stopSequence: "END" },
    });
  });

  it("is silent if asked to be", async () => {
    expect(await runBin(["pipe", "--quiet", "--stop", "b"], { stdin: "ab" })).toEqual({
      exitCode: 10,
      stdout: "a",
      stderr: "",
    });
  });

  it("makes U+FFFD of bytes that are no UTF-8, as the decoder of the library does", async () => {
    const { stdout } = await runBin(["pipe"], { stdin: Uint8Array.of(0x61, 0xff, 0x62, 0xe6, 0xbc) });
    expect(stdout).toBe("a\uFFFDb\uFFFD");
  });

  it("reads files too", async () => {
    const file = folder.write("text.txt", `${"x".repeat(200_000)}END and more`);
    const child = spawn("sh", ["-c", `"$0" "$1" pipe --quiet --stop END < "$2"`, process.execPath, bin, file]);
    child.stdin.end();
    expect(await text(child.stdout)).toBe("x".repeat(200_000));
  });

  it("shows at once what may be shown, and holds back no more than it must", async () => {
    const child = startPipe(["--stop", "END"]);
    const exit = exitOf(child);
    child.stdin.write("one EN");
    const [first] = (await once(child.stdout, "data")) as [Buffer];
    child.stdin.end("D");
    expect(first.toString()).toBe("one ");
    expect(await exit).toBe(10);
  });

  it("ends whatever writes into it", async () => {
    const script = `yes "and so on" | "$0" "$1" pipe --stop "on
and"; echo "$?"`;
    const child = spawn("sh", ["-c", script, process.execPath, bin]);
    child.stdin.end();
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect(stdout).toBe("and so 10\n");
    expect(stderr).toContain("Stop string detected");
  });

  it("ends after a time, also when nothing comes", async () => {
    const child = startPipe(["--stop", "END", "--max-seconds", "0.2"]);
    child.stdin.write("so far EN");
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
    expect({ stdout, stderr, code }).toEqual({
      stdout: "so far EN",
      stderr: "fullstop pipe: Time limit reached\n",
      code: 13,
    });
  });

  it.each([
    { signal: "SIGINT", code: 130, says: "It was interrupted" },
    { signal: "SIGTERM", code: 143, says: "It was terminated" },
  ] as const)("shows what it holds back when $signal comes", async ({ signal, code, says }) => {
    const child = startPipe(["--stop", "END"]);
    const rest = Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
    child.stdin.write("so far EN");
    await once(child.stdout, "readable");
    child.kill(signal);
    expect(await rest).toEqual(["so far EN", `fullstop pipe: ${says}\n`, code]);
  });

  it("ends when nobody reads any more", async () => {
    const script = `yes | "$0" "$1" pipe | head -n 1`;
    const child = spawn("bash", ["-c", `${script}; echo "\${PIPESTATUS[1]}"`, process.execPath, bin]);
    child.stdin.end();
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect({ stdout, stderr }).toEqual({
      stdout: "y\n141\n",
      stderr: "fullstop pipe: Nobody reads the output any more\n",
    });
  });

  it.each([
    { parameters: ["--stop", ""], complaint: "--stop must not hold an empty string" },
    { parameters: ["--stop"], complaint: "--stop needs a value" },
    { parameters: ["--trim"], complaint: "--trim needs --repetition" },
    { parameters: ["--json", "--quiet"], complaint: "--json and --quiet exclude each other" },
    { parameters: ["file.txt"], complaint: 'pipe takes nothing but options, got "file.txt"' },
    { parameters: ["--max-characters", "-1"], complaint: "--max-characters must be a whole number of at least 0" },
    {
      parameters: ["--max-seconds", "soon"],
      complaint: '--max-seconds must be a number of seconds from 0 to 2147483, got "soon"',
    },
    { parameters: ["--max-seconds", "9999999"], complaint: "--max-seconds must be a number of seconds" },
  ])("refuses $parameters", async ({ parameters, complaint }) => {
    const { exitCode, stdout, stderr } = await runMain(["pipe", ...parameters], { stdin: "x" });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(`fullstop pipe: ${complaint}`);
    expect(stderr).toContain("usage: fullstop pipe");
  });
});
