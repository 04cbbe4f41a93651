import type { GenerationRequest } from "fullstop";
import { createGate, finish, start, text, usage } from "fullstop/testing";
import type { ScriptStep } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import { spentOn } from "../../src/access/spending.ts";
import type { LiveGeneration } from "../../src/generations/live-generation.ts";
import type { Target } from "../../src/models/model-router.ts";
import { hashOf, post } from "../support/gateway.ts";
import { startWith, targetOf } from "../support/generations.ts";
import { openScripted } from "../support/scripted.ts";

const PRICES = { perMillionInputTokens: 1_000, perMillionOutputTokens: 2_000 };

function pricedTarget(answer: (request: GenerationRequest) => readonly ScriptStep[]): Target {
  return targetOf(answer, { prices: PRICES });
}

/** A model that has counted what it was asked, and fails before it says anything. */
const FAILING = pricedTarget(() => [start(), usage(5000, 1), finish("error_termination")]);

/** Asks a model that fails and then another one about a thousand tokens. */
function askAfterFailure(answer: (request: GenerationRequest) => readonly ScriptStep[]): Promise<LiveGeneration> {
  return startWith([FAILING, pricedTarget(answer)]);
}

async function countedBy(generation: LiveGeneration) {
  await generation.ended;
  return (await generation.read()).findLast((event) => event.type === "usage")?.usage;
}

describe("the token counts of a model that has failed", () => {
  it("are not those of the model that answers, where that has counted nothing", async () => {
    const generation = await askAfterFailure(() => [text("word ".repeat(400)), finish()]);
    expect(await countedBy(generation)).toEqual({ inputTokens: 1000, outputTokens: 500, estimated: true });
    // 1000 at 0.001 and 500 at 0.002.
    expect(spentOn(generation)).toEqual({ tokens: 1500, cost: 2 });
  });

  it("are not those of an answer that breaks off", async () => {
    const generation = await askAfterFailure(() => [text("word ".repeat(400)), finish("error_termination")]);
    expect(await countedBy(generation)).toEqual({ inputTokens: 1000, outputTokens: 500, estimated: true });
  });

  it("make no difference to what the model that answers has counted", async () => {
    const generation = await askAfterFailure(() => [text("42"), usage(1100, 1), finish()]);
    expect(await countedBy(generation)).toEqual({ inputTokens: 1100, outputTokens: 1 });
    expect(spentOn(generation).tokens).toBe(1101);
  });

  it.each(["error_termination", "cancelled"])(
    "cost what that model costs, where the last one ends with %s before it says anything",
    async (reason) => {
      const gate = createGate();
      const dear = { perMillionInputTokens: 1_000_000, perMillionOutputTokens: 1_000_000 };
      const last = targetOf(() => [gate.pass, finish("error_termination")], { prices: dear });
      const generation = await startWith([FAILING, last]);
      await gate.reached;
      if (reason === "cancelled") generation.stop("user");
      else gate.open();
      expect(await generation.ended).toMatchObject({ reason });
      // 5000 at 0.001 and 1 at 0.002.
      expect(spentOn(generation)).toEqual({ tokens: 5001, cost: 5.002 });
      gate.open();
    },
  );

  it.each([
    ["has counted", [usage(1000, 7)], { inputTokens: 2000, outputTokens: 7, estimated: true }],
    ["has counted nothing", [], { inputTokens: 2000, outputTokens: 1, estimated: true }],
  ])("add nothing to what was given up for an answer without thinking, which %s", async (_, counts, expected) => {
    const gate = createGate();
    let asked = 0;
    const generation = await askAfterFailure(() => {
      asked += 1;
      return asked === 1 ? [gate.pass] : [text("42"), ...counts, finish()];
    });
    await gate.reached;
    expect(await generation.carryOut({ mode: "skip-thinking", reason: "user" })).toBe(true);
    expect(await countedBy(generation)).toEqual(expected);
    gate.open();
  });
});

describe("a budget of tokens", async () => {
  const model = "anthropic-messages/first";
  const gateway = await openScripted({
    keys: [{ name: "alice", sha256: hashOf("a"), limits: { tokensPerDay: 1000 } }],
    fallbacks: { [model]: ["openai-chat/second"] },
  });
  const frame = (type: string, more: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const message = { id: "m", type: "message", role: "assistant", model: "first", content: [] };

  it("is not used up by what a model has counted that was too busy to answer", async () => {
    const begun = frame("message_start", { message: { ...message, usage: { input_tokens: 5000, output_tokens: 1 } } });
    const busy = frame("error", { error: { type: "overloaded_error", message: "Overloaded" } });
    gateway.script("anthropic-messages", [{ raw: begun + busy }]);
    gateway.script("openai-chat", [start(), text("word ".repeat(40)), finish()]);
    const ask = () => {
      const body = { model, messages: [{ role: "user", content: "Hi" }] };
      return post(`${gateway.url}/v1/chat/completions`, body, { authorization: "Bearer a" });
    };
    expect(await ask()).toMatchObject({
      status: 200,
      body: { usage: { prompt_tokens: 1, completion_tokens: 50 }, fullstop: { answeredBy: "openai-chat/second" } },
    });
    expect((await ask()).status).toBe(200);
  });
});
