import { describe, expect, it } from "vitest";
import { cancelledSignal, defineGuard } from "../src/index.ts";
import type { GenerationEvent, Sink, StopRuleOptions } from "../src/index.ts";
import { call, text } from "../src/testing/index.ts";

const STOP: GenerationEvent = { type: "finish", signal: cancelledSignal("user") };

/** What a sink gets that ends the generation while it is shown some text. */
function stoppedAt(shown: string, events: readonly GenerationEvent[], rules: StopRuleOptions): readonly unknown[] {
  const seen: unknown[] = [];
  const guard: Sink<GenerationEvent> = defineGuard(rules)({
    push(event) {
      seen.push(event.type === "text" ? event.text : event.type);
      if (event.type === "text" && event.text === shown) guard.push(STOP);
    },
    end: () => void seen.push("end"),
  });
  for (const event of events) guard.push(event);
  guard.end();
  return seen;
}

describe("a sink that ends the generation while it is shown a piece", () => {
  it.each<[string, readonly GenerationEvent[], StopRuleOptions, readonly unknown[]]>([
    ["with which a limit is reached", [text("a"), text("b"), text("c")], { maxTokens: 2 }, ["a", "b", "finish", "end"]],
    [
      "that was held back before a call",
      [text("a"), text("b"), ...call("1", "t")],
      { stop: ["bc"] },
      ["a", "b", "finish", "end"],
    ],
    ["that was held back at the end", [text("a"), text("b")], { stop: ["bc"] }, ["a", "b", "finish", "end"]],
    [
      "of which more is held back",
      [text("a"), text("bX"), text("c")],
      { stop: ["XY"] },
      ["a", "b", "X", "finish", "end"],
    ],
  ])("gets one finish and nothing after it: a piece %s", (_, events, rules, seen) => {
    expect(stoppedAt("b", events, rules)).toEqual(seen);
  });
});
