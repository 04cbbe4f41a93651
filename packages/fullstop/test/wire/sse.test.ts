import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeSse } from "../../src/wire/index.ts";
import type { ServerSentEvent } from "../../src/wire/index.ts";
import { cutBytesAt } from "../support/cuts.ts";
import { same } from "../support/same.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function read(chunks: Iterable<Uint8Array>, maxEventSize?: number): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const sink = decodeSse({ maxEventSize })({ push: (event) => void events.push(event), end: () => undefined });
  for (const chunk of chunks) sink.push(chunk);
  sink.end();
  return events;
}

const readText = (text: string): ServerSentEvent[] => read([encode(text)]);

/** What the reference parser makes of a text. It drops an event that is left open at the end; ours does not. */
function readByReference(text: string): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data, id }) => events.push({ event: event ?? "", data, ...(id !== undefined && { id }) }),
  });
  parser.feed(text);
  return events;
}

/** Lines of every kind, glued together with every kind of line ending. */
const streams = fc
  .array(
    fc.tuple(
      fc.oneof(
        { weight: 6, arbitrary: fc.string({ unit: "binary", maxLength: 12 }).map((value) => `data: ${clean(value)}`) },
        { weight: 6, arbitrary: fc.constant("") },
        fc.constantFrom("data", "data:", "data:  two", "data:x", "event: ping", "event", "id: 7", "id", "retry: 10"),
        fc.constantFrom(":", ": keep-alive", "dat: x", "databases: 1", "events: 2", "ids", '{"error": 1}', " data: x"),
        fc.string({ maxLength: 6 }).map(clean),
      ),
      fc.constantFrom("\n", "\r\n", "\r"),
    ),
    { maxLength: 20 },
  )
  .map((lines) => lines.map(([line, ending]) => line + ending).join(""));

function clean(text: string): string {
  return text.replaceAll(/[\r\n\0\uFEFF\uD800-\uDFFF]/g, "");
}

describe("reading server-sent events", () => {
  it("agrees with the reference parser on any stream, however it is cut", () => {
    fc.assert(
      fc.property(streams, fc.array(fc.nat(), { maxLength: 8 }), (text, positions) => {
        // A carriage return at the very end may be half of a pair, which the reference waits for.
        const stream = `${text}\n\n`;
        same(read(cutBytesAt(encode(stream), positions)), readByReference(stream));
      }),
      { numRuns: 20_000 },
    );
  });

  it.each<[string, string, readonly Partial<ServerSentEvent>[]]>([
    ["line feeds", "data: a\n\ndata: b\n\n", [{ data: "a" }, { data: "b" }]],
    ["carriage returns", "data: a\r\rdata: b\r\r", [{ data: "a" }, { data: "b" }]],
    ["pairs", "data: a\r\n\r\ndata: b\r\n\r\n", [{ data: "a" }, { data: "b" }]],
    ["mixed endings", "data: a\r\ndata: b\n\r\ndata: c\r\r", [{ data: "a\nb" }, { data: "c" }]],
    ["no space after the colon", "data:a\n\n", [{ data: "a" }]],
    ["only one space taken", "data:  a\n\n", [{ data: " a" }]],
    ["several data lines", "data: a\ndata: b\n\n", [{ data: "a\nb" }]],
    ["an empty data line", "data\n\n", [{ data: "" }]],
    ["comments", ": keep-alive\n:\n: OPENROUTER PROCESSING\n\ndata: a\n\n", [{ data: "a" }]],
    ["a byte order mark", "\uFEFFdata: a\n\n", [{ data: "a" }]],
    ["an event's name and id", "event: ping\nid: 4\ndata: a\n\n", [{ event: "ping", id: "4", data: "a" }]],
    ["a name without data", "event: ping\n\ndata: a\n\n", [{ event: "", data: "a" }]],
    ["no blank line at the end", "data: a\n\ndata: b\n", [{ data: "a" }, { data: "b" }]],
    ["no line ending at the end", "data: a\n\ndata: b", [{ data: "a" }, { data: "b" }]],
    ["nothing", "", []],
  ])("takes %s", (_name, text, expected) => {
    expect(readText(text)).toEqual(expected.map((event) => ({ event: "", ...event })));
  });

  it("keeps characters whole that are cut in half", () => {
    const bytes = encode("data: 秋🍂\n\n");
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual([{ event: "", data: "秋🍂" }]);
    }
  });

  it("stops at an event beyond the limit, in one line or in many", () => {
    expect(read([encode(`data: a\n\ndata: ${"x".repeat(50)}\n\ndata: b\n\n`)], 40)).toEqual([{ event: "", data: "a" }]);
    expect(read([encode(`data: a\n\n${"data: xxxxxxxxx\n".repeat(5)}\ndata: b\n\n`)], 40)).toEqual([
      { event: "", data: "a" },
    ]);
  });

  it("refuses a limit that is none", () => {
    expect(() => decodeSse({ maxEventSize: 0 })).toThrow("maxEventSize must be a whole number of at least 1, got 0");
  });
});
