import fc from "fast-check";
import { expect, it } from "vitest";
import { defineGuard } from "../../src/index.ts";
import type { GenerationEvent, StopRuleOptions } from "../../src/index.ts";
import { guardBytes, readEvents, signalIn, textIn } from "../support/fetch-bytes.ts";
import { dataEvents, geminiChunk, toBytes } from "../support/wire-bodies.ts";

type Part = Readonly<Record<string, unknown>>;

const RULES: StopRuleOptions = { stop: [{ text: "STOP#", scope: "all" }] };

/** What can be seen of an answer: its texts, and the calls that can be run. */
function seenIn(events: readonly GenerationEvent[]) {
  const ended = events.flatMap((event) => (event.type === "tool-call-end" ? [event.callId] : []));
  const calls = ended.map((callId) => {
    const name = events.find((event) => event.type === "tool-call-start" && event.callId === callId);
    const json = events.map((event) => (event.type === "tool-call-delta" && event.callId === callId ? event.json : ""));
    return [name?.type === "tool-call-start" ? name.name : "", json.join("")];
  });
  return { text: textIn(events), reasoning: textIn(events, "reasoning"), calls };
}

function guardEvents(events: readonly GenerationEvent[], rules: StopRuleOptions): readonly GenerationEvent[] {
  const guarded: GenerationEvent[] = [];
  const sink = defineGuard(rules)({ push: (event) => void guarded.push(event), end: () => undefined });
  for (const event of events) sink.push(event);
  sink.end();
  return guarded;
}

/** Parts in chunks of so many. */
function toBody(parts: readonly Part[], sizes: readonly number[]): string {
  const chunks: Part[] = [];
  let at = 0;
  for (let turn = 0; at < parts.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    chunks.push(geminiChunk({}, ...parts.slice(at, at + size)));
    at += size;
  }
  return dataEvents(...chunks, geminiChunk({ finishReason: "STOP" }, { text: "" }));
}

function begin(name: string): Part {
  return { functionCall: { name, willContinue: true } };
}

function goOn(stringValue: string): Part {
  return { functionCall: { partialArgs: [{ jsonPath: "$.q", stringValue }], willContinue: true } };
}

const end: Part = { functionCall: {} };

it.each([
  ["a stop string in the next call", [begin("g"), goOn("a STOP# SECRET"), end]],
  ["a stop string behind the next call", [begin("g"), goOn("a"), end, { text: "b STOP# SECRET" }]],
  ["a stop string between the pieces of the next call", [begin("g"), { text: "b STOP# SECRET" }, goOn("a"), end]],
])("keeps a call whose last piece comes with the first of another, before %s", async (_, rest) => {
  for (const sizes of [[2, 1, 1, 1, 1], [3], [1, 2]]) {
    const body = toBody([{ text: "Hi" }, begin("f"), goOn("x"), end, ...rest], sizes);
    const { bytes } = await guardBytes("gemini", [toBytes(body)], RULES);
    const seen = seenIn(readEvents("gemini", bytes));
    expect([sizes, seen.calls[0]]).toEqual([sizes, ["f", '{"q":"x"}']]);
    expect(seen).toEqual(seenIn(guardEvents(readEvents("gemini", toBytes(body)), RULES)));
    expect(Buffer.from(bytes).toString()).not.toContain("SECRET");
  }
});

it("shows the same of calls in pieces as the rules do, whatever stands in which chunk", async () => {
  const words = fc.constantFrom("a", "ST", "OP#", "STOP#", "b ", "");
  const piece = fc.record({ stringValue: words, willContinue: fc.boolean() });
  const part: fc.Arbitrary<Part> = fc.oneof(
    words.map((text) => ({ text })),
    words.map((text) => ({ text, thought: true })),
    words.map((q) => ({ functionCall: { name: "whole", args: { q } } })),
    fc.constantFrom("f", "g").map(begin),
    words.map(goOn),
    fc.constant(end),
    fc
      .record({ name: fc.constantFrom("f", "g", ""), piece, willContinue: fc.boolean() })
      .map(({ name, piece: { stringValue, willContinue: more }, willContinue }) => ({
        functionCall: {
          ...(name !== "" && { name }),
          partialArgs: [{ jsonPath: "$.q", stringValue, ...(more && { willContinue: true }) }],
          ...(willContinue && { willContinue }),
        },
      })),
  );
  const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 12 }), sizes, async (parts, counts) => {
      const body = toBody(parts, counts);
      const expected = guardEvents(readEvents("gemini", toBytes(body)), RULES);
      const { bytes } = await guardBytes("gemini", [toBytes(body)], RULES);
      const events = readEvents("gemini", bytes);
      expect(seenIn(events)).toEqual(seenIn(expected));
      expect(signalIn(events).reason).toBe(signalIn(expected).reason);
    }),
    { numRuns: 300 },
  );
});
