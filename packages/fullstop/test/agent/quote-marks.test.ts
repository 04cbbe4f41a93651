import { describe, expect, it } from "vitest";
import { createAgentRun } from "../../src/agent/index.ts";
import { defineMarkFilter } from "../../src/agent/quote-marks.ts";
import { POLICIES } from "../../src/decide/index.ts";
import { createScriptedEngine, finish, start, text } from "../../src/testing/index.ts";
import { pushThrough, textOf } from "../support/events.ts";
import { same } from "../support/same.ts";

/** What is left of a continuation, and whether any of it was lost or doubled, cut anywhere and everywhere. */
function filtered(before: string, continuation: string): string {
  const whole = textOf(pushThrough(defineMarkFilter(before), [text(continuation)]));
  const cuts = [...continuation].map((_, at) => [continuation.slice(0, at), continuation.slice(at)]);
  for (const pieces of [[...continuation], ...cuts]) {
    same(textOf(pushThrough(defineMarkFilter(before), pieces.map(text))), whole);
  }
  return whole;
}

describe("the marks of a quote in a continuation", () => {
  it.each([
    ["<cut-answer>x</cut-answer>", "x"],
    ["x</cut-answer>", "x"],
    ["a <b> </cut", "a <b> </cut"],
    ["1 < 2 <", "1 < 2 <"],
    ["<cut-answers>", "<cut-answers>"],
  ])("are taken out of %s", (continuation, left) => {
    expect(filtered("One", continuation)).toBe(left);
  });

  it("stay where the answer is about them", () => {
    expect(filtered("It is called <cut-answer>", "<cut-answer>x")).toBe("<cut-answer>x");
  });

  it("leave an event as it is in which there is none", () => {
    const events = [start(), { ...text("two"), tokenIds: [7] }, finish()];
    expect(pushThrough(defineMarkFilter("One"), events)).toEqual(events);
  });

  it("are not shown by a run whose model repeats them", async () => {
    const answers = [
      [start(), text("One, two, three"), finish("token_limit_reached")],
      [start(), text("<cut-answer>One, two, three</cut-answer>, four."), finish()],
    ];
    const engine = createScriptedEngine(() => answers.shift() ?? []);
    const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "Count" }] }];
    const run = createAgentRun({
      engine,
      request: { model: "m", messages, maxOutputTokens: 9 },
      policy: POLICIES.chat,
    });
    expect(await run.result()).toMatchObject({ text: "One, two, three, four.", end: "completed" });
  });

  it("are no reason to lose the thinking of an answer that is nothing else", async () => {
    const script = [start(), { type: "reasoning" as const, text: "Hm" }, finish("token_limit_reached")];
    const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "Count" }] }];
    const request = { model: "m", messages, maxOutputTokens: 9 };
    const run = createAgentRun({ engine: createScriptedEngine(() => script), request, policy: POLICIES.chat });
    expect(await run.result()).toMatchObject({ text: "", reasoning: "Hm", end: "incomplete" });
  });
});
