import { describe, expect, it } from "vitest";
import { createTextGuard, defineGuard, defineReasoningSplitter, compose } from "../src/index.ts";
import type { GenerationEvent, StopRuleOptions } from "../src/index.ts";
import { everyCut } from "./support/cuts.ts";
import { finishOf, pushThrough, textOf } from "./support/events.ts";
import { guardText, guardTokens, metadataOf } from "./support/guard-text.ts";
import type { TokenPiece } from "./support/guard-text.ts";

/**
 * Tricky cases that serving stacks get wrong, numbered as in the project's collection of them. Each text case is
 * run as given, and again in every possible cut where it is short enough: the outcome must be the same.
 */
interface TextCase {
  readonly id: number;
  readonly what: string;
  readonly pieces: readonly string[];
  readonly rules: StopRuleOptions;
  readonly text: string;
  readonly stop: string | undefined;
}

const END_OF_INPUT = undefined;

/** The cases that some test below is about; every table and every test adds its own. */
const covered = new Set<number>();

function covering(id: number): string {
  covered.add(id);
  return `${id}: `;
}

function listed<T extends { readonly id: number }>(cases: readonly T[]): readonly T[] {
  for (const { id } of cases) covered.add(id);
  return cases;
}

const TEXT_CASES: readonly TextCase[] = [
  // A. Basic matching
  { id: 1, what: "one letter", pieces: [..."hello"], rules: { stop: ["e"] }, text: "h", stop: "e" },
  { id: 3, what: "the first token", pieces: [..."xhello"], rules: { stop: ["x"] }, text: "", stop: "x" },
  {
    id: 5,
    what: "inside a word",
    pieces: [..."say hello world"],
    rules: { stop: ["lo"] },
    text: "say hel",
    stop: "lo",
  },
  { id: 7, what: "the left of two", pieces: ["Answer\n\n"], rules: { stop: ["\n"] }, text: "Answer", stop: "\n" },
  { id: 9, what: "Chinese", pieces: [..."你好世界"], rules: { stop: ["世界"] }, text: "你好", stop: "世界" },
  {
    id: 11,
    what: "inside one token",
    pieces: ["100%", " volunteer", " organization", "."],
    rules: { stop: ["gani"] },
    text: "100% volunteer or",
    stop: "gani",
  },
  {
    id: 11,
    what: "inside one token, kept",
    pieces: ["100%", " volunteer", " organization", "."],
    rules: { stop: ["gani"], include: true },
    text: "100% volunteer organi",
    stop: "gani",
  },
  { id: 13, what: "two tokens", pieces: ["/test", ";"], rules: { stop: ["/test;"] }, text: "", stop: "/test;" },
  {
    id: 15,
    what: "regex characters",
    pieces: ["<|stop", "|> "],
    rules: { stop: ["<|stop|>"] },
    text: "",
    stop: "<|stop|>",
  },
  { id: 17, what: "text after it", pieces: ["xx END\n"], rules: { stop: ["END"] }, text: "xx ", stop: "END" },

  // B. Several stops in one step
  {
    id: 19,
    what: "two candidates, kept",
    pieces: [" The", " user", " is", " asking"],
    rules: { stop: ["asking", "is"], include: true },
    text: " The user is",
    stop: "is",
  },
  { id: 21, what: "a tie, the longer first", pieces: ["ab"], rules: { stop: ["ab", "b"] }, text: "", stop: "ab" },
  { id: 21, what: "a tie, the longer last", pieces: ["ab"], rules: { stop: ["b", "ab"] }, text: "", stop: "ab" },
  { id: 23, what: "kept", pieces: ["1, 2, 3"], rules: { stop: [{ text: ",", include: true }] }, text: "1,", stop: "," },
  { id: 25, what: "the earlier end", pieces: ["hello"], rules: { stop: ["ll", "lo"] }, text: "he", stop: "ll" },
  { id: 27, what: "duplicates", pieces: ["axb"], rules: { stop: ["x", "x"] }, text: "a", stop: "x" },
  {
    id: 29,
    what: "one the end of the other",
    pieces: ["hi\n\nUser:"],
    rules: { stop: ["User:", "\n\nUser:"] },
    text: "hi",
    stop: "\n\nUser:",
  },

  // C. Hold-back and tails
  {
    id: 31,
    what: "a beginning at the end",
    pieces: ["value EN"],
    rules: { stop: ["END"] },
    text: "value EN",
    stop: END_OF_INPUT,
  },
  {
    id: 33,
    what: "over three tokens",
    pieces: ["test", " Hello", " world"],
    rules: { stop: ["Hello world"] },
    text: "test ",
    stop: "Hello world",
  },
  {
    id: 35,
    what: "a long stop that only begins",
    pieces: ["UNO DUE", " TRE"],
    rules: { stop: ["TRE\nAAAAAAAA"] },
    text: "UNO DUE TRE",
    stop: END_OF_INPUT,
  },
  {
    id: 39,
    what: "text before it in its first token",
    pieces: ["alpha beta", " gamma delta"],
    rules: { stop: ["beta gamma"] },
    text: "alpha ",
    stop: "beta gamma",
  },
  {
    id: 41,
    what: "a word in pieces",
    pieces: ["Obs", "erv", "ation:"],
    rules: { stop: ["Observation:"] },
    text: "",
    stop: "Observation:",
  },
  {
    id: 43,
    what: "a beginning that ends otherwise",
    pieces: ["a", "b"],
    rules: { stop: ["aab"] },
    text: "ab",
    stop: END_OF_INPUT,
  },
  {
    id: 45,
    what: "overlapping beginnings",
    pieces: ["ab", "a", "c"],
    rules: { stop: ["abab"] },
    text: "abac",
    stop: END_OF_INPUT,
  },
  {
    id: 47,
    what: "a false start",
    pieces: ["hello S", "un"],
    rules: { stop: ["STOP"] },
    text: "hello Sun",
    stop: END_OF_INPUT,
  },

  // D. Tokenization overhang and bytes
  ...[
    { pieces: ["st", "op"], text: "" },
    { pieces: ["stop"], text: "" },
    { pieces: ["st", "opera"], text: "" },
    { pieces: ["sto", "pper"], text: "" },
    { pieces: ["las", "topper"], text: "la" },
    { pieces: ["s", "to", "pped"], text: "" },
  ].map(({ pieces, text }) => ({
    id: 53,
    what: pieces.join("|"),
    pieces,
    rules: { stop: ["stop"] },
    text,
    stop: "stop",
  })),
  ...["<|im_start|><|im_end|", "end", "en d", "eNd", "|im_end|>", "s"].map((text) => ({
    id: 55,
    what: `no match in ${text}`,
    pieces: [text],
    rules: { stop: ["<|im_end|>", "stop", "END"] },
    text,
    stop: END_OF_INPUT,
  })),
  { id: 57, what: "Korean", pieces: ["작업 완", "료"], rules: { stop: ["완료"] }, text: "작업 ", stop: "완료" },
  {
    id: 57,
    what: "Korean with punctuation",
    pieces: ["abc 끝", "!"],
    rules: { stop: ["끝!"] },
    text: "abc ",
    stop: "끝!",
  },
  ...[
    { piece: "a", text: "" },
    { piece: "baa", text: "b" },
    { piece: "abc", text: "" },
  ].map(({ piece, text }) => ({
    id: 59,
    what: `a in ${piece}`,
    pieces: [piece],
    rules: { stop: ["a"] },
    text,
    stop: "a",
  })),
  { id: 63, what: "after an accent, matched", pieces: ["é", "x"], rules: { stop: ["éx"] }, text: "", stop: "éx" },
  {
    id: 63,
    what: "after an accent, not matched",
    pieces: ["é", "y"],
    rules: { stop: ["éx"] },
    text: "éy",
    stop: END_OF_INPUT,
  },
  {
    id: 67,
    what: "half an emoji at a time",
    pieces: ["\ud83d", "\ude00"],
    rules: { stop: ["😀"] },
    text: "",
    stop: "😀",
  },
  {
    id: 69,
    what: "another normal form",
    pieces: ["e\u0301"],
    rules: { stop: ["\u00e9"] },
    text: "e\u0301",
    stop: END_OF_INPUT,
  },
  {
    id: 71,
    what: "the prompt is not part of it",
    pieces: ["op"],
    rules: { stop: ["stop"] },
    text: "op",
    stop: END_OF_INPUT,
  },

  // E. Priority, limits, gates (those without tokens)
  { id: 93, what: "no stops", pieces: ["hello"], rules: { stop: [] }, text: "hello", stop: END_OF_INPUT },
  {
    id: 95,
    what: "five stops",
    pieces: ["abcdef"],
    rules: { stop: ["z", "y", "x", "w", "e"] },
    text: "abcd",
    stop: "e",
  },
  {
    id: 99,
    what: "a beginning of another line",
    pieces: ["ans\n\nQuestion: A"],
    rules: { stop: ["Question"] },
    text: "ans\n\n",
    stop: "Question",
  },
  {
    id: 99,
    what: "a beginning of another line, kept",
    pieces: ["ans\n\nQuestion: A"],
    rules: { stop: ["Question"], include: true },
    text: "ans\n\nQuestion",
    stop: "Question",
  },
];

describe("tricky stop cases: text", () => {
  it.each(listed(TEXT_CASES))("$id: $what", ({ pieces, rules, text, stop }) => {
    const { text: shown, signal } = guardText(pieces, rules);
    expect(shown).toBe(text);
    expect(signal?.stopSequence).toBe(stop);
    expect(signal?.reason).toBe(stop === undefined ? undefined : "stop_sequence");
    const whole = pieces.join("");
    for (const cut of whole.length <= 12 ? everyCut(whole) : [[...whole], [whole]]) {
      expect(guardText(cut, rules)).toMatchObject({
        text,
        signal: stop === undefined ? undefined : { stopSequence: stop },
      });
    }
  });

  it.each(
    listed([
      { id: 31, pieces: ["value EN"], stop: "END", shown: ["value "] },
      { id: 33, pieces: ["test", " Hello", " world"], stop: "Hello world", shown: ["test", " ", ""] },
      { id: 35, pieces: ["UNO DUE", " TRE"], stop: "TRE\nAAAAAAAA", shown: ["UNO DUE", " "] },
      { id: 45, pieces: ["ab", "a", "c"], stop: "abab", shown: ["", "", "abac"] },
      { id: 47, pieces: ["hello S", "un"], stop: "STOP", shown: ["hello ", "Sun"] },
    ]),
  )("$id: exactly the ambiguous tail of $pieces is held back", ({ pieces, stop, shown }) => {
    expect(guardText(pieces, { stop: [stop] }).shown).toEqual(shown);
  });

  it(covering(37) + "what is held back leaves when the generation is cancelled", () => {
    const guard = createTextGuard({ stop: ["STOP"] });
    expect(guard.push("Hi") + guard.push(" ST")).toBe("Hi ");
    expect(guard.cancel("user")).toBe("ST");
    expect(guard.signal).toMatchObject({ reason: "cancelled", detail: "user" });
  });

  it("nothing is held any more once the text has ended", () => {
    const guard = createTextGuard({ stop: ["STOP"] });
    guard.push("a STO");
    expect(guard.held).toBe("STO");
    guard.push("P b");
    expect(guard.held).toBe("");
    expect(guard.end()).toBe("");
  });

  it(covering(51) + "text that begins no stop string is never delayed, however long the stop string", () => {
    const pieces = Array.from({ length: 10_000 }, () => "0123456789");
    expect(guardText(pieces, { stop: ["x".repeat(200)] }).shown).toEqual(pieces);
  });

  it(covering(133) + "a cancel before the first token leaves no text and says cancelled", () => {
    const guard = createTextGuard({ stop: ["STOP"] });
    expect(guard.cancel()).toBe("");
    expect(guard.signal).toMatchObject({ reason: "cancelled" });
  });
});

interface TokenCase {
  readonly id: number;
  readonly what: string;
  readonly pieces: readonly TokenPiece[];
  readonly rules: StopRuleOptions;
  readonly text: string;
  readonly reason: string | undefined;
  readonly tokens?: number;
  readonly also?: readonly string[];
}

const EOS = 99;
const letters = (text: string): TokenPiece[] => [...text].map((letter, index) => [letter, index]);

const TOKEN_CASES: readonly TokenCase[] = [
  {
    id: 73,
    what: "a stop string and an end token in one step",
    pieces: [["abcde", 1, EOS]],
    rules: { stop: ["cd"], eosTokenIds: [EOS] },
    text: "ab",
    reason: "stop_sequence",
    tokens: 2,
    also: ["eos_token_id"],
  },
  {
    id: 73,
    what: "the same, kept",
    pieces: [["abcde", 1, EOS]],
    rules: { stop: ["cd"], include: true, eosTokenIds: [EOS] },
    text: "abcd",
    reason: "stop_sequence",
  },
  {
    id: 75,
    what: "tokens after the stop are dropped everywhere",
    pieces: [
      ["t", 1],
      ["t", 2],
      ["t", 3],
      ["STOP", 4],
      ["a", 5],
      ["b", 6],
      ["c", 7],
      ["d", 8],
      ["e", 9],
    ],
    rules: { stop: ["STOP"] },
    text: "ttt",
    reason: "stop_sequence",
    tokens: 4,
  },
  {
    id: 77,
    what: "a stop before the limit counts, not the limit",
    pieces: [
      ["x", 10],
      ["y", 11],
      ["STOP", 12],
      ["a", 20],
      ["b", 21],
      ["c", 22],
    ],
    rules: { stop: ["STOP"], maxTokens: 5 },
    text: "xy",
    reason: "stop_sequence",
    tokens: 3,
  },
  {
    id: 79,
    what: "a stop beyond the limit does not count",
    pieces: [
      ["x", 10],
      ["y", 11],
      ["STOP", 12],
    ],
    rules: { stop: ["STOP"], maxTokens: 2 },
    text: "xy",
    reason: "token_limit_reached",
    tokens: 2,
  },
  {
    id: 81,
    what: "an end token that is the last one allowed",
    pieces: [
      ["a", 1],
      ["", EOS],
    ],
    rules: { maxTokens: 2, eosTokenIds: [EOS] },
    text: "a",
    reason: "natural_completion",
    also: ["max_tokens"],
  },
  {
    id: 83,
    what: "a stop within the minimum",
    pieces: letters("hello"),
    rules: { stop: ["e"], minTokens: 3, maxTokens: 5 },
    text: "hello",
    reason: "token_limit_reached",
  },
  {
    id: 85,
    what: "a stop that completes on the last token of the minimum",
    pieces: letters("abc"),
    rules: { stop: ["b"], minTokens: 2 },
    text: "abc",
    reason: undefined,
  },
  {
    id: 87,
    what: "an end token within the minimum",
    pieces: [
      ["hi", 1],
      ["", EOS],
      ["more", 2],
      ["", EOS],
    ],
    rules: { eosTokenIds: [EOS], minTokens: 3 },
    text: "himore",
    reason: "natural_completion",
    tokens: 4,
  },
  {
    id: 89,
    what: "a stop token is told apart from the end token",
    pieces: [
      ["a", 1],
      ["", 7],
    ],
    rules: { eosTokenIds: [EOS], stopTokenIds: [7] },
    text: "a",
    reason: "stop_sequence",
  },
  {
    id: 91,
    what: "a stop token works when the end token is ignored",
    pieces: [
      ["a", 1],
      ["", EOS],
      ["b", 2],
      ["", 7],
      ["c", 3],
    ],
    rules: { eosTokenIds: [EOS], stopTokenIds: [7], ignoreEos: true },
    text: "ab",
    reason: "stop_sequence",
  },
  {
    id: 91,
    what: "a stop string works when the end token is ignored",
    pieces: [
      ["a", 1],
      ["", EOS],
      ["b END", 2],
      ["c", 3],
    ],
    rules: { eosTokenIds: [EOS], stop: ["END"], ignoreEos: true },
    text: "ab ",
    reason: "stop_sequence",
  },
  {
    id: 97,
    what: "no token allowed",
    pieces: [["a", 1]],
    rules: { maxTokens: 0 },
    text: "",
    reason: "token_limit_reached",
    tokens: 0,
  },
  {
    id: 101,
    what: "an end token that is also a marker keeps its text",
    pieces: [
      ["{}", 1],
      ["<|call|>", EOS],
    ],
    rules: { eosTokenIds: [EOS] },
    text: "{}<|call|>",
    reason: "natural_completion",
  },
];

describe("tricky stop cases: tokens", () => {
  it.each(listed(TOKEN_CASES))("$id: $what", ({ pieces, rules, text, reason, tokens, also }) => {
    const guarded = guardTokens(pieces, rules);
    expect(guarded.text).toBe(text);
    expect(guarded.signal?.reason).toBe(reason);
    if (tokens !== undefined) expect(metadataOf(guarded.signal)).toMatchObject({ tokens });
    if (also !== undefined) expect(metadataOf(guarded.signal)).toMatchObject({ also });
  });

  it(covering(85) + "a match that was let pass does not fire later", () => {
    expect(guardTokens(letters("abcb"), { stop: ["b"], minTokens: 2 }).text).toBe("abc");
  });
});

describe("tricky stop cases: reasoning, tools, protocol", () => {
  const text = (value: string): GenerationEvent => ({ type: "text", text: value });
  const watch = (rules: StopRuleOptions, startsInReasoning = false) =>
    compose(defineReasoningSplitter({ startsInReasoning }), defineGuard(rules));

  it(covering(113) + "thinking is not watched unless asked for", () => {
    const events = pushThrough(watch({ stop: ["Question:"] }), [text("<think>a Question: b</think>42\nQuestion: x")]);
    expect([textOf(events, "reasoning"), textOf(events)]).toEqual(["a Question: b", "42\n"]);
    expect(finishOf(events)).toMatchObject({ reason: "stop_sequence", stopSequence: "Question:" });
  });

  it(covering(115) + "with scope all it stops inside the thinking and says where", () => {
    const events = pushThrough(watch({ stop: [{ text: "Question:", scope: "all" }] }), [
      text("<think>a Question: b</think>42\nQuestion: x"),
    ]);
    expect([textOf(events, "reasoning"), textOf(events)]).toEqual(["a ", ""]);
    expect(metadataOf(finishOf(events))).toMatchObject({ channel: "reasoning", start: 2, end: 11 });
  });

  it(covering(117) + "marker and content in one step", () => {
    const events = pushThrough(watch({ stop: ["STOP"] }), [text("<think>x"), text("</think>a STOP b")]);
    expect([textOf(events, "reasoning"), textOf(events)]).toEqual(["x", "a "]);
  });

  it(covering(119) + "a prompt that has opened the block starts in reasoning", () => {
    const events = pushThrough(watch({ stop: ["STOP"] }, true), [text("a STOP b</think>c STOP d")]);
    expect([textOf(events, "reasoning"), textOf(events)]).toEqual(["a STOP b", "c "]);
  });

  it(covering(121) + "a limit inside tool arguments stays a limit, and the call has no end", () => {
    const events = pushThrough(defineGuard({ maxTokens: 2 }), [
      { type: "tool-call-start", callId: "1", name: "search" },
      { type: "tool-call-delta", callId: "1", json: `{"query":`, tokenIds: [1] },
      { type: "tool-call-delta", callId: "1", json: `"a`, tokenIds: [2] },
      { type: "tool-call-delta", callId: "1", json: `b"}`, tokenIds: [3] },
      { type: "tool-call-end", callId: "1" },
    ]);
    expect(events.map((event) => event.type)).toEqual([
      "tool-call-start",
      "tool-call-delta",
      "tool-call-delta",
      "finish",
    ]);
    expect(finishOf(events).reason).toBe("token_limit_reached");
  });
});

describe("thinking behind a guard", () => {
  const skipped: GenerationEvent = { type: "reasoning", text: "", skipped: true };
  const thought = (text: string): GenerationEvent => ({ type: "reasoning", text });

  it("is still told to have been skipped", () => {
    const events = [thought("hm"), skipped, { type: "text" as const, text: "x" }];
    expect(pushThrough(defineGuard({ stop: ["END"] }), events)).toEqual(events);
  });

  it("is one text around that, so that a stop string is found in it", () => {
    const rules = { stop: [{ text: "END", scope: "all" as const }] };
    const events = pushThrough(defineGuard(rules), [thought("hm EN"), skipped, thought("D more")]);
    expect(events.slice(0, -1)).toEqual([thought("hm "), skipped]);
    expect(finishOf(events)).toMatchObject({ reason: "stop_sequence", stopSequence: "END" });
  });
});

describe("tricky stop cases: loops", () => {
  const plain = { minPatternLength: 2, maxPatternLength: 10, minRepetitions: 3, unit: "tokens" } as const;
  const tokens = (ids: readonly number[]): TokenPiece[] => ids.map((id) => [`${id} `, id]);
  const times = <T>(count: number, unit: readonly T[]): T[] => Array.from({ length: count }, () => unit).flat();

  it.each(
    listed([
      { id: 139, what: "two copies where three are asked for", ids: times(2, [1, 2, 3]), loop: false },
      { id: 141, what: "no copy at all", ids: [1, 2, 3, 4, 5, 6, 7, 8, 9], loop: false },
      { id: 143, what: "nothing", ids: [], loop: false },
      { id: 145, what: "five copies of eight", ids: times(5, [1, 2, 3, 4, 5, 6, 7, 8]), loop: true },
    ]),
  )("$id: token ids, $what", ({ ids, loop }) => {
    const { signal } = guardTokens(tokens(ids), { repetition: plain });
    expect(signal?.reason).toBe(loop ? "repetition_detected" : undefined);
  });

  it(covering(147) + "an end token wins over a loop that completes with it", () => {
    const { signal } = guardTokens(
      [
        ["a", 10],
        ["b", 20],
        ["a", 10],
        ["b", 20],
        ["a", 10],
        ["b", 20, EOS],
      ],
      { repetition: { ...plain, maxPatternLength: 4 }, eosTokenIds: [EOS] },
    );
    expect(signal?.reason).toBe("natural_completion");
  });

  const sentence = "I will now read the file and report what it says. ";
  it.each(
    listed([
      { id: 149, what: "a sentence ten times", text: sentence.repeat(10), loop: true },
      {
        id: 151,
        what: "list items that share a long beginning",
        text: Array.from(
          { length: 15 },
          (_, item) =>
            `- ${"the same beginning of every item in this list, again and again, ".slice(0, 68)}${item * 7919}\n`,
        ).join(""),
        loop: false,
      },
      {
        id: 153,
        what: "150 letters twelve times",
        text: `${"abcdefghij klmnop qrstu. ".repeat(5)}${"x".repeat(25)}`.repeat(12),
        loop: true,
      },
      { id: 153, what: "I will …", text: "I will do it now. I will check the result. ".repeat(15), loop: true },
      { id: 153, what: "thinking, done", text: "Thinking... Done. ".repeat(30), loop: true },
      { id: 157, what: "capitals", text: "HELLO".repeat(500), loop: true },
      { id: 157, what: "digits", text: "1234".repeat(500), loop: true },
      {
        id: 159,
        what: "a long unit",
        text: Array.from({ length: 300 }, (_, i) => String.fromCharCode(97 + ((i * i) % 26)))
          .join("")
          .repeat(40),
        loop: true,
      },
      { id: 161, what: "a rule", text: "---".repeat(100), loop: false },
      { id: 161, what: "dots", text: ". . .".repeat(100), loop: false },
      { id: 161, what: "cells", text: "| | |".repeat(100), loop: false },
      { id: 161, what: "a table border", text: `+${"-".repeat(12)}+${"-".repeat(20)}+\n`.repeat(30), loop: false },
      {
        id: 163,
        what: "stray closing markers",
        text: "Wait, that is not right. Let me see.</think>".repeat(251),
        loop: true,
      },
      {
        id: 165,
        what: "a multiplication table",
        text: Array.from(
          { length: 144 },
          (_, i) => `${(i % 12) + 1} x ${Math.floor(i / 12) + 1} = ${((i % 12) + 1) * (Math.floor(i / 12) + 1)}\n`,
        ).join(""),
        loop: false,
      },
      {
        id: 165,
        what: "CSV",
        text: Array.from({ length: 300 }, (_, i) => `2026-01-${(i % 28) + 1},${i * 37},ok,0\n`).join(""),
        loop: false,
      },
      {
        id: 165,
        what: "a hex dump",
        text: Array.from(
          { length: 100 },
          (_, i) =>
            `${(i * 16).toString(16).padStart(8, "0")}: 0000 0000 0000 0000 0000 0000 0000 0000  ................\n`,
        ).join(""),
        loop: false,
      },
      {
        id: 165,
        what: "a chorus four times",
        text: "Oh bring the light, oh bring the day,\nand sing it all the night away,\nand sing it all the way.\n\n".repeat(
          4,
        ),
        loop: false,
      },
      {
        id: 165,
        what: "base64",
        text: Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * i * 31 + i * 7) % 251)).toString("base64"),
        loop: false,
      },
      { id: 165, what: "five hundred zeros", text: `[${"0,".repeat(499)}0]`, loop: false },
    ]),
  )("$id: $what", ({ text, loop }) => {
    expect(guardText([text], { repetition: true }).signal?.reason).toBe(loop ? "repetition_detected" : undefined);
  });

  it(covering(149) + "a sentence is recognised before its tenth copy", () => {
    const { signal, text } = guardText([sentence.repeat(10)], { repetition: true });
    expect(metadataOf(signal)["count"]).toBeLessThan(10);
    expect(text.length).toBeLessThan(sentence.length * 10);
  });

  it(covering(155) + "a code fence is text like any other, wherever its backticks are cut", () => {
    const loop = "```js\nconsole.log('once more');\n```\n".repeat(20);
    const whole = guardText([loop], { repetition: true });
    expect(whole.signal?.reason).toBe("repetition_detected");
    expect(guardText(loop.match(/.{1,7}/gs) ?? [], { repetition: true }).text).toBe(whole.text);
  });

  it(covering(169) + "a loop has a reason of its own and is never a cancel", () => {
    expect(guardText([sentence.repeat(10)], { repetition: true }).signal).toMatchObject({
      reason: "repetition_detected",
      shouldTerminate: true,
    });
  });
});

/** Cases of the collection that concern parts of the product outside the stop rules, and where each belongs. */
const ELSEWHERE: Readonly<Record<number, string>> = {
  49: "the flush goes through the parsers: shown by the composition of splitter and guard in reasoning.test.ts",
  61: "bytes without stops: utf8-decoder.test.ts",
  65: "bytes with a stop: guarantees.test.ts, which cuts at random bytes",
  103: "stop strings are literal; a regular expression is refused: arguments.test.ts",
  105: "as 103",
  107: "as 103",
  109: "as 103",
  111: "as 103",
  123: "the dialects' names for an ending belong to the wire formats",
  125: "forcing the end of thinking belongs to the local engine",
  127: "as 125",
  129: "freeing a slot belongs to the local engine",
  131: "as 129",
  135: "the end of a wire stream belongs to the wire formats",
  137: "resuming belongs to the gateway",
  167: "loops of tool calls belong to the agent loop",
};

describe("the collection of tricky cases", () => {
  it("is covered number by number", () => {
    const all = Array.from({ length: 85 }, (_, index) => 2 * index + 1);
    expect(all.filter((id) => !covered.has(id) && !(id in ELSEWHERE))).toEqual([]);
    expect(Object.keys(ELSEWHERE).filter((id) => covered.has(Number(id)))).toEqual([]);
  });
});
