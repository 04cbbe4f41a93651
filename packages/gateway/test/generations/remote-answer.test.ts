import type { GenerationEvent } from "fullstop";
import { createScriptedEngine, finish, reasoning, start, text } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { RemoteAnswer } from "../../src/generations/remote-answer.ts";

/** Reads an answer to its end, as a generation does whose end the store is still being told. */
async function answerTo(events: readonly GenerationEvent[], stop: string): Promise<RemoteAnswer> {
  const engine = createScriptedEngine(() => events);
  const target = { engine, provider: "up", model: "any", appliesRules: false } as const;
  const request = { model: "any", messages: [] };
  const answer = new RemoteAnswer(target, request, {
    rules: { stop: [{ text: stop, scope: "reasoning" }] },
    ownRules: [],
    onHeldBack: () => undefined,
  });
  const seen: GenerationEvent[] = [];
  for await (const batch of answer.batches) seen.push(...batch);
  expect(seen.at(-1)).toMatchObject({ type: "finish", signal: { reason: "stop_sequence", stopSequence: stop } });
  return answer;
}

describe("thinking that a stop string has ended", () => {
  it("cannot be skipped any more", async () => {
    const answer = await answerTo([start(), reasoning("Hm, enough of it"), text("42"), finish()], "enough");
    expect(await answer.leaveThinking(true)).toBe("not thinking");
    expect(answer.isGivenUp).toBe(false);
  });
});
