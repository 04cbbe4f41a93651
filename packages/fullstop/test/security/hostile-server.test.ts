import { afterEach, describe, expect, it, vi } from "vitest";
import { canonicalJson } from "../../src/agent/canonical-json.ts";
import type { GenerationEvent } from "../../src/events.ts";
import { decodeNdjson } from "../../src/wire/framing/json-values.ts";
import { decodeSse } from "../../src/wire/framing/sse.ts";
import { WIRE_FORMATS } from "../../src/wire/formats.ts";
import { isAbsent } from "../../src/wire/reading/finish-words.ts";

const encoder = new TextEncoder();

/** What a dialect makes of the values of a stream. */
function decode(format: keyof typeof WIRE_FORMATS, values: Iterable<unknown>): readonly GenerationEvent[] {
  const events: GenerationEvent[] = [];
  const sink = WIRE_FORMATS[format].decodeStream()({ push: (event) => events.push(event), end: () => undefined });
  for (const value of values) sink.push(encoder.encode(`data: ${JSON.stringify(value)}\n\n`));
  sink.end();
  return events;
}

const chunkOf = (call: object): object => ({ choices: [{ index: 0, delta: { tool_calls: [call] } }] });

afterEach(() => vi.restoreAllMocks());

/** How many characters were looked through, by the parser of JSON or for blanks, while something was done. */
function lookedAtBy(work: () => void): number {
  const parse = vi.spyOn(JSON, "parse");
  const trim = vi.spyOn(String.prototype, "trim");
  work();
  const parsed = parse.mock.calls.reduce((sum, [json]) => sum + json.length, 0);
  const trimmed = trim.mock.contexts.reduce<number>((sum, text) => sum + String(text).length, 0);
  parse.mockRestore();
  trim.mockRestore();
  return parsed + trimmed;
}

/** How many times as much is looked at of four times as much. */
function growth(work: (size: number) => void): number {
  return lookedAtBy(() => work(4000)) / lookedAtBy(() => work(1000));
}

describe("the work for an answer grows with its length, and not faster, where there are", () => {
  it.each([
    ["many objects on one line", (count: number) => `${"{}".repeat(count)}\n`],
    ["many objects without a line end", (count: number) => "{}".repeat(count)],
    ["many lists on one line", (count: number) => `${'[{"a":1}]'.repeat(count)}\n`],
    ["many objects that are none", (count: number) => `${"{x}".repeat(count)}}\n`],
  ])("%s", (_, textOf) => {
    const read = (count: number): number => {
      let values = 0;
      const sink = decodeNdjson()({ push: () => (values += 1), end: () => undefined });
      sink.push(encoder.encode(textOf(count)));
      sink.end();
      return values;
    };
    expect(growth((count) => void read(count))).toBeLessThan(5);
  });

  it.each([
    ["a call in very small pieces, each with its name", '{"a":"', "}"],
    ["a call that closes again and again", "{", '"a":{}'],
    ["a call that is no JSON and goes on with blanks", "{x}", " "],
  ])("%s", (_, first, piece) => {
    const pieces = function* (count: number) {
      for (let index = 0; index < count; index++) {
        yield chunkOf({ index: 0, function: { name: "tool", arguments: index === 0 ? first : piece } });
      }
    };
    const most = growth((count) => void decode("openai-chat", pieces(count)));
    expect(most).toBeLessThan(5);
  });

  it("very many calls with one id, which are told apart all the same", () => {
    const calls = function* () {
      for (let index = 0; index < 50_000; index++) {
        yield chunkOf({ index, id: "call", function: { name: "tool", arguments: "{}" } });
      }
    };
    const ids = decode("openai-chat", calls()).flatMap((event) =>
      event.type === "tool-call-start" ? event.callId : [],
    );
    expect(new Set(ids).size).toBe(50_000);
    expect(ids.slice(0, 3)).toEqual(["call", "call_2", "call_3"]);
  });

  it("a finish value of very many blanks", () => {
    expect(isAbsent(" ".repeat(1_000_000))).toBe(true);
    expect(isAbsent(`${" ".repeat(1_000_000)}x${" ".repeat(1_000_000)}`)).toBe(false);
    expect(["null", " NULL\n", ""].map(isAbsent)).toEqual([true, true, true]);
  });
});

describe("what is kept of an answer", () => {
  it("takes no more than some bytes for each of very many empty lines", () => {
    const lines = encoder.encode("data:\n".repeat(10_000));
    const data: string[] = [];
    const sink = decodeSse()({ push: (event) => data.push(event.data), end: () => undefined });
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    for (let count = 0; count < 100; count++) sink.push(lines);
    globalThis.gc?.();
    // A million line ends took 32 MB when each was added to a string by itself.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(12_000_000);
    sink.end();
    expect(data).toEqual(["\n".repeat(999_999)]);
  });

  it("has an end where a name never ends", () => {
    const pieces = function* () {
      for (let index = 0; index < 200; index++) {
        yield chunkOf({ index: 0, id: "call", function: { name: `${index}`.repeat(10_000) } });
      }
    };
    const start = decode("openai-chat", pieces()).find((event) => event.type === "tool-call-start");
    expect(start?.name.length).toBeLessThan(200_000);
  });

  it("has an end where blocks begin and never end", () => {
    const blocks = function* () {
      for (let index = 0; index < 200; index++) {
        yield { type: "content_block_start", index, content_block: { type: "server_tool_use", input: {} } };
      }
    };
    const last = decode("anthropic-messages", blocks()).at(-1);
    expect(last).toMatchObject({ type: "finish", signal: { detail: "unreadable_event" } });
  });

  it("does not grow by places of lists that a path only names", () => {
    const call = { name: "tool", willContinue: true };
    const paths = function* () {
      for (let index = 0; index < 300; index++) {
        const partialArgs = [{ jsonPath: `$.a${index}[90000]`, numberValue: 1 }];
        yield { candidates: [{ content: { parts: [{ functionCall: { ...call, partialArgs } }] } }] };
      }
      yield { candidates: [{ content: { parts: [{ functionCall: { name: "tool" } }] }, finishReason: "STOP" }] };
    };
    const json = decode("gemini", paths()).map((event) => (event.type === "tool-call-delta" ? event.json : ""));
    expect(json.join("").length).toBeLessThan(1_000_000);
  });

  it("has an end where a path goes down further than JSON can", () => {
    const partialArgs = [{ jsonPath: `$${"[0]".repeat(100_000)}`, numberValue: 1 }];
    const call = { name: "tool", willContinue: true, partialArgs };
    const parts = [{ functionCall: call }];
    expect(decode("gemini", [{ candidates: [{ content: { parts }, finishReason: "STOP" }] }]).at(-1)).toMatchObject({
      type: "finish",
      signal: { detail: "incomplete_arguments" },
    });
  });

  it("may be an argument of any length, in the agent that compares calls", () => {
    const long = { text: "x".repeat(12_000_000), quoted: '\\"'.repeat(10), n: 1 };
    expect(canonicalJson(JSON.stringify(long))).toHaveLength(JSON.stringify(long).length);
    expect(canonicalJson(String.raw`{"b":"12345678901234567890\\","a":1}`)).toBe(
      String.raw`{"a":1,"b":"12345678901234567890\\"}`,
    );
    // Digits within a string are no number, whatever quotes stand before them.
    expect(canonicalJson(String.raw`{"b":"\"12345678901234567890","a":1}`)).toBe(
      String.raw`{"a":1,"b":"\"12345678901234567890"}`,
    );
    expect(canonicalJson('{"b":12345678901234567890,"a":1}')).toBe('{"b":12345678901234567890,"a":1}');
  });
});
