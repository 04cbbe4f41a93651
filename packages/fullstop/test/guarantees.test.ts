import fc from "fast-check";
import { describe, it } from "vitest";
import {
  CHANNELS,
  createTerminationSignal,
  createTextGuard,
  createUtf8Decoder,
  defineGuard,
  defineStopRules,
  isTerminationSignal,
  seal,
} from "../src/index.ts";
import type {
  Channel,
  GenerationEvent,
  StopRule,
  StopRuleOptions,
  StopString,
  TerminationSignal,
} from "../src/index.ts";
import { cutAt, cutBytesAt } from "./support/cuts.ts";
import { collect, finishOf, pushThrough } from "./support/events.ts";
import { guardText, metadataOf } from "./support/guard-text.ts";
import { same } from "./support/same.ts";
import { firstMatch, firstRepetition, heldLength } from "./support/oracle.ts";
import { REASONS } from "./support/reasons.ts";

/** Each guarantee is checked on this many random cases. */
const CASES = { numRuns: 12_000 };

// A tiny alphabet, so that overlaps happen all the time. The last two letters take two code units and four bytes
// each, and have their second code unit in common.
const letter = fc.constantFrom("a", "b", "b", "é", "😀", "\u{20200}");
const text = fc.array(letter, { maxLength: 24 }).map((letters) => letters.join(""));
const stopString = fc.array(letter, { minLength: 1, maxLength: 5 }).map((letters) => letters.join(""));
const stops = fc.array(stopString, { minLength: 1, maxLength: 4 });
const cuts = fc.array(fc.nat(99), { maxLength: 30 });

/** What of a signal may not depend on cuts: all but the number of pieces, which counts as tokens here. */
function essence(signal: TerminationSignal | undefined): unknown {
  if (signal === undefined) return undefined;
  const { tokens: _tokens, also: _also, ...metadata } = metadataOf(signal);
  return { ...signal, providerSpecific: { ...signal.providerSpecific, metadata } };
}

const natural = createTerminationSignal({ reason: "natural_completion", originalField: "f", originalValue: "v" });

describe("guarantee 1: exactly one finish, always last", () => {
  const event: fc.Arbitrary<GenerationEvent | "throw"> = fc.oneof(
    { weight: 6, arbitrary: text.map((value): GenerationEvent => ({ type: "text", text: value })) },
    { weight: 2, arbitrary: text.map((value): GenerationEvent => ({ type: "reasoning", text: value })) },
    fc.constantFrom<GenerationEvent | "throw">(
      { type: "start", id: "1", model: "m" },
      { type: "tool-call-start", callId: "c", name: "n" },
      { type: "tool-call-delta", callId: "c", json: "{}" },
      { type: "tool-call-end", callId: "c" },
      { type: "usage", usage: { inputTokens: 1, outputTokens: 1 } },
      { type: "finish", signal: natural },
      "throw",
    ),
  );

  it("holds for any source, whatever it does", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 8 }), stops, fc.boolean(), async (script, stop, isAsync) => {
        function* source(): Generator<GenerationEvent> {
          for (const entry of script) {
            if (entry === "throw") throw new Error("the source broke");
            yield entry;
          }
        }
        async function* asyncSource(): AsyncGenerator<GenerationEvent> {
          yield* source();
        }
        const events = await collect(isAsync ? asyncSource() : source(), defineGuard({ stop }));
        same(events.filter(({ type }) => type === "finish").length, 1);
        const signal = finishOf(events);
        same(isTerminationSignal(signal), true);
        const first = script.find((entry) => entry === "throw" || entry.type === "finish");
        if (signal.reason === "stop_sequence") return;
        same(signal.detail, first === undefined ? "truncated" : first === "throw" ? "exception" : undefined);
      }),
      CASES,
    );
  });
});

describe("guarantee 2: cuts do not matter", () => {
  const rules = fc.record<StopRuleOptions>(
    {
      stop: stops,
      include: fc.boolean(),
      caseInsensitive: fc.boolean(),
      repetition: fc.record({
        minPatternLength: fc.integer({ min: 1, max: 3 }),
        maxPatternLength: fc.integer({ min: 3, max: 8 }),
        minRepetitions: fc.integer({ min: 2, max: 4 }),
        trim: fc.boolean(),
      }),
      maxCharacters: fc.integer({ min: 1, max: 30 }),
    },
    { requiredKeys: [] },
  );

  it("at code units, single letters and all at once", () => {
    fc.assert(
      fc.property(text, rules, cuts, (whole, options, positions) => {
        const compiled = defineStopRules(options);
        const atOnce = guardText([whole], compiled);
        same(atOnce.text.isWellFormed(), true);
        for (const pieces of [cutAt(whole, positions), whole.split("")]) {
          const inPieces = guardText(pieces, compiled);
          same(
            inPieces.shown.filter((shown) => !shown.isWellFormed()),
            [],
          );
          same(inPieces.text, atOnce.text);
          same(essence(inPieces.signal), essence(atOnce.signal));
        }
      }),
      CASES,
    );
  });

  it("at bytes", () => {
    fc.assert(
      fc.property(text, rules, cuts, (whole, options, positions) => {
        const compiled = defineStopRules(options);
        const decoder = createUtf8Decoder();
        const bytes = new TextEncoder().encode(whole);
        const pieces = cutBytesAt(bytes, positions).map((piece) => decoder.push(piece));
        const inBytes = guardText([...pieces, decoder.end()], compiled);
        const atOnce = guardText([whole], compiled);
        same(inBytes.text, atOnce.text);
        same(essence(inBytes.signal), essence(atOnce.signal));
      }),
      CASES,
    );
  });

  it("at tokens: a token limit falls on the same token whatever else is watched", () => {
    fc.assert(
      fc.property(text, cuts, stops, fc.nat(12), (whole, positions, stop, maxTokens) => {
        const tokens = cutAt(whole, positions).filter((piece) => piece !== "");
        const guard = createTextGuard({ stop, maxTokens });
        const shown = tokens.map((token, id) => guard.push(token, [id])).join("") + guard.end();
        const allowed = tokens.slice(0, maxTokens).join("");
        const match = firstMatch(allowed, stop);
        same(shown.toWellFormed(), (match === undefined ? allowed : allowed.slice(0, match.start)).toWellFormed());
        const expected = match ? "stop_sequence" : tokens.length >= maxTokens ? "token_limit_reached" : undefined;
        same(guard.signal?.reason, expected);
      }),
      CASES,
    );
  });

  it("as events: streaming gives what the whole answer gives", () => {
    fc.assert(
      fc.property(text, text, stops, cuts, (thought, answer, stop, positions) => {
        const guard = defineGuard({ stop: stop.map((value) => ({ text: value, scope: "all" as const })) });
        const toEvents = (pieces: readonly string[], type: "text" | "reasoning"): GenerationEvent[] =>
          pieces.map((value) => ({ type, text: value }));
        const whole = pushThrough(guard, [...toEvents([thought], "reasoning"), ...toEvents([answer], "text")]);
        const streamed = pushThrough(guard, [
          ...toEvents(cutAt(thought, positions), "reasoning"),
          ...toEvents(cutAt(answer, positions), "text"),
        ]);
        same(summary(streamed), summary(whole));
      }),
      CASES,
    );
  });
});

/** The text of each channel and the ending of a list of events. */
function summary(events: readonly GenerationEvent[]): unknown {
  const byType = (type: "text" | "reasoning"): string =>
    events.map((event) => (event.type === type ? event.text : "")).join("");
  const last = events.at(-1);
  return [byType("reasoning"), byType("text"), essence(last?.type === "finish" ? last.signal : undefined)];
}

describe("guarantees 3 and 4: nothing is lost, nothing leaks", () => {
  it("shown text and removed match make up what was generated, and no part of the match is ever shown", () => {
    fc.assert(
      fc.property(text, stops, cuts, fc.boolean(), (whole, stop, positions, include) => {
        const guard = createTextGuard({ stop, include });
        const match = firstMatch(whole, stop);
        const visible = match === undefined ? whole : whole.slice(0, include ? match.end : match.start);
        let shown = "";
        for (const piece of cutAt(whole, positions)) {
          shown += guard.push(piece);
          if (!visible.startsWith(shown)) throw new Error(`showed ${shown} of ${visible}`);
        }
        shown += guard.end();
        same(shown, visible);
        if (match === undefined) return;
        const { start, end } = metadataOf(guard.signal) as { start: number; end: number };
        same(whole.slice(0, start) + whole.slice(start, end), whole.slice(0, match.end));
        same(whole.slice(start, end), guard.signal?.stopSequence);
      }),
      CASES,
    );
  });

  it("what is held back leaves at every other ending", () => {
    const endings = ["end", "cancel", "tokens", "characters", "eos", "rule", "deadline"] as const;
    fc.assert(
      fc.property(text, stops, cuts, fc.constantFrom(...endings), (whole, stop, positions, ending) => {
        fc.pre(firstMatch(whole, stop) === undefined && whole !== "");
        const pieces = cutAt(whole, positions).filter((piece) => piece !== "");
        let now = 0;
        const guard = createTextGuard({
          stop,
          maxMilliseconds: 5,
          now: () => now,
          eosTokenIds: [999],
          ...(ending === "tokens" ? { maxTokens: pieces.length } : {}),
          ...(ending === "characters" ? { maxCharacters: whole.length } : {}),
          ...(ending === "rule" ? { rules: [endAfter(pieces.length)] } : {}),
        });
        let shown = "";
        for (const [index, piece] of pieces.entries()) {
          const isLast = index === pieces.length - 1;
          if (isLast && ending === "deadline") now = 5;
          shown += guard.push(piece, isLast && ending === "eos" ? [index, 999] : [index]);
        }
        shown += ending === "cancel" ? guard.cancel() : guard.end();
        same(shown, whole);
        same(guard.signal === undefined, ending === "end");
      }),
      CASES,
    );
  });
});

function endAfter(steps: number): StopRule {
  return {
    name: "end after some steps",
    start: () => {
      let seen = 0;
      return () => ((seen += 1) === steps ? natural : undefined);
    },
  };
}

describe("guarantee 3 for endings from outside", () => {
  it("what is held back leaves before the finish of a loop, an error or an abort", async () => {
    const endings = fc.constantFrom("loop", "error", "abort");
    await fc.assert(
      fc.asyncProperty(text, stops, cuts, endings, async (given, stop, positions, ending) => {
        const loop = ending === "loop" ? "xyxyxy" : "";
        const whole = given + loop;
        fc.pre(firstMatch(whole, stop) === undefined && firstRepetition(given, LOOP) === undefined);
        const controller = new AbortController();
        async function* source(): AsyncGenerator<GenerationEvent> {
          for (const piece of cutAt(whole, positions)) yield { type: "text", text: piece };
          if (ending === "abort") controller.abort();
          if (ending === "error") throw new Error("broken");
        }
        const guard = defineGuard({ stop: [...stop, "xyxyxyx"], ...(ending === "loop" ? { repetition: LOOP } : {}) });
        const events = await collect(source(), guard, controller.signal);
        same(events.map((event) => (event.type === "text" ? event.text : "")).join(""), whole);
        const reasons = { loop: "repetition_detected", error: "error_termination", abort: "cancelled" } as const;
        same(finishOf(events).reason, reasons[ending]);
      }),
      CASES,
    );
  });
});

const LOOP = { minPatternLength: 2, maxPatternLength: 2, minRepetitions: 3, windowSize: 1000 };

describe("guarantee 5: no needless delay", () => {
  it("holds back at every moment exactly the longest tail that begins a stop string, or half a character", () => {
    fc.assert(
      fc.property(text, stops, cuts, (whole, stop, positions) => {
        const guard = createTextGuard({ stop });
        const match = firstMatch(whole, stop);
        let read = "";
        let shown = "";
        for (const piece of cutAt(whole, positions)) {
          read += piece;
          shown += guard.push(piece);
          if (match !== undefined && read.length >= match.end) return;
          const half = /[\ud800-\udbff]$/.test(read) ? 1 : 0;
          const complete = read.slice(0, read.length - half);
          same(shown.length, complete.length - heldLength(complete, stop));
          same(shown + guard.held, complete);
        }
      }),
      CASES,
    );
  });
});

describe("guarantee 6: the earliest completion wins, ties go to the longest", () => {
  it("agrees with a reading of every position, in any order of the strings", () => {
    fc.assert(
      fc.property(text, stops, fc.nat(), (whole, stop, rotation) => {
        const match = firstMatch(whole, stop);
        const at = rotation % stop.length;
        for (const order of [stop, stop.toReversed(), [...stop.slice(at), ...stop.slice(0, at)]]) {
          const { signal } = guardText([whole], { stop: order });
          same(signal?.stopSequence, match?.stop);
          const { start, end } = metadataOf(signal);
          if (match) same([start, end], [match.start, match.end]);
        }
      }),
      CASES,
    );
  });

  it("and so it does for loops under the plain rule", () => {
    const settings = fc.record({
      minPatternLength: fc.integer({ min: 1, max: 4 }),
      maxPatternLength: fc.integer({ min: 4, max: 12 }),
      minRepetitions: fc.integer({ min: 2, max: 4 }),
      windowSize: fc.constantFrom(16, 30, 1000),
    });
    const unit = fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 9 });
    const loopy = fc.array(fc.tuple(unit, fc.integer({ min: 1, max: 4 })), { maxLength: 6 });
    fc.assert(
      fc.property(loopy, settings, (parts, repetition) => {
        const whole = parts.map(([letters, times]) => letters.join("").repeat(times)).join("");
        const expected = firstRepetition(whole, repetition);
        const { signal, text: shown } = guardText([whole], { repetition });
        same(shown, expected === undefined ? whole : whole.slice(0, expected.end));
        if (expected) {
          const pattern = whole.slice(expected.end - expected.length, expected.end);
          const count = repetition.minRepetitions;
          same(signal?.message, `Repetition detected: ${pattern} repeated ${count} times`);
        }
      }),
      CASES,
    );
  });
});

describe("guarantee 7: scope", () => {
  const scoped = fc.record<StopString>({ text: stopString, scope: fc.subarray([...CHANNELS], { minLength: 1 }) });
  const piece = fc.record({ channel: fc.constantFrom(...CHANNELS), value: text });

  function toEvent(channel: Channel, value: string): GenerationEvent {
    if (channel === "tool-arguments") return { type: "tool-call-delta", callId: "1", json: value };
    return { type: channel, text: value };
  }

  it("a string is found in its channels only, and never half in one and half in another", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.array(scoped, { maxLength: 3 }), (pieces, stop) => {
        const stretches: { channel: Channel; value: string }[] = [];
        for (const { channel, value } of pieces) {
          if (value === "") continue;
          const last = stretches.at(-1);
          if (last?.channel === channel) last.value += value;
          else stretches.push({ channel, value });
        }
        const expected: [Channel, string][] = [];
        let found: string | undefined;
        for (const { channel, value } of stretches) {
          const watched = stop.filter(({ scope }) => scope?.includes(channel) === true).map((item) => item.text);
          const match = firstMatch(value, watched);
          expected.push([channel, match === undefined ? value : value.slice(0, match.start)]);
          found = match?.stop;
          if (match !== undefined) break;
        }
        const events = pushThrough(
          defineGuard({ stop }),
          pieces.map(({ channel, value }) => toEvent(channel, value)),
        );
        const shown: [Channel, string][] = [];
        for (const event of events) {
          if (event.type !== "text" && event.type !== "reasoning" && event.type !== "tool-call-delta") continue;
          const channel = event.type === "tool-call-delta" ? "tool-arguments" : event.type;
          const value = event.type === "tool-call-delta" ? event.json : event.text;
          const last = shown.at(-1);
          if (last?.[0] === channel) last[1] += value;
          else shown.push([channel, value]);
        }
        same(mergeNeighbours(shown), mergeNeighbours(expected));
        const last = events.at(-1);
        same(last?.type === "finish" ? last.signal.stopSequence : undefined, found);
      }),
      CASES,
    );
  });

  /** Leaves out stretches of which nothing was shown, so that those around them count as one. */
  function mergeNeighbours(stretches: readonly (readonly [Channel, string])[]): [Channel, string][] {
    const merged: [Channel, string][] = [];
    for (const [channel, value] of stretches) {
      if (value === "") continue;
      const last = merged.at(-1);
      if (last?.[0] === channel) last[1] += value;
      else merged.push([channel, value]);
    }
    return merged;
  }
});

describe("guarantee 8: order of authority", () => {
  const order = ["stop_string", "eos_token_id", "stop_token_id", "repetition", "custom"] as const;
  const later = ["max_milliseconds", "max_cost", "max_characters", "max_tokens"] as const;
  const conditions = [...order, ...later];
  const custom = createTerminationSignal({ reason: "unknown", originalField: "custom", originalValue: "" });

  it("of all conditions that hold in one step the first is the reason and the others are listed", () => {
    fc.assert(
      fc.property(fc.subarray(conditions), fc.array(letter, { minLength: 2, maxLength: 4 }), (holding, letters) => {
        const unit = letters.join("");
        fc.pre(new Set(letters).size === letters.length);
        const has = (name: (typeof conditions)[number]): boolean => holding.includes(name);
        const whole = unit.repeat(3);
        let now = 0;
        const guard = createTextGuard({
          ...(has("stop_string") ? { stop: [whole] } : {}),
          eosTokenIds: has("eos_token_id") ? [7] : [],
          stopTokenIds: has("stop_token_id") ? [8] : [],
          ...(has("repetition") ? { repetition: { minPatternLength: 1, minRepetitions: 3 } } : {}),
          rules: has("custom") ? [{ name: "custom", start: () => () => custom }] : [],
          ...(has("max_milliseconds") ? { maxMilliseconds: 1 } : {}),
          ...(has("max_cost") ? { maxCost: { amount: 2, perToken: 1 } } : {}),
          ...(has("max_characters") ? { maxCharacters: whole.length } : {}),
          ...(has("max_tokens") ? { maxTokens: 2 } : {}),
          now: () => now,
        });
        now = 1;
        guard.push(whole, [7, 8]);
        same(guard.signal?.providerSpecific.originalField, holding[0]);
        if (holding.length > 0) same(metadataOf(guard.signal)["also"], holding.slice(1));
      }),
      CASES,
    );
  });

  it("a cancel comes before all of them", () => {
    fc.assert(
      fc.property(text, stops, cuts, fc.nat(20), (whole, stop, positions, after) => {
        const guard = createTextGuard({ stop, maxTokens: 8, repetition: LOOP });
        const pieces = cutAt(whole, positions);
        const shown = pieces.slice(0, after).map((piece, id) => guard.push(piece, [id]));
        const before = guard.signal;
        const rest = guard.cancel("user");
        const afterwards = pieces.slice(after).map((piece, id) => guard.push(piece, [id]));
        same(afterwards.join(""), "");
        if (before !== undefined) same(guard.signal, before);
        else
          same(
            [guard.signal?.reason, (shown.join("") + rest).toWellFormed()],
            ["cancelled", pieces.slice(0, after).join("").toWellFormed()],
          );
      }),
      CASES,
    );
  });

  it("only a natural stop becomes tool_calls, and only when every call is complete", () => {
    const calls = fc.array(fc.record({ id: fc.constantFrom("a", "b", "c"), isComplete: fc.boolean() }), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(fc.constantFrom(...REASONS), calls, (reason, given) => {
        const distinct = given.filter(({ id }, index) => given.findIndex((other) => other.id === id) === index);
        const events = distinct.flatMap(({ id, isComplete }): GenerationEvent[] => [
          { type: "tool-call-start", callId: id, name: "n" },
          ...(isComplete ? [{ type: "tool-call-end", callId: id } as const] : []),
        ]);
        const signal = createTerminationSignal({ reason, originalField: "finish_reason", originalValue: "raw" });
        const ending = finishOf(pushThrough(seal, [...events, { type: "finish", signal }]));
        const upgraded =
          reason === "natural_completion" && distinct.length > 0 && distinct.every((call) => call.isComplete);
        same(ending, { ...signal, reason: upgraded ? "tool_calls" : reason });
      }),
      CASES,
    );
  });
});
