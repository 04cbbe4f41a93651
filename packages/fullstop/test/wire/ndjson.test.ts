import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeNdjson } from "../../src/wire/index.ts";
import { cutBytesAt } from "../support/cuts.ts";
import { same } from "../support/same.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function read(chunks: Iterable<Uint8Array>, maxEventSize?: number): unknown[] {
  const values: unknown[] = [];
  const sink = decodeNdjson({ maxEventSize })({ push: (value) => void values.push(value), end: () => undefined });
  for (const chunk of chunks) sink.push(chunk);
  sink.end();
  return values;
}

const objects = fc.array(fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()), { maxLength: 6 });

describe("reading JSON values", () => {
  it("gives back what was written, however it was laid out and cut", () => {
    const layouts: readonly ((values: readonly unknown[]) => string)[] = [
      (values) => values.map((value) => `${JSON.stringify(value)}\n`).join(""),
      (values) => values.map((value) => JSON.stringify(value)).join("\r\n"),
      (values) => values.map((value) => JSON.stringify(value, undefined, 2)).join("\n\n"),
      (values) => values.map((value) => JSON.stringify(value)).join(""),
      (values) => JSON.stringify(values),
      (values) => JSON.stringify(values, undefined, "\t"),
    ];
    fc.assert(
      fc.property(objects, fc.nat(layouts.length - 1), fc.array(fc.nat(), { maxLength: 8 }), (values, layout, cuts) => {
        same(read(cutBytesAt(encode(layouts[layout]!(values)), cuts)), JSON.parse(JSON.stringify(values)));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each<[string, string, readonly unknown[]]>([
    ["a last line without its end", '{"a":1}\n{"b":2}', [{ a: 1 }, { b: 2 }]],
    ["an object that never ends", '{"a":1}\n{"b":', [{ a: 1 }]],
    ["blank lines", '\n\n{"a":1}\n\n', [{ a: 1 }]],
    ["brackets and quotes inside strings", '{"a":"}{]\\""}', [{ a: '}{]"' }]],
    ["what is no JSON", "oops {\"a\":1} {'b':2}", [{ a: 1 }]],
  ])("takes %s", (_name, text, expected) => {
    expect(read([encode(text)])).toEqual(expected);
  });

  it("stops at a value beyond the limit", () => {
    expect(read([encode(`{"a":1}{"b":"${"x".repeat(100)}"}{"c":3}`)], 50)).toEqual([{ a: 1 }]);
  });
});
