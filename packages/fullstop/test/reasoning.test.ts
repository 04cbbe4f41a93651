import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  REASONING_MARKERS,
  compose,
  defineGuard,
  defineReasoningSplitter,
  detectReasoningMarkers,
} from "../src/index.ts";
import type { GenerationEvent, ReasoningSplitterOptions } from "../src/index.ts";
import { cutAt, everyCut } from "./support/cuts.ts";
import { finishOf, pushThrough, textOf } from "./support/events.ts";
import { same } from "./support/same.ts";

function split(pieces: readonly string[], options: ReasoningSplitterOptions = {}): [string, string] {
  const events = pushThrough(
    defineReasoningSplitter(options),
    pieces.map((text) => ({ type: "text", text })),
  );
  return [textOf(events, "reasoning"), textOf(events)];
}

describe("splitting by text", () => {
  it.each([
    { what: "one block", text: "<think>a</think>b", reasoning: "a", answer: "b" },
    { what: "text before it", text: "x<think>a</think>b", reasoning: "a", answer: "xb" },
    { what: "several blocks", text: "<think>a</think>b<think>c</think>d", reasoning: "ac", answer: "bd" },
    { what: "an unclosed block", text: "x<think>a and </thi", reasoning: "a and </thi", answer: "x" },
    { what: "an empty block", text: "<think></think>b", reasoning: "", answer: "b" },
    { what: "an unfinished opening marker", text: "a <thin", reasoning: "", answer: "a <thin" },
    { what: "a closing marker without a block", text: "a</think>b", reasoning: "", answer: "a</think>b" },
    { what: "another pair's closing marker", text: "<think>a[/THINK]b</think>c", reasoning: "a[/THINK]b", answer: "c" },
    { what: "a marker inside a block", text: "<think>a<think>b</think>c", reasoning: "a<think>b", answer: "c" },
    { what: "a false start of a marker", text: "<<think>a<</think>b", reasoning: "a<", answer: "<b" },
    { what: "no block at all", text: "1 < 2 and 2 > 1", reasoning: "", answer: "1 < 2 and 2 > 1" },
  ])("$what, in every cut", ({ text, reasoning, answer }) => {
    expect(split([text])).toEqual([reasoning, answer]);
    expect(split(text.split(""))).toEqual([reasoning, answer]);
    if (text.length <= 14) for (const pieces of everyCut(text)) same(split(pieces), [reasoning, answer]);
  });

  it.each(REASONING_MARKERS)("knows $open", ({ open, close }) => {
    expect(split([`a${open}b${close}c`])).toEqual(["b", "ac"]);
  });

  it("starts inside a block that the prompt has opened, whichever kind that was", () => {
    expect(split(["a</think>b"], { startsInReasoning: true })).toEqual(["a", "b"]);
    expect(split(["a[/THINK]b"], { startsInReasoning: true })).toEqual(["a", "b"]);
  });

  it("passes the markers on as part of the reasoning when asked", () => {
    const options = { keepMarkers: true };
    expect(split(["x<think>a</think>b"], options)).toEqual(["<think>a</think>", "xb"]);
  });

  it("with its markers kept, writes down everything in the order in which it came", () => {
    const part = fc.constantFrom("<think>", "</think>", "a", "b ", "<", "\n", "😀", "</", "<th");
    const whole = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(whole, fc.array(fc.nat(200), { maxLength: 20 }), (text, cuts) => {
        const events: GenerationEvent[] = cutAt(text, cuts).map((value) => ({ type: "text", text: value }));
        const out = pushThrough(defineReasoningSplitter({ keepMarkers: true }), events);
        same(out.map((event) => ("text" in event ? event.text : "")).join(""), text);
      }),
      { numRuns: 10_000 },
    );
  });

  it("gives the same two texts in any cut, and loses nothing", () => {
    const part = fc.constantFrom("<think>", "</think>", "[THINK]", "[/THINK]", "a", "<", "</th", "ink>", "😀");
    const whole = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(""));
    const options = fc.record({ startsInReasoning: fc.boolean(), keepMarkers: fc.boolean() });
    fc.assert(
      fc.property(whole, fc.array(fc.nat(99), { maxLength: 20 }), options, (text, cuts, settings) => {
        const atOnce = split([text], settings);
        same(split(cutAt(text, cuts), settings), atOnce);
        same(split(text.split(""), settings), atOnce);
        if (settings.keepMarkers) same(atOnce.join("").length, text.length);
      }),
      { numRuns: 10_000 },
    );
  });

  it("lets held text out before whatever comes between, and keeps the order", () => {
    const call: GenerationEvent = { type: "tool-call-start", callId: "1", name: "n" };
    const events = pushThrough(defineReasoningSplitter(), [
      { type: "text", text: "a<th" },
      call,
      { type: "text", text: "ink>" },
    ]);
    expect(events.map((event) => (event.type === "text" ? event.text : event.type))).toEqual([
      "a",
      "<th",
      "tool-call-start",
      "ink>",
    ]);
  });

  it("passes reasoning that the source has told apart", () => {
    const thought: GenerationEvent = { type: "reasoning", text: "a <think> b" };
    expect(pushThrough(defineReasoningSplitter(), [thought])).toEqual([thought]);
  });

  it("works before a guard: a stop string cut over pieces is found behind a marker cut over pieces", () => {
    const stage = compose(defineReasoningSplitter(), defineGuard({ stop: ["<|sep|>"] }));
    const events = pushThrough(
      stage,
      ["<think>x</th", "ink>done<|s", "ep|>"].map((text) => ({ type: "text", text })),
    );
    expect([textOf(events, "reasoning"), textOf(events)]).toEqual(["x", "done"]);
  });

  it("loses no text before a guard that ends at a token, however pieces and tokens lie", () => {
    const part = fc.constantFrom("<think>", "</think>", "a", " <", "</th", "ink>");
    const pieces = fc.array(fc.array(part, { maxLength: 3 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(pieces, fc.boolean(), (given, endsByLimit) => {
        const texts = given.map((parts) => parts.join(""));
        const tokens = given.map((parts, index) => parts.map((_, token) => index * 10 + token));
        const count = tokens.flat().length;
        fc.pre(count > 0);
        const guard = endsByLimit ? defineGuard({ maxTokens: count + 1 }) : defineGuard({ eosTokenIds: [999] });
        const events: GenerationEvent[] = texts.map((text, index) => ({ type: "text", text, tokenIds: tokens[index] }));
        const stage = compose(defineReasoningSplitter({ keepMarkers: true }), guard);
        const out = pushThrough(stage, [
          ...events,
          { type: "text", text: "", tokenIds: [999] },
          { type: "text", text: "late" },
        ]);
        const whole = split([texts.join("")], { keepMarkers: true });
        same(
          [textOf(out, "reasoning").length, textOf(out).length].reduce((a, b) => a + b),
          whole.join("").length,
        );
        same(finishOf(out).reason, endsByLimit ? "token_limit_reached" : "natural_completion");
        same(finishOf(out).providerSpecific.metadata?.["tokens"], count + 1);
      }),
      { numRuns: 10_000 },
    );
  });

  it("shows all text up to a limit that falls on its last token", () => {
    const part = fc.constantFrom("<think>", "</think>", "a", " <", "</th", "ink>");
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        const events: GenerationEvent[] = parts.map((text, id) => ({ type: "text", text, tokenIds: [id] }));
        const splitter = defineReasoningSplitter({ keepMarkers: true });
        const out = pushThrough(compose(splitter, defineGuard({ maxTokens: parts.length })), events);
        same(out.map((event) => ("text" in event ? event.text : "")).join(""), parts.join(""));
        same(finishOf(out).reason, "token_limit_reached");
      }),
      { numRuns: 10_000 },
    );
  });

  it("takes an empty piece of either kind for nothing", () => {
    const empty: GenerationEvent = { type: "reasoning", text: "" };
    const events = pushThrough(defineReasoningSplitter(), [
      { type: "text", text: "<th" },
      empty,
      { type: "text", text: "ink>a</think>b" },
    ]);
    expect([textOf(events, "reasoning"), textOf(events)]).toEqual(["a", "b"]);
  });

  it.each([
    { options: { marker: [] }, quoted: `"marker"` },
    { options: { startsInReasoning: "no" }, quoted: `"no"` },
    { options: { tokenMarkers: { open: "<t>", close: "</t>" } }, quoted: "[null,null]" },
    { options: null, quoted: "null" },
  ])("refuses options $options", ({ options, quoted }) => {
    expect(() => defineReasoningSplitter(options as never)).toThrow(quoted);
  });

  it.each([
    { markers: [], quoted: "[]" },
    { markers: [{ open: "", close: "</t>" }], quoted: `[{"open":"","close":"</t>"}]` },
  ])("refuses markers $quoted", ({ markers, quoted }) => {
    expect(() => defineReasoningSplitter({ markers })).toThrow(quoted);
  });
});

describe("splitting by token", () => {
  const tokenMarkers = { open: "<think>", close: "</think>", openId: 1, closeId: 2 };
  const run = (pieces: readonly (readonly [string, ...number[]])[], options: ReasoningSplitterOptions = {}) =>
    pushThrough(
      defineReasoningSplitter({ tokenMarkers, ...options }),
      pieces.map(([text, ...tokenIds]) => ({ type: "text", text, tokenIds })),
    );
  const both = (events: readonly GenerationEvent[]): [string, string] => [textOf(events, "reasoning"), textOf(events)];

  it("goes by the ids, and takes markers spelt out by other tokens for text", () => {
    expect(
      both(
        run([
          ["<think>", 1],
          ["a", 5],
          ["</think>", 7, 8],
          ["</think>", 2],
          ["<think>", 9],
        ]),
      ),
    ).toEqual(["a</think>", "<think>"]);
  });

  it("works where special tokens have no text", () => {
    expect(
      both(
        run([
          ["", 1],
          ["a", 5],
          ["", 2],
          ["b", 6],
        ]),
      ),
    ).toEqual(["a", "b"]);
  });

  it("finds the marker among several tokens of one event", () => {
    expect(both(run([["x<think>a</think>b", 4, 1, 5, 2, 6]]))).toEqual(["a", "xb"]);
  });

  it("copes with thousands of markers in one event", () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => (index % 2) + 1);
    expect(run([["", ...ids]])).toHaveLength(ids.length);
  });

  it("keeps every token id, in order", () => {
    const events = run([
      ["x<think>a</think>b", 4, 1, 5, 2, 6],
      ["c", 7],
    ]);
    expect(events.flatMap((event) => ("tokenIds" in event ? (event.tokenIds ?? []) : []))).toEqual([4, 1, 5, 2, 6, 7]);
  });

  it("starts inside a block, and keeps markers when asked", () => {
    expect(
      both(
        run(
          [
            ["a", 5],
            ["</think>", 2],
            ["b", 6],
          ],
          { startsInReasoning: true, keepMarkers: true },
        ),
      ),
    ).toEqual(["a</think>", "b"]);
  });
});

describe("detecting markers", () => {
  const tokenizer = (vocabulary: Readonly<Record<string, number>>) => (token: string) => vocabulary[token];

  it.each([
    {
      what: "Qwen's pair",
      vocabulary: { "<think>": 151_667, "</think>": 151_668 },
      found: { open: "<think>", close: "</think>", openId: 151_667, closeId: 151_668 },
    },
    {
      what: "Magistral's pair",
      vocabulary: { "[THINK]": 34, "[/THINK]": 35 },
      found: { open: "[THINK]", close: "[/THINK]", openId: 34, closeId: 35 },
    },
    {
      what: "the first of two pairs",
      vocabulary: { "[THINK]": 34, "[/THINK]": 35, "<think>": 1, "</think>": 2 },
      found: { open: "<think>", close: "</think>", openId: 1, closeId: 2 },
    },
    {
      what: "a pair with the id 0",
      vocabulary: { "<think>": 0, "</think>": 1 },
      found: { open: "<think>", close: "</think>", openId: 0, closeId: 1 },
    },
    { what: "half a pair", vocabulary: { "<think>": 1 }, found: undefined },
    { what: "no pair", vocabulary: {}, found: undefined },
  ])("finds $what", ({ vocabulary, found }) => {
    expect(detectReasoningMarkers(tokenizer(vocabulary))).toEqual(found);
  });
});
