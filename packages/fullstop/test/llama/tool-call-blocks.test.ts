import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationEvent } from "../../src/index.ts";
import { createToolCallReader } from "../../src/llama/tool-call-blocks.ts";
import type { ToolCallReaderOptions } from "../../src/llama/tool-call-blocks.ts";
import { createTerminationSignal } from "../../src/termination.ts";
import type { TerminationReason } from "../../src/index.ts";
import { cutAt } from "../support/cuts.ts";
import { same } from "../support/same.ts";

const OPEN = 1;
const CLOSE = 2;
const END = 3;
const markers = { open: "<tool_call>", close: "</tool_call>", openId: OPEN, closeId: CLOSE };

const open: GenerationEvent = { type: "text", text: "<tool_call>", tokenIds: [OPEN] };
const close: GenerationEvent = { type: "text", text: "</tool_call>", tokenIds: [CLOSE] };
const end: GenerationEvent = { type: "text", text: "", tokenIds: [END] };
const text = (value: string, ...tokenIds: number[]): GenerationEvent => ({ type: "text", text: value, tokenIds });
const finish = (reason: TerminationReason): GenerationEvent => ({
  type: "finish",
  signal: createTerminationSignal({ reason, originalField: "f", originalValue: "v" }),
});

interface Reading {
  /** What came out for each event that went in, and last for the end of the stream. */
  readonly steps: readonly (readonly GenerationEvent[])[];
  readonly problems: readonly string[];
}

function read(events: readonly GenerationEvent[], options: Partial<ToolCallReaderOptions> = {}): Reading {
  const problems: string[] = [];
  const steps: GenerationEvent[][] = [];
  let calls = 0;
  const reader = createToolCallReader({
    markers,
    endTokenIds: [END],
    createCallId: () => `call-${(calls += 1)}`,
    onMalformed: (problem) => void problems.push(problem),
    ...options,
  });
  const sink = reader.blocks({ push: (event) => void steps.at(-1)?.push(event), end: () => undefined });
  for (const event of events) {
    steps.push([]);
    sink.push(event);
  }
  steps.push([]);
  sink.end();
  return { steps, problems };
}

/** What a viewer makes of the events: pieces of one text or one call joined, tokens left out. */
function summary({ steps }: Reading): string[] {
  const lines: string[] = [];
  let last = "";
  for (const event of steps.flat()) {
    const [kind, piece] =
      event.type === "text" || event.type === "reasoning"
        ? [event.type, event.text]
        : event.type === "tool-call-delta"
          ? [event.callId, event.json]
          : event.type === "tool-call-start"
            ? ["start", `${event.callId} ${event.name}`]
            : event.type === "tool-call-end"
              ? ["end", event.callId]
              : [event.type, ""];
    if (piece === "" && event.type !== "finish") continue;
    if (kind === last && kind !== "start" && kind !== "end") lines[lines.length - 1] += piece;
    else lines.push(`${kind}: ${piece}`);
    last = kind;
  }
  return lines;
}

const idsOf = (events: readonly GenerationEvent[]): number[] =>
  events.flatMap((event) => ("tokenIds" in event ? (event.tokenIds ?? []) : []));

/** One block, whole and letter by letter. */
function readBlock(block: string): Reading[] {
  return [[block], block.split("")].map((pieces) => read([open, ...pieces.map((piece) => text(piece, 9)), close]));
}

describe("blocks that are calls", () => {
  const deep = (levels: number): string => `${`{"a":`.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
  it.each([
    { what: "the usual form", block: `\n{"name": "f", "arguments": {"city": "Oslo"}}\n`, json: `{"city": "Oslo"}` },
    { what: "no space at all", block: `{"name":"f","arguments":{}}`, json: `{}` },
    {
      what: "arguments as they are spelt",
      block: `{"name":"f","arguments":{ "a" :\n[1, 2 ]\t}}`,
      json: `{ "a" :\n[1, 2 ]\t}`,
    },
    { what: "parameters", block: `{"name": "f", "parameters": {"a": 1}}`, json: `{"a": 1}` },
    { what: "arguments before the name", block: `{"arguments": {"a": 1}, "name": "f"}`, json: `{"a": 1}` },
    { what: "no arguments", block: `{"name": "f"}`, json: `{}` },
    { what: "arguments that are null", block: `{"name": "f", "arguments": null}`, json: `{}` },
    { what: "null before the name", block: `{"arguments": null, "name": "f"}`, json: `{}` },
    {
      what: "arguments in a string",
      block: `{"name": "f", "arguments": "{\\"a\\": \\"\\u0041\\\\n\\"}"}`,
      json: `{"a": "A\\n"}`,
    },
    { what: "a string before the name", block: `{"arguments": " {\\"a\\": 1}", "name": "f"}`, json: ` {"a": 1}` },
    {
      what: "other fields",
      block: `{"id": 7, "type": "function", "name": "f", "x": [{}], "arguments": {}, "y": -1.5e3}`,
      json: `{}`,
    },
    {
      what: "the same keys further in",
      block: `{"x": {"name": "g", "arguments": 1}, "name": "f", "arguments": {"name": 1, "arguments": 2}}`,
      json: `{"name": 1, "arguments": 2}`,
    },
    {
      what: "brackets and quotes in strings",
      block: `{"name": "f", "arguments": {"a": "}\\"}]{\\\\", "b": "\\u007d"}}`,
      json: `{"a": "}\\"}]{\\\\", "b": "\\u007d"}`,
    },
    { what: "escapes in name and keys", block: `{"n\\u0061me": "\\u0066", "argument\\u0073": {}}`, json: `{}` },
    {
      what: "characters beyond the basic plane",
      block: `{"name": "f", "arguments": {"😀": "a😀b"}}`,
      json: `{"😀": "a😀b"}`,
    },
    {
      what: "markers spelt by other tokens",
      block: `{"name": "f", "arguments": {"a": "</tool_call><tool_call>"}}`,
      json: `{"a": "</tool_call><tool_call>"}`,
    },
    { what: "the deepest nesting", block: `{"name": "f", "arguments": ${deep(511)}}`, json: deep(511) },
    {
      what: "the deepest nesting in a string",
      block: `{"name": "f", "arguments": ${JSON.stringify(deep(511))}}`,
      json: deep(511),
    },
  ])("$what", ({ block, json }) => {
    for (const reading of readBlock(block)) {
      expect(summary(reading)).toEqual(["start: call-1 f", `call-1: ${json}`, "end: call-1"]);
      expect(reading.problems).toEqual([]);
    }
  });

  it("start as soon as the name is whole, and pass each letter of the arguments at once", () => {
    const block = `{"name": "f", "arguments": {"a": 1}}`;
    const { steps } = read([open, ...block.split("").map((piece, index) => text(piece, 10 + index)), close]);
    expect(steps[block.indexOf(`",`) + 1]).toEqual([
      { type: "tool-call-start", callId: "call-1", name: "f" },
      { type: "tool-call-delta", callId: "call-1", json: "", tokenIds: [10 + block.indexOf(`",`)] },
    ]);
    const from = block.indexOf(`{"a"`);
    for (const [index, json] of [...`{"a": 1}`].entries()) {
      expect(steps[from + index + 1]).toEqual([
        { type: "tool-call-delta", callId: "call-1", json, tokenIds: [10 + from + index] },
      ]);
    }
    expect(steps.at(-3)).toEqual([
      { type: "tool-call-delta", callId: "call-1", json: "", tokenIds: [9 + block.length] },
    ]);
    expect(steps.at(-2)).toEqual([
      { type: "tool-call-end", callId: "call-1" },
      { type: "text", text: "", tokenIds: [CLOSE] },
    ]);
  });

  it("hold arguments in a string until it is whole", () => {
    const { steps } = read([open, text(`{"name": "f", "arguments": "{}`, 9), text(`"`, 10), text("}", 11), close]);
    expect(steps.map((step) => step.map((event) => ("json" in event ? event.json : event.type)))).toEqual([
      ["text"],
      ["tool-call-start", ""],
      ["{}"],
      [""],
      ["tool-call-end", "text"],
      [],
    ]);
  });

  it("may be as long as a million characters", () => {
    const block = `{"name": "f", "arguments": {}`;
    const spaces = " ".repeat(999_999 - block.length);
    expect(summary(read([open, text(block, 9), text(`${spaces}}`, 9), close])).at(-1)).toBe("end: call-1");
    const { problems, steps } = read([open, text(block, 9), text(`${spaces} }`, 9), close]);
    expect(problems[0]).toMatch(/^The tool call is too long: /);
    expect(summary({ problems, steps })).toEqual(["start: call-1 f", "call-1: {}"]);
  });
});

describe("blocks that are no calls", () => {
  const start = "start: call-1 f";
  it.each([
    { block: ``, says: `The tool call is empty` },
    { block: `\n\n`, says: `The tool call is empty` },
    { block: `{"name": "get_wea`, says: `The tool call is not valid JSON: unexpected end after {"name": "get_wea` },
    { block: `I think\nso`, says: `The tool call is not valid JSON: unexpected "I think so" at its beginning` },
    { block: `{"name": get}`, says: `The tool call is not valid JSON: unexpected "get}" after {"name":` },
    {
      block: `{"name": "f",}`,
      shown: [start],
      says: `The tool call is not valid JSON: unexpected "}" after {"name": "f",`,
    },
    { block: `{,}`, says: `The tool call is not valid JSON: unexpected ",}" after {` },
    { block: `{"name" "f"}`, says: `The tool call is not valid JSON: unexpected ""f"}" after {"name"` },
    { block: `["f"]`, says: `The tool call is not valid JSON: unexpected "["f"]" at its beginning` },
    {
      block: `{"name": "f", "arguments": {"a": 01}}`,
      shown: [start, `call-1: {"a": 0`],
      says: `The tool call is not valid JSON: unexpected "1}}" after {"name": "f", "arguments": {"a": 0`,
    },
    {
      block: `{"name": "f", "arguments": {}`,
      shown: [start, `call-1: {}`],
      says: `The tool call is not valid JSON: unexpected end after {"name": "f", "arguments": {}`,
    },
    {
      block: `{"name": "f", "arguments": {}} {}`,
      shown: [start, `call-1: {}`],
      says: `The tool call is not valid JSON: unexpected "{}" after {"name": "f", "arguments": {}}`,
    },
    { block: `{"arguments": {"a": 1}}`, says: `The tool call has no name: {"arguments": {"a": 1}}` },
    { block: `{}`, says: `The tool call has no name: {}` },
    {
      block: `{"name": "", "arguments": {}}`,
      says: `The name of the tool call is empty: {"name": "", "arguments": {}}`,
    },
    { block: `{"name": 5}`, says: `The name of the tool call is not a string: {"name": 5}` },
    { block: `{"name": null}`, says: `The name of the tool call is not a string: {"name": null}` },
    {
      block: `{"name": "f", "arguments": [1]}`,
      shown: [start],
      says: `The arguments of the tool call are not an object: {"name": "f", "arguments": [1]}`,
    },
    {
      block: `{"name": "f", "arguments": true}`,
      shown: [start],
      says: `The arguments of the tool call are not an object: {"name": "f", "arguments": true}`,
    },
    {
      block: `{"name": "f", "arguments": "[]"}`,
      shown: [start],
      says: `The arguments of the tool call are not an object: {"name": "f", "arguments": "[]"}`,
    },
    {
      block: `{"name": "f", "arguments": ""}`,
      shown: [start],
      says: `The arguments of the tool call are not an object: {"name": "f", "arguments": ""}`,
    },
    {
      block: `{"arguments": "{", "name": "f"}`,
      says: `The arguments of the tool call are not an object: {"arguments": "{", "name": "f"}`,
    },
    {
      block: `{"name": "f", "name": "g"}`,
      shown: [start],
      says: `The tool call has two names: {"name": "f", "name": "g"}`,
    },
    {
      block: `{"arguments": null, "parameters": {}, "name": "f"}`,
      says: `The tool call gives its arguments twice: {"arguments": null, "parameters": {}, "name": "f"}`,
    },
  ])("$block", ({ block, says, shown = [] }) => {
    for (const reading of readBlock(block)) {
      expect(reading.problems).toEqual([says]);
      expect(summary(reading)).toEqual(shown);
    }
  });

  it("are those nested deeper than 512 levels", () => {
    const tooDeep = `${`{"a":`.repeat(511)}{}${"}".repeat(511)}`;
    for (const block of [`{"name": "f", "arguments": ${tooDeep}}`, `{"name": "f", "x": ${"[".repeat(512)}`]) {
      for (const { problems } of readBlock(block)) {
        expect(problems).toEqual([expect.stringMatching(/^The tool call is nested too deep: …/)]);
      }
    }
    const [reading] = readBlock(`{"name": "f", "arguments": ${JSON.stringify(tooDeep)}}`);
    expect(reading?.problems).toEqual([expect.stringMatching(/^The arguments of the tool call are not an object: /)]);
  });

  it("are quoted to 200 characters, from both sides of the fault", () => {
    const quoted = (block: string): string => {
      const problems = readBlock(block).flatMap((reading) => reading.problems);
      expect(new Set(problems).size).toBe(1);
      return problems[0] ?? "";
    };
    const before = "unexpected end after …";
    expect(quoted(`{"name": "${"a".repeat(5000)}`)).toBe(
      `The tool call is not valid JSON: ${before}${"a".repeat(200)}`,
    );
    expect(quoted("b".repeat(500))).toBe(
      `The tool call is not valid JSON: unexpected "${"b".repeat(200)}…" at its beginning`,
    );
    expect(quoted(`{"name": "${"a".repeat(500)}\u0001${"b".repeat(500)}`)).toBe(
      `The tool call is not valid JSON: unexpected "\u0001${"b".repeat(99)}…" after …${"a".repeat(100)}`,
    );
    expect(quoted(`x${"😀".repeat(300)}`).isWellFormed()).toBe(true);
  });

  it("let the answer go on: the next block is read as usual", () => {
    const good = text(`{"name": "f"}`, 9);
    const reading = read([open, text("bad", 9), close, text("between", 9), open, good, close, text("after", 9), end]);
    expect(summary(reading)).toEqual(["text: between", "start: call-1 f", "call-1: {}", "end: call-1", "text: after"]);
    expect(reading.problems).toHaveLength(1);
  });

  it("are reported once each, for the first thing that is wrong", () => {
    const bad = [open, text("bad", 9), text(" and far too long".repeat(60_000), 9), close];
    const { problems } = read([...bad, ...bad, end]);
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(/^The tool call is not valid JSON: unexpected "bad and far too long /);
  });

  it.each([
    { what: "half a block", before: `{"name": "f`, shown: [], after: `{"name": "f` },
    { what: "a whole object", before: `{"name": "f"}`, shown: ["start: call-1 f"], after: `{"name": "f"}` },
  ])("are those in which another begins: $what", ({ before, shown, after }) => {
    const reading = read([open, text(before, 9), open, text(`{"name": "g"}`, 9), close]);
    const id = `call-${shown.length + 1}`;
    expect(summary(reading)).toEqual([...shown, `start: ${id} g`, `${id}: {}`, `end: ${id}`]);
    expect(reading.problems).toEqual([`Another tool call begins inside the tool call, after ${after}`]);
  });
});

describe("where a block ends without its marker", () => {
  const whole = [open, text(`{"name": "f", "arguments": {"a": 1}}`, 9)];
  const half = [open, text(`{"name": "f", "arguments": {"a"`, 9)];
  const halfProblem = `The tool call ended in the middle, after {"name": "f", "arguments": {"a"`;
  const wholeProblem = `${halfProblem}: 1}}`;

  it.each([
    { what: "a whole one at an end token", events: [...whole, end], isCall: true },
    { what: "half a one at an end token", events: [...half, end], problem: halfProblem },
    {
      what: "one with its end token in one event",
      events: [open, text(`{"name": "f", "arguments": {"a": 1}}`, 9, END)],
      isCall: true,
    },
    { what: "a whole one at a natural finish", events: [...whole, finish("natural_completion")], isCall: true },
    { what: "a whole one at a finish for calls", events: [...whole, finish("tool_calls")], isCall: true },
    { what: "half a one at a natural finish", events: [...half, finish("natural_completion")], problem: halfProblem },
    { what: "a whole one at a cancel", events: [...whole, finish("cancelled")], problem: wholeProblem },
    { what: "a whole one at the end of the stream", events: whole, problem: wholeProblem },
    { what: "half a one at the end of the stream", events: half, problem: halfProblem },
    { what: "nothing but the marker", events: [open], problem: "The tool call ended in the middle" },
    {
      what: "one that was wrong before",
      events: [open, text("x", 9), end],
      problem: `The tool call is not valid JSON: unexpected "x" at its beginning`,
    },
  ])("$what", ({ events, isCall = false, problem }) => {
    const reading = read(events);
    expect(summary(reading).includes("end: call-1")).toBe(isCall);
    expect(reading.problems).toEqual(problem === undefined ? [] : [problem]);
  });

  it("ends the call before the end token passes", () => {
    expect(read([...whole, end]).steps[2]).toEqual([{ type: "tool-call-end", callId: "call-1" }, end]);
  });

  it("reads on after an end token that did not end the generation", () => {
    const reading = read([...whole, end, text("more", 9)]);
    expect(summary(reading).at(-1)).toBe("text: more");
  });
});

describe("around blocks", () => {
  const call = (name: string): GenerationEvent[] => [open, text(`\n{"name": "${name}"}\n`, 9), close];

  it("keeps text before, between and after calls as it is", () => {
    const events = [text("a\n\n", 9), ...call("f"), text("\n", 9), ...call("g"), text(" b", 9), end];
    expect(summary(read(events))).toEqual([
      "text: a\n\n",
      "start: call-1 f",
      "call-1: {}",
      "end: call-1",
      "text: \n",
      "start: call-2 g",
      "call-2: {}",
      "end: call-2",
      "text:  b",
    ]);
  });

  it("takes markers spelt by other tokens for text", () => {
    const events = [text("<tool_call>", 7, 8), text(`{"name": "f"}`, 9), text("</tool_call>", 7)];
    expect(read(events).steps.flat()).toEqual(events);
  });

  it("takes markers that have no spelling for what they are", () => {
    const reading = read([text("", OPEN), text(`{"name": "f"}`, 9), text("", CLOSE), text("b", 9)]);
    expect(summary(reading)).toEqual(["start: call-1 f", "call-1: {}", "end: call-1", "text: b"]);
    const inOneEvent = read([text("", OPEN), text(`{"name": "f"}`, 9), text("b", CLOSE, 9)]);
    expect(summary(inOneEvent)).toEqual(summary(reading));
  });

  it("drops a closing marker that closes nothing, but for its token", () => {
    expect(read([text("a", 9), close, text("b", 9)]).steps.flat()).toEqual([
      text("a", 9),
      text("", CLOSE),
      text("b", 9),
    ]);
  });

  it("passes events of other kinds untouched, also within a block", () => {
    const others: GenerationEvent[] = [
      { type: "start", id: "1", model: "m" },
      { type: "reasoning", text: "<tool_call>", tokenIds: [OPEN] },
      { type: "usage", usage: { inputTokens: 1, outputTokens: 2 } },
      { type: "reasoning", text: "x", tokenIds: [END] },
    ];
    const events = [...others, open, text(`{"name": `, 9), ...others, text(`"f"}`, 9), close];
    const { steps } = read(events);
    for (const [index, event] of events.entries()) if (event.type !== "text") expect(steps[index]).toEqual([event]);
    expect(summary({ steps, problems: [] })).toContain("end: call-1");
  });

  it("finds several markers in one event, with the tokens on their sides", () => {
    const event = text(`a<tool_call>{"name": "f"}</tool_call>b<tool_call>`, 8, OPEN, 10, 11, CLOSE, 12, OPEN);
    expect(read([event]).steps[0]).toEqual([
      text("a", 8),
      text("", OPEN),
      { type: "tool-call-start", callId: "call-1", name: "f" },
      { type: "tool-call-delta", callId: "call-1", json: "", tokenIds: [10, 11] },
      { type: "tool-call-delta", callId: "call-1", json: "{}", tokenIds: [] },
      { type: "tool-call-end", callId: "call-1" },
      text("", CLOSE),
      text("b", 12),
      text("", OPEN),
    ]);
  });

  it("copes with thousands of markers in one event", () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => (index % 2) + 1);
    expect(idsOf(read([text("", ...ids)]).steps.flat())).toEqual(ids);
  });

  it("leaves a character that was broken off on its side of the marker", () => {
    const reading = read([
      text("\ufffd<tool_call>", OPEN),
      text(`{"name": "f"}`, 9),
      text("\ufffd</tool_call>", CLOSE),
    ]);
    expect(summary(reading)).toEqual(["text: \ufffd", "start: call-1 f"]);
    expect(reading.problems).toEqual([`The tool call is not valid JSON: unexpected "\ufffd" after {"name": "f"}`]);
  });

  it("ends the generation after one complete call when told to", () => {
    const oneCall = true;
    const { steps, problems } = read([open, text("x", 9), close, ...call("f"), ...call("g"), text("b", 9)], {
      oneCall,
    });
    expect(problems).toHaveLength(1);
    expect(summary({ steps, problems })).toEqual(["start: call-1 f", "call-1: {}", "end: call-1", "finish: "]);
    expect(steps[5]?.slice(-3)).toEqual([
      { type: "tool-call-end", callId: "call-1" },
      text("", CLOSE),
      {
        type: "finish",
        signal: createTerminationSignal({
          reason: "natural_completion",
          originalField: "parallel_tool_calls",
          originalValue: "false",
          message: "One tool call is complete",
        }),
      },
    ]);
  });

  it("leaves a finish of the source its own words", () => {
    const events = [open, text(`{"name": "f"}`, 9), finish("natural_completion")];
    expect(read(events, { oneCall: true }).steps[2]?.at(-1)).toEqual(finish("natural_completion"));
  });

  it("ends the generation within an event of several tokens", () => {
    const event = text(`{"name": "f"}</tool_call>late<tool_call>`, 9, CLOSE, 10, OPEN);
    expect(summary(read([open, event], { oneCall: true })).at(-1)).toBe("finish: ");
  });
});

/** Blocks that are calls, nearly calls, or not at all. */
const value = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.dictionary(fc.string({ maxLength: 4, unit: "binary" }), fc.jsonValue({ maxDepth: 2 }), {
      maxKeys: 3,
    }),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
);
const nameValue = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("f", `quo"ted\\`, "😀", "A\n") },
  { weight: 1, arbitrary: fc.constantFrom("", 5, null, [], {}) },
);
const argumentsText = fc.oneof(
  { weight: 4, arbitrary: value.map((json) => JSON.stringify(json)) },
  { weight: 1, arbitrary: value.map((json) => JSON.stringify(JSON.stringify(json))) },
  { weight: 1, arbitrary: fc.constant("null") },
);
const field = fc.oneof(
  fc.tuple(
    fc.constant(`"name"`),
    nameValue.map((json) => JSON.stringify(json)),
  ),
  fc.tuple(fc.constantFrom(`"arguments"`, `"parameters"`, `"\\u0061rguments"`), argumentsText),
  fc.tuple(
    fc.constantFrom(`"id"`, `"x"`),
    value.map((json) => JSON.stringify(json)),
  ),
);
const space = fc.constantFrom("", "", " ", "\n", "\t ");
const object = fc
  .tuple(
    fc.uniqueArray(field, { selector: ([key]) => key, minLength: 1, maxLength: 4 }),
    fc.array(space, { minLength: 6, maxLength: 6 }),
  )
  .map(([fields, [a = "", b = "", c = "", d = "", e = "", f = ""]]) => {
    const members = fields.map(([key, json]) => `${a}${key}${b}:${c}${json}${d}`);
    return `${e}{${members.join(",")}}${f}`;
  });
const change = fc.tuple(fc.nat(), fc.constantFrom(...'[]{}",:\\u0e.1 \n', "n", "😀"), fc.nat(2));
const block = fc.tuple(object, fc.option(change, { freq: 3 })).map(([whole, changed]) => {
  if (changed === null) return whole;
  const [place, character, taken] = changed;
  const at = place % (whole.length + 1);
  return whole.slice(0, at) + character + whole.slice(at + taken);
});

/** What a block means to somebody who has all of it; undefined where that depends on more than its value. */
function expected(whole: string): { name: string; arguments: unknown } | "malformed" | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(whole);
  } catch {
    return "malformed";
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return "malformed";
  const { name, arguments: first, parameters: second } = parsed as Record<string, unknown>;
  if (typeof name !== "string" || name === "") return "malformed";
  // A key may stand twice, of which the value does not tell.
  if ((whole.match(/(rguments|parameters)"/g)?.length ?? 0) > 1) return undefined;
  if ((whole.match(/"name"/g)?.length ?? 0) > 1) return undefined;
  let given: unknown = first ?? second ?? {};
  if (typeof given === "string") {
    try {
      given = JSON.parse(given) as unknown;
    } catch {
      return "malformed";
    }
  }
  if (typeof given !== "object" || given === null || Array.isArray(given)) return "malformed";
  return { name, arguments: given };
}

/** A whole answer: text, blocks and stray markers, each marker an event of its own. */
const answer = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: block.map((whole) => [open, whole, close]) },
    { weight: 1, arbitrary: block.map((whole) => [open, whole]) },
    { weight: 1, arbitrary: fc.constantFrom("text", "\n", "a 😀 b").map((plain) => [plain]) },
    { weight: 1, arbitrary: fc.constantFrom([end], [close], [text("", 9)]) },
    { weight: 1, arbitrary: fc.constant([{ type: "reasoning", text: "hm", tokenIds: [8] } as const]) },
  ),
  { maxLength: 4 },
);

/** Cuts the texts of an answer and gives every piece one, two or no tokens of its own. */
function toEvents(parts: readonly (string | GenerationEvent)[], cuts: readonly number[]): GenerationEvent[] {
  let id = 100;
  return parts.flatMap((part): GenerationEvent[] => {
    if (typeof part !== "string") return [part];
    return cutAt(part, cuts).map((piece, index) => {
      const count = ((cuts[index] ?? 1) % 4) % 3;
      return text(piece, ...Array.from({ length: count }, () => (id += 1)));
    });
  });
}

/** Joins neighbouring events into one, as a source does that sends several tokens at a time. */
function joined(events: readonly GenerationEvent[]): GenerationEvent[] {
  const out: GenerationEvent[] = [];
  for (const event of events) {
    const last = out.at(-1);
    // Behind an end token nothing follows in the same piece, and within a block text belongs before it.
    const isJoinable = last?.type === "text" && !idsOf([last]).includes(END);
    if (isJoinable && event.type === "text") {
      out[out.length - 1] = text(last.text + event.text, ...idsOf([last, event]));
    } else out.push(event);
  }
  return out;
}

const cutPlaces = fc.array(fc.nat(300), { maxLength: 40 });

describe("however the output is cut", () => {
  it("gives the same events and problems", () => {
    fc.assert(
      fc.property(answer, cutPlaces, (parts, cuts) => {
        const whole = read(toEvents(parts.flat(), []));
        for (const other of [toEvents(parts.flat(), cuts), joined(toEvents(parts.flat(), cuts))]) {
          const reading = read(other);
          same(summary(reading), summary(whole));
          same(reading.problems, whole.problems);
        }
      }),
      { numRuns: 5_000 },
    );
  });

  it("gives the same for every letter on its own, halves of characters too", () => {
    fc.assert(
      fc.property(block, (whole) => {
        const [atOnce, inLetters] = readBlock(whole);
        same(summary(inLetters!), summary(atOnce!));
        same(inLetters!.problems, atOnce!.problems);
      }),
      { numRuns: 5_000 },
    );
  });

  it("passes every token once, in order, at the step at which it came, with the last of its text", () => {
    fc.assert(
      fc.property(answer, cutPlaces, fc.boolean(), (parts, cuts, joins) => {
        const events = toEvents(parts.flat(), cuts);
        const given = joins ? joined(events) : events;
        const { steps } = read(given);
        for (const [index, event] of given.entries()) {
          const step = steps[index]!;
          same(idsOf(step), idsOf([event]));
          const carriers = step.filter((out) => out.type === "text" || out.type === "tool-call-delta");
          same(
            carriers.every((out) => out.tokenIds !== undefined),
            true,
          );
          if (joins) continue;
          same(
            carriers.slice(0, -1).flatMap((out) => out.tokenIds),
            [],
          );
        }
        same(idsOf(steps.at(-1)!), []);
      }),
      { numRuns: 5_000 },
    );
  });

  it("makes calls of exactly the blocks that are calls", () => {
    let calls = 0;
    fc.assert(
      fc.property(block, cutPlaces, (whole, cuts) => {
        const want = expected(whole);
        fc.pre(want !== undefined);
        const { steps, problems } = read(toEvents([open, whole, close], cuts));
        const events = steps.flat();
        const isCall = events.some((event) => event.type === "tool-call-end");
        same(isCall, want !== "malformed");
        same(problems.length, isCall ? 0 : 1);
        if (want === "malformed") return;
        calls += 1;
        const json = events.map((event) => (event.type === "tool-call-delta" ? event.json : "")).join("");
        same(JSON.parse(json), want.arguments);
        same(events.find((event) => event.type === "tool-call-start")?.name, want.name);
      }),
      { numRuns: 10_000 },
    );
    // The blocks made up must not all be broken.
    expect(calls).toBeGreaterThan(1000);
  });
});

describe("the options of a reader", () => {
  const good = { markers, endTokenIds: [END], createCallId: () => "1" };
  it.each([
    { options: { ...good, marker: 1 }, quoted: `"marker"` },
    { options: { ...good, markers: undefined }, quoted: "undefined" },
    { options: { ...good, markers: { ...markers, open: "" } }, quoted: `"open":""` },
    { options: { ...good, markers: { ...markers, openId: -1 } }, quoted: "[-1,2]" },
    { options: { ...good, markers: { ...markers, openId: 2 } }, quoted: `"openId":2` },
    { options: { ...good, endTokenIds: undefined }, quoted: "undefined" },
    { options: { ...good, endTokenIds: ["3"] }, quoted: `["3"]` },
    { options: { ...good, createCallId: "id" }, quoted: `"id"` },
    { options: { ...good, oneCall: "yes" }, quoted: `"yes"` },
    { options: { ...good, onMalformed: 5 }, quoted: "5" },
    { options: null, quoted: "null" },
  ])("are refused where $quoted is wrong", ({ options, quoted }) => {
    expect(() => createToolCallReader(options as never)).toThrow(quoted);
  });
});
