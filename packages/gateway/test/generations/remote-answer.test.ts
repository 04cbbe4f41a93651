import type { GenerationEvent } from "fullstop";
import { createScriptedEngine, finish, reasoning, start, text } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { RemoteAnswer } from "../../src/generations/remote-answer.ts";

/** Reads an answer to its end, as a generation does whose end the store is still being told. */
async function answerTo(events: readonly GenerationEvent[], ending: object): Promise<RemoteAnswer> {
  const engine = createScriptedEngine(() => events, { isSealed: false });
  const target = { engine, provider: "up", model: "any", appliesRules: false } as const;
  const request = { model: "any", messages: [] };
  const answer = new RemoteAnswer(target, request, {
    rules: { stop: [{ text: "enough", scope: "reasoning" }] },
    ownRules: [],
    way: "counted",
    onHeldBack: () => undefined,
  });
  const seen: GenerationEvent[] = [];
  await answer.deliver((batch) => {
    seen.push(...batch);
    return undefined;
  });
  expect(seen.at(-1)).toMatchObject({ type: "finish", signal: ending });
  return answer;
}

describe("thinking that is over", () => {
  it.each([
    {
      how: "a stop string has ended it",
      events: [start(), reasoning("Hm, enough of it"), text("42"), finish()],
      ending: { reason: "stop_sequence", stopSequence: "enough" },
    },
    {
      how: "its provider has broken off",
      events: [start(), reasoning("Hm")],
      ending: { reason: "error_termination", detail: "truncated" },
    },
  ])("cannot be skipped any more where $how", async ({ events, ending }) => {
    const answer = await answerTo(events, ending);
    expect(await answer.leaveThinking(true)).toBe("not thinking");
    expect(answer.isGivenUp).toBe(false);
  });
});
