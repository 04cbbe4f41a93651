import fc from "fast-check";
import { createTextGuard, defineStopRules } from "fullstop";
import type { StopRuleOptions, StopRules, TerminationSignal } from "fullstop";
import { describe, expect, it } from "vitest";
import { ByteGuard } from "../../src/pipe/byte-guard.ts";
import { createStopSearch } from "../../src/pipe/stop-search.ts";
import type { StopSearch } from "../../src/pipe/stop-search.ts";

interface Result {
  readonly bytes: Buffer;
  readonly signal: TerminationSignal | undefined;
}

function passThrough(compiled: StopRules, chunks: readonly Uint8Array[], search?: StopSearch): Result {
  const guard = new ByteGuard(compiled, search);
  const shown: Uint8Array[] = [];
  for (const chunk of chunks) {
    if (guard.signal !== undefined) break;
    // A copy, as whoever reads into the same memory again would make one necessary.
    shown.push(Buffer.from(guard.push(Buffer.from(chunk))));
  }
  if (guard.signal === undefined) shown.push(guard.end());
  return { bytes: Buffer.concat(shown), signal: guard.signal };
}

/** What has to come out: the whole input decoded as the platform does, guarded in one piece. */
function expectedOf(compiled: StopRules, input: Uint8Array): string {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(input);
  const guard = createTextGuard(compiled);
  return guard.push(text) + guard.end();
}

function cut(input: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let from = 0;
  for (let index = 0; from < input.length; index++) {
    const size = sizes.length === 0 ? input.length : (sizes[index % sizes.length] ?? 1);
    chunks.push(input.subarray(from, from + size));
    from += size;
  }
  return chunks;
}

const pieces = fc.constantFrom(
  "a",
  "b",
  "ab",
  "aba",
  "é",
  "漢",
  "👋",
  "\uFEFF",
  "\n",
  "$",
  "x".repeat(3000),
  `${"x".repeat(2500)}.`,
  `x${"漢".repeat(2100)}`,
);
const valid = fc.array(pieces, { maxLength: 40 }).map((parts) => Buffer.from(parts.join("")));
const broken = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
const nearlyValid = fc
  .tuple(valid, broken, valid)
  .map(([before, between, after]) => Buffer.concat([before, between, after]));
const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 9000 })), { maxLength: 8 });

const rules: Readonly<Record<string, StopRuleOptions>> = {
  "no rules": {},
  "stop strings": { stop: ["abab", "é漢", "👋👋", "b\n"] },
  "stop strings that are shown": { stop: ["abab", "漢a"], include: true },
  "any case": { stop: ["ABA"], caseInsensitive: true },
  repetition: { repetition: true },
  "repetition, trimmed": { repetition: { trim: true } },
  "a limit": { maxCharacters: 50 },
  everything: { stop: ["ab漢", "xé"], repetition: true, maxCharacters: 4000 },
};

describe("a guard on bytes", () => {
  it.each(Object.entries(rules))("gives the same for any cut: %s", (_, options) => {
    const compiled = defineStopRules(options);
    fc.assert(
      fc.property(fc.oneof(valid, broken, nearlyValid), sizes, (input, lengths) => {
        const whole = passThrough(compiled, [input]);
        const inParts = passThrough(compiled, cut(input, lengths));
        expect(inParts.bytes.equals(whole.bytes)).toBe(true);
        expect(inParts.signal?.reason).toBe(whole.signal?.reason);
        expect(inParts.signal?.stopSequence).toBe(whole.signal?.stopSequence);
        expect(whole.bytes.toString()).toBe(expectedOf(compiled, input));
      }),
      { numRuns: 400 },
    );
  });

  it("gives the same with a search, for any cut", () => {
    const stop = ["abab", "é漢", "👋👋", "b\n", "x.a", "$a"];
    const compiled = defineStopRules({ stop });
    fc.assert(
      fc.property(fc.oneof(valid, nearlyValid), sizes, (input, lengths) => {
        const chunks = cut(input, lengths);
        const plain = passThrough(compiled, chunks);
        const searched = passThrough(compiled, chunks, createStopSearch(stop));
        expect(searched.bytes.equals(plain.bytes)).toBe(true);
        expect(searched.signal).toEqual(plain.signal);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([1, 2, 3])("finds what begins in a large chunk that was searched, %i letters before its end", (letters) => {
    const stop = ["abac", "é漢"];
    const chunks = [`${"x".repeat(5000)}${"abac".slice(0, letters)}`, `${"abac".slice(letters)} and more`];
    const { bytes, signal } = passThrough(
      defineStopRules({ stop }),
      chunks.map((chunk) => Buffer.from(chunk)),
      createStopSearch(stop),
    );
    expect(bytes.toString()).toBe("x".repeat(5000));
    expect(signal?.providerSpecific.metadata).toMatchObject({ start: 5000, end: 5004 });
  });

  it("does without a search where there are many letters to look for", () => {
    expect(createStopSearch([])).toBeUndefined();
    expect(createStopSearch(["a".repeat(65)])).toBeUndefined();
    expect(createStopSearch(["END"])?.mayBeIn(`${"x".repeat(5000)}EN`)).toBe(false);
    expect(createStopSearch(["END"])?.mayBeIn(`${"x".repeat(5000)}END`)).toBe(true);
  });

  it("hands the same bytes on where nothing is held back", () => {
    const guard = new ByteGuard(defineStopRules({ stop: ["END"] }));
    const plain = Buffer.from("all of it");
    const other = Buffer.from("auch Grüße");
    expect(guard.push(plain)).toBe(plain);
    expect(guard.push(other)).toBe(other);
    const held = Buffer.from("and an E");
    expect(guard.push(held).buffer).toBe(held.buffer);
  });

  it("shows what was held back when it is cancelled, half a character included", () => {
    const guard = new ByteGuard(defineStopRules({ stop: ["END"] }));
    expect(Buffer.from(guard.push(Buffer.from("so EN"))).toString()).toBe("so ");
    expect(guard.push(Uint8Array.of(0xc3))).toHaveLength(0);
    expect(Buffer.from(guard.cancel("user")).toString()).toBe("EN\uFFFD");
    expect(guard.signal).toMatchObject({ reason: "cancelled", detail: "user" });
  });
});
