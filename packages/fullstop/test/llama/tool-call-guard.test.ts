import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compose, defineGuard, defineReasoningSplitter, seal } from "../../src/index.ts";
import type { GenerationEvent, StopRuleOptions } from "../../src/index.ts";
import { createToolCallReader } from "../../src/llama/tool-call-blocks.ts";
import { createTerminationSignal } from "../../src/termination.ts";
import { finishOf, pushThrough, textOf } from "../support/events.ts";
import { REASONS } from "../support/reasons.ts";
import { same } from "../support/same.ts";

const OPEN = 1;
const CLOSE = 2;
const END = 3;
const markers = { open: "<tool_call>", close: "</tool_call>", openId: OPEN, closeId: CLOSE };

const open: GenerationEvent = { type: "text", text: "<tool_call>", tokenIds: [OPEN] };
const close: GenerationEvent = { type: "text", text: "</tool_call>", tokenIds: [CLOSE] };
const end: GenerationEvent = { type: "text", text: "", tokenIds: [END] };
/** A text in words, one token each. */
const words = (text: string): GenerationEvent[] =>
  (text.match(/\s*[^\s]+|\s+$/g) ?? []).map((piece, index) => ({ type: "text", text: piece, tokenIds: [100 + index] }));
const call = (json: string): GenerationEvent[] => [open, ...words(json), close];
const good = call(`{"name": "f", "arguments": {"a": "one two"}}`);
const bad = call(`{"name": "f", "arguments": {"a"`);

interface Options {
  readonly rules?: StopRuleOptions;
  readonly oneCall?: boolean;
  readonly endTokenIds?: readonly number[];
}

/** The whole way of a local model's events: calls apart, stop rules, verdict, one finish. */
function run(events: readonly GenerationEvent[], options: Options = {}): GenerationEvent[] {
  const { rules = {}, oneCall = false, endTokenIds = [END] } = options;
  let calls = 0;
  const reader = createToolCallReader({ markers, endTokenIds, oneCall, createCallId: () => String((calls += 1)) });
  const guard = defineGuard({ eosTokenIds: [END], ...rules });
  return pushThrough(compose(reader.blocks, compose(guard, compose(reader.verdict, seal))), events);
}

const argumentsOf = (events: readonly GenerationEvent[]): string =>
  events.map((event) => (event.type === "tool-call-delta" ? event.json : "")).join("");
const count = (events: readonly GenerationEvent[], type: GenerationEvent["type"]): number =>
  events.filter((event) => event.type === type).length;

describe("how a generation with calls ends", () => {
  it.each([
    { what: "one complete call", events: [...good, end], reason: "tool_calls" },
    { what: "calls and text", events: [...words("a b"), ...good, ...words("c"), ...good, end], reason: "tool_calls" },
    { what: "a call that the end token closes", events: [...good.slice(0, -1), end], reason: "tool_calls" },
    { what: "text only", events: [...words("a b"), end], reason: "natural_completion" },
    { what: "a stray closing marker", events: [...words("a"), close, end], reason: "natural_completion" },
    { what: "a malformed call", events: [...bad, end], reason: "error_termination" },
    { what: "a malformed call, then a complete one", events: [...bad, ...good, end], reason: "error_termination" },
    { what: "a complete call, then a malformed one", events: [...good, ...bad, end], reason: "error_termination" },
    { what: "a malformed call without a name", events: [...good, ...call("{}"), end], reason: "error_termination" },
    { what: "an end token in the middle", events: [...good, ...bad.slice(0, -1), end], reason: "error_termination" },
  ])("$what: $reason", ({ events, reason }) => {
    const out = run(events);
    expect(finishOf(out).reason).toBe(reason);
    expect(finishOf(out).detail).toBe(reason === "error_termination" ? "malformed_tool_call" : undefined);
    expect(finishOf(out).providerSpecific.originalField).toBe("eos_token_id");
  });

  it("tells what was wrong with the last malformed call", () => {
    const signal = finishOf(run([...call("{}"), ...good, ...bad, ...good, end]));
    expect(signal.message).toBe(
      `The tool call is not valid JSON: unexpected end after {"name": "f", "arguments": {"a"`,
    );
  });

  it("takes a cut stream for one, whatever was malformed in it", () => {
    expect(finishOf(run([...bad])).detail).toBe("truncated");
    expect(finishOf(run([...good])).detail).toBe("truncated");
  });

  it.each(REASONS.map((reason) => ({ reason })))(
    "beside a malformed call, $reason is changed only if natural",
    ({ reason }) => {
      const signal = createTerminationSignal({ reason, originalField: "f", originalValue: "v", message: "m" });
      const finish = finishOf(run([...bad, { type: "finish", signal }]));
      if (reason !== "natural_completion" && reason !== "tool_calls") expect(finish).toEqual(signal);
      else {
        const message = `The tool call is not valid JSON: unexpected end after {"name": "f", "arguments": {"a"`;
        expect(finish).toEqual({ ...signal, reason: "error_termination", detail: "malformed_tool_call", message });
      }
    },
  );

  it("is malformed after the seal as before it", () => {
    const reader = createToolCallReader({ markers, endTokenIds: [END], createCallId: () => "1" });
    const guard = defineGuard({ eosTokenIds: [END] });
    const stage = compose(reader.blocks, compose(guard, compose(seal, reader.verdict)));
    expect(finishOf(pushThrough(stage, [...call("{}"), ...good, end])).detail).toBe("malformed_tool_call");
  });

  it("is malformed where a natural end of the guard's own falls into a block", () => {
    const inBlock = [...good, ...good.slice(0, 4)];
    const signal = finishOf(run([...inBlock, end], { endTokenIds: [] }));
    expect([signal.reason, signal.detail]).toEqual(["error_termination", "malformed_tool_call"]);
    expect(signal.message).toBe(`The tool call ended in the middle, after {"name": "f", "arguments":`);
  });

  it("leaves a finish without a signal to the seal", () => {
    const finish = { type: "finish" } as never;
    expect(finishOf(run([...bad, finish])).detail).toBe("invalid_finish");
  });

  it("ends after one call when told to, as a call", () => {
    const out = run([...words("a"), ...good, ...good, ...words("b"), end], { oneCall: true });
    expect([count(out, "tool-call-end"), textOf(out)]).toEqual([1, "a"]);
    expect(finishOf(out)).toMatchObject({
      reason: "tool_calls",
      message: "One tool call is complete",
      providerSpecific: { originalField: "parallel_tool_calls", originalValue: "false" },
    });
  });

  it("ends after one call as a call also where that takes all the tokens there are, and not one fewer", () => {
    const under = (maxTokens: number): GenerationEvent[] => run(good, { oneCall: true, rules: { maxTokens } });
    expect(finishOf(under(good.length))).toMatchObject({ reason: "tool_calls", message: "One tool call is complete" });
    expect(finishOf(under(good.length - 1)).reason).toBe("token_limit_reached");
    expect(finishOf(run(good, { rules: { maxTokens: good.length } })).reason).toBe("token_limit_reached");
    const isBad = run([...bad, ...good], { oneCall: true, rules: { maxTokens: bad.length + good.length } });
    expect(finishOf(isBad).detail).toBe("malformed_tool_call");
  });

  it("ends after one call with an error when another was malformed before it", () => {
    expect(finishOf(run([...bad, ...good], { oneCall: true })).detail).toBe("malformed_tool_call");
  });
});

describe("stop rules and blocks", () => {
  const events = [...words("a b"), ...good, ...words(" c"), end];

  it("counts every token: a limit falls on the token it names", () => {
    for (let maxTokens = 1; maxTokens < events.length; maxTokens++) {
      const out = run(events, { rules: { maxTokens } });
      const ended = maxTokens >= events.indexOf(close) + 1;
      expect(finishOf(out).reason).toBe("token_limit_reached");
      expect(finishOf(out).providerSpecific.metadata?.["tokens"]).toBe(maxTokens);
      expect(count(out, "tool-call-end")).toBe(ended ? 1 : 0);
      const before = run(events.slice(0, maxTokens));
      expect([textOf(out), argumentsOf(out)]).toEqual([textOf(before), argumentsOf(before)]);
    }
    expect(finishOf(run(events, { rules: { maxTokens: events.length } })).reason).toBe("tool_calls");
  });

  it("leaves a call that a limit cuts without its end", () => {
    const out = run(good, { rules: { maxTokens: 6 } });
    expect(count(out, "tool-call-start")).toBe(1);
    expect(count(out, "tool-call-end")).toBe(0);
    expect(argumentsOf(out)).toBe(`{"a": "one`);
    expect(finishOf(out).reason).toBe("token_limit_reached");
  });

  it.each([`"f"`, "one", "{", "name", "tool_call", "}}"])("does not find the stop string %s in a block", (stop) => {
    expect(finishOf(run(events, { rules: { stop: [stop] } })).reason).toBe("tool_calls");
  });

  it("finds stop strings in the text around blocks, and in arguments when asked", () => {
    expect(finishOf(run(events, { rules: { stop: ["c"] } })).stopSequence).toBe("c");
    const out = run(events, { rules: { stop: [{ text: "two", scope: "tool-arguments" }] } });
    expect([finishOf(out).reason, count(out, "tool-call-end")]).toEqual(["stop_sequence", 0]);
  });

  it("lets text out that a stop string held back when a call begins", () => {
    const out = run([...words("so <"), ...good, ...words("<x"), end], { rules: { stop: ["<x>"] } });
    expect(out.map((event) => ("text" in event ? event.text : event.type)).slice(0, 4)).toEqual([
      "so",
      " ",
      "<",
      "tool-call-start",
    ]);
    expect(textOf(out)).toBe("so <<x");
  });

  it("counts every token of any answer", () => {
    const part = fc.constantFrom(good, bad, words("some text"), [close], call("{}"), [open]);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), fc.nat(40), (parts, place) => {
        const given = parts.flat();
        const maxTokens = 1 + (place % given.length);
        const signal = finishOf(run(given, { rules: { maxTokens } }));
        same([signal.reason, signal.providerSpecific.metadata?.["tokens"]], ["token_limit_reached", maxTokens]);
      }),
      { numRuns: 2_000 },
    );
  });

  it("leaves markers in the thinking to the thinking", () => {
    const tokenMarkers = { open: "<think>", close: "</think>", openId: 4, closeId: 5 };
    const reader = createToolCallReader({ markers, endTokenIds: [END], createCallId: () => "1" });
    const think: GenerationEvent = { type: "text", text: "<think>", tokenIds: [4] };
    const answer: GenerationEvent = { type: "text", text: "</think>", tokenIds: [5] };
    const stage = compose(defineReasoningSplitter({ tokenMarkers }), compose(reader.blocks, seal));
    const out = pushThrough(stage, [think, open, ...words("x"), close, answer, ...good, end]);
    expect(textOf(out, "reasoning")).toBe("<tool_call>x</tool_call>");
    expect([textOf(out), argumentsOf(out)]).toEqual(["", `{"a": "one two"}`]);
  });
});
