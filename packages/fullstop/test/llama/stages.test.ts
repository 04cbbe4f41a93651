import { describe, expect, it } from "vitest";
import type { GenerationEvent, StopRuleOptions, TerminationSignal } from "../../src/index.ts";
import { compose, createTerminationSignal, defineGuard, seal } from "../../src/index.ts";
import { defineClosing } from "../../src/llama/closing.ts";
import { defineMarkerFrame } from "../../src/llama/marker-frame.ts";
import { jsonVerdict, wholeJson } from "../../src/llama/whole-json.ts";
import { pushThrough } from "../support/events.ts";

const text = (value: string, ...tokenIds: readonly number[]): GenerationEvent => ({
  type: "text",
  text: value,
  tokenIds,
});
const ending = (reason: TerminationSignal["reason"], others: Partial<TerminationSignal> = {}): GenerationEvent => ({
  type: "finish",
  signal: { ...createTerminationSignal({ reason, originalField: "test", originalValue: "" }), ...others },
});

describe("the frame of markers", () => {
  const frame = defineMarkerFrame([1, 2], [3]);

  it("takes line breaks away behind a marker, over several tokens, and no others", () => {
    const events = [text("", 2), text("\n", 10), text("", 11), text("\n\nHi\n", 12), text("\n", 13)];
    expect(pushThrough(frame, events)).toEqual([
      text("", 2),
      text("", 10),
      text("", 11),
      text("Hi\n", 12),
      text("\n", 13),
    ]);
  });

  it("hides a marker that frames nothing, and leaves alone what others read", () => {
    expect(pushThrough(frame, [text("a", 9), text("</think>", 2), text("<tool_call>", 3), text("\nb", 8)])).toEqual([
      text("a", 9),
      text("", 2),
      text("<tool_call>", 3),
      text("b", 8),
    ]);
  });

  it("lets everything else pass", () => {
    const events: GenerationEvent[] = [
      { type: "tool-call-start", callId: "c", name: "n" },
      ending("natural_completion"),
    ];
    expect(pushThrough(frame, events)).toEqual(events);
  });
});

describe("the closing of a generation", () => {
  const usage = { inputTokens: 1, outputTokens: 2 };
  const close = (isThinking: boolean, events: readonly GenerationEvent[], show = true): readonly GenerationEvent[] =>
    pushThrough(defineClosing({ usage: () => usage, takeRest: () => "\uFFFD", isThinking }, show), events);
  const last = (events: readonly GenerationEvent[]): readonly GenerationEvent[] => events.slice(-3);

  it.each(["natural_completion", "token_limit_reached", "cancelled", "context_window_exceeded"] as const)(
    "by %s puts half a character and the counts before the finish",
    (reason) => {
      expect(close(false, [ending(reason)])).toEqual([
        { type: "text", text: "\uFFFD" },
        { type: "usage", usage },
        ending(reason),
      ]);
    },
  );

  it("puts half a character of the thinking into the thinking", () => {
    expect(close(true, [ending("cancelled")])[0]).toEqual({ type: "reasoning", text: "\uFFFD" });
    expect(close(true, [ending("cancelled")], false).map(({ type }) => type)).toEqual(["usage", "finish"]);
  });

  it.each([
    ["a stop string", ending("stop_sequence", { stopSequence: "x" })],
    ["a limit of characters", ending("token_limit_reached", { detail: "characters" })],
    ["a loop", ending("repetition_detected")],
  ])("shows nothing that came after %s", (_, finish) => {
    expect(close(false, [finish]).map(({ type }) => type)).toEqual(["usage", "finish"]);
  });

  it("shows half a character after a stop token, which is no text", () => {
    expect(close(false, [ending("stop_sequence", { detail: "stop_token" })])).toHaveLength(3);
  });

  it("drops half a character of arguments that were cut", () => {
    const start: GenerationEvent = { type: "tool-call-start", callId: "c", name: "n" };
    const end: GenerationEvent = { type: "tool-call-end", callId: "c" };
    expect(last(close(false, [start, ending("token_limit_reached")])).map(({ type }) => type)).toEqual([
      "tool-call-start",
      "usage",
      "finish",
    ]);
    expect(close(false, [start, end, ending("token_limit_reached")]).map(({ type }) => type)).toContain("text");
  });
});

describe("an answer that has to be JSON", () => {
  it.each([
    [["{", '"a": "}"', "}", "\n\n"], '{"a": "}"}'],
    [["[1, ", "2]\n"], "[1, 2]"],
    [['"x', 'y" '], '"xy"'],
    [["42", "\n"], "42"],
    [["true", " "], "true"],
  ])("%j ends where its value does", (pieces, value) => {
    const events = pushThrough(wholeJson, [...pieces.map((piece) => text(piece)), text("more")]);
    const end = events.findIndex(({ type }) => type === "finish");
    const shown = events.slice(0, end).map((event) => (event.type === "text" ? event.text : ""));
    expect(shown.join("")).toBe(value);
  });

  it("has no end of its own before its value is whole", () => {
    expect(pushThrough(wholeJson, [text("{"), text('"a": 1')]).some(({ type }) => type === "finish")).toBe(false);
  });

  /** How an answer of four tokens ends under rules: its reason, or what rule it was whose end it is. */
  const endUnder = (rules: StopRuleOptions): string | undefined => {
    const stage = compose(wholeJson, compose(defineGuard(rules), compose(jsonVerdict, seal)));
    const last = pushThrough(
      stage,
      ["{", '"a"', ": 1", "}", "\n"].map((piece, id) => text(piece, id)),
    ).at(-1);
    return last?.type === "finish" ? last.signal.reason : undefined;
  };

  it.each<{ readonly rules: StopRuleOptions; readonly reason: string }>([
    { rules: { maxTokens: 4 }, reason: "natural_completion" },
    { rules: { maxCharacters: 8 }, reason: "natural_completion" },
    { rules: { maxTokens: 4, stop: ["}\n"] }, reason: "natural_completion" },
    { rules: { maxCost: { amount: 4, perToken: 1 } }, reason: "natural_completion" },
    { rules: { maxTokens: 3 }, reason: "token_limit_reached" },
    { rules: { maxCharacters: 7 }, reason: "token_limit_reached" },
    { rules: { stop: ["}"] }, reason: "stop_sequence" },
  ])("under $rules ends by $reason", ({ rules, reason }) => {
    expect(endUnder(rules)).toBe(reason);
  });
});
