import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationEvent, TerminationReason } from "../../src/index.ts";
import { textOf } from "../support/events.ts";
import { foldBody, foldStream } from "../support/fold.ts";
import type { Folded, FoldedCall } from "../support/fold.ts";
import {
  DIALECTS,
  ENCODERS,
  call,
  callDelta,
  callEnd,
  callStart,
  finish,
  opaque,
  payloadsOf,
  read,
  reasoning,
  signature,
  start,
  text,
  usage,
  writeStream,
} from "../support/official.ts";
import { same } from "../support/same.ts";

const REASONS: readonly TerminationReason[] = [
  "natural_completion",
  "stop_sequence",
  "token_limit_reached",
  "tool_calls",
  "content_filtered",
  "cancelled",
  "error_termination",
  "unknown",
];

const anyCount = fc.option(fc.nat(9), { nil: undefined });
const anyCallId = fc.constantFrom("a", "b", "c");
const anyEvent: fc.Arbitrary<GenerationEvent> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "binary" }).map(text) },
  { weight: 2, arbitrary: fc.string().map(reasoning) },
  fc
    .tuple(fc.constantFrom("", "proof-1", "proof-2"), fc.constantFrom(undefined, ...DIALECTS))
    .map(([proof, signer]) => signature(proof, signer)),
  fc.record({
    type: fc.constant("reasoning" as const),
    text: fc.string(),
    signature: fc.constantFrom("proof-3", undefined),
  }),
  fc.constant(start),
  fc.constantFrom(...DIALECTS).map((dialect) => opaque(dialect, { [`of ${dialect}`]: "a value" })),
  { weight: 2, arbitrary: fc.tuple(anyCallId, fc.string()).map(([id, name]) => callStart(id, name)) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(anyCallId, fc.constantFrom("", "{}", '{"a":', '"b"}', "[1]", "x"))
      .map(([id, json]) => callDelta(id, json)),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(anyCallId, fc.constantFrom({}, { signature: "proof-4", signedBy: "gemini" }))
      .map(([id, proof]) => callEnd(id, proof)),
  },
  fc
    .record({
      inputTokens: fc.nat(30),
      outputTokens: fc.nat(30),
      cachedInputTokens: anyCount,
      cacheWriteTokens: anyCount,
      reasoningTokens: anyCount,
    })
    .map(usage),
);

/** Leaves out pieces and ends of calls that are not open, and what comes after the finish. */
function toLegal(events: readonly GenerationEvent[]): GenerationEvent[] {
  const open = new Set<string>();
  return events.filter((event) => {
    if (event.type === "tool-call-start") open.add(event.callId);
    if (event.type === "tool-call-delta") return open.has(event.callId);
    return event.type === "tool-call-end" ? open.delete(event.callId) : true;
  });
}

const anyEvents = fc
  .tuple(fc.array(anyEvent, { maxLength: 25 }), fc.option(fc.constantFrom(...REASONS)))
  .map(([events, reason]) => [...toLegal(events), ...(reason === null ? [] : [finish(reason)])]);

/** The arguments as Anthropic and Gemini hold them: an object if they are one. */
function parseInput({ id, name, input }: FoldedCall): FoldedCall {
  try {
    const value: unknown = input === "" ? {} : JSON.parse(String(input));
    if (typeof value === "object" && !Array.isArray(value)) return { id, name, input: value };
  } catch {
    // Half a document stays the text that it is.
  }
  return { id, name, input };
}

/** The calls of a list of events, in the order in which they began, each with what came of its arguments. */
function callsOf(events: readonly GenerationEvent[], ended = new Set<FoldedCall>()): FoldedCall[] {
  const calls: FoldedCall[] = [];
  const open = new Map<string, FoldedCall>();
  for (const event of events) {
    if (event.type === "tool-call-start") {
      const begun = { id: event.callId, name: event.name, input: "" };
      calls.push(begun);
      open.set(event.callId, begun);
    } else if (event.type === "tool-call-delta") {
      const known = open.get(event.callId)!;
      known.input = String(known.input) + event.json;
    } else if (event.type === "tool-call-end") {
      const known = open.get(event.callId)!;
      if (known.input === "") known.input = "{}";
      ended.add(known);
    }
  }
  return calls;
}

/** The calls that have their end and an object for arguments. */
function wholeCallsOf(events: readonly GenerationEvent[]): FoldedCall[] {
  const ended = new Set<FoldedCall>();
  const calls = callsOf(events, ended).filter((item) => ended.has(item));
  return calls.map(parseInput).filter(({ input }) => typeof input === "object");
}

const sorted = (calls: readonly FoldedCall[]): string[] => calls.map((item) => JSON.stringify(item)).sort();

describe.each(DIALECTS)("a stream in %s", (dialect) => {
  it("keeps to the grammar, ends once and loses no text, whatever the events", () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const { frames, ends } = writeStream(dialect, events);
        const folded = foldStream(dialect, frames);
        same(ends, 1);
        same(folded.text, textOf(events));
        same(folded.reasoning, textOf(events, "reasoning"));
        const own = events.flatMap((event) =>
          event.type === "opaque" && event.format === dialect ? [event.value] : [],
        );
        same(folded.opaque, dialect === "openai-chat" ? [] : own);
        // Gemini has no place for half a call, and has the others where they end.
        if (dialect === "gemini") same(sorted(folded.calls), sorted(wholeCallsOf(events)));
        else same(folded.calls, callsOf(events));
      }),
      { numRuns: 1000 },
    );
  });

  it("says the same as the whole answer", () => {
    fc.assert(
      fc.property(anyEvents, (events) => {
        const { frames } = writeStream(dialect, events);
        const { body } = ENCODERS[dialect].response(events);
        const stream = foldStream(dialect, frames);
        // What follows is compared as JSON, in which an absent field is not an undefined one.
        const whole = foldBody(dialect, JSON.parse(JSON.stringify(body)));
        if (whole.finish === "error" && dialect === "openai-responses") {
          // A stream has begun when it fails, so that there is a response and an error in it.
          same(stream.finish, "failed");
          same(read(payloadsOf(frames).at(-1), "response", "fullstop"), read(body, "error", "fullstop"));
        } else if (whole.finish === "error") {
          same(payloadsOf(frames).at(-1), JSON.parse(JSON.stringify(body)));
        } else if (dialect === "openai-responses") {
          same(read(payloadsOf(frames).at(-1), "response"), JSON.parse(JSON.stringify(body)));
        } else {
          same(comparable(stream), comparable(whole));
        }
      }),
      { numRuns: 1000 },
    );
  });

  function comparable({ calls, signatures, ...folded }: Folded): unknown {
    if (dialect === "anthropic-messages") return { ...folded, signatures, calls: calls.map(parseInput) };
    // In a stream a call of Gemini, and the signature of any, stands where it ended, in a whole answer where it began.
    const proofs = signatures.map(String).sort();
    return { ...folded, signatures: proofs, calls: dialect === "gemini" ? sorted(calls) : calls };
  }

  it("begins by itself where no start event comes, with what the options tell", () => {
    const frames: string[] = [];
    const sink = ENCODERS[dialect].stream({ id: "given-id", model: "given-model", created: 7 })({
      push: (frame) => void frames.push(frame),
      end: () => undefined,
    });
    sink.push(text("a"));
    expect(frames.join("")).toContain('"given-id"');
    expect(frames.join("")).toContain('"given-model"');
    if (dialect.startsWith("openai")) expect(frames[0]).toMatch(/"created(?:_at)?":7\b/u);
  });

  it("takes the id and the model of the start event over those of the options", () => {
    const frames: string[] = [];
    const sink = ENCODERS[dialect].stream({ id: "given-id", model: "given-model" })({
      push: (frame) => void frames.push(frame),
      end: () => undefined,
    });
    for (const event of [start, text("a"), finish("natural_completion")]) sink.push(event);
    expect(frames.join("")).toContain('"gen-1"');
    expect(frames.join("")).toContain('"some-model"');
    expect(frames.join("")).not.toContain("given");
  });

  it("writes one frame for a piece of text, as soon as it comes", () => {
    const frames: string[] = [];
    const sink = ENCODERS[dialect].stream()({ push: (frame) => void frames.push(frame), end: () => undefined });
    for (const event of [start, text("a")]) sink.push(event);
    const before = frames.length;
    sink.push(text('"b"\n'));
    expect(frames.length).toBe(before + 1);
    expect(frames.at(-1)).toContain(String.raw`"\"b\"\n"`);
    sink.push(text(""));
    expect(frames.length).toBe(before + 1);
  });

  it("has fresh state for every answer", () => {
    const stage = ENCODERS[dialect].stream();
    const answers = [1, 2].map(() => {
      const frames: string[] = [];
      const sink = stage({ push: (frame) => void frames.push(frame), end: () => undefined });
      for (const event of [start, text("a"), ...call("c", "f", "{}"), finish("tool_calls")]) sink.push(event);
      return frames;
    });
    expect(answers[0]).toEqual(answers[1]);
  });

  it("refuses options that it cannot use", () => {
    const { stream, response } = ENCODERS[dialect];
    for (const options of [
      { ids: "a" },
      { id: 1 },
      { model: null },
      { created: -1 },
      { includeUsage: 1 },
      { onWarning: "yes" },
    ]) {
      expect(() => stream(options as object)).toThrow(/options/u);
      expect(() => response([], options as object)).toThrow(/options/u);
    }
  });

  it("leaves out pieces of a call that has not begun or is over, and says so once", () => {
    const whole = [start, ...call("y", "f", "{}")];
    const { frames, warnings } = writeStream(dialect, whole);
    const strange = writeStream(dialect, [...whole, callDelta("x", "{}"), callEnd("x"), callDelta("y", "{}")]);
    expect(strange.frames).toEqual(frames);
    expect(warnings).toEqual([]);
    expect(strange.warnings.map(({ field }) => field)).toEqual(["toolCalls"]);
  });
});
