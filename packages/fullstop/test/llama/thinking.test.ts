import { beforeAll, describe, expect, it } from "vitest";
import { ThinkingWatch } from "../../src/llama/thinking.ts";
import { openPip, read, think } from "../support/local-model.ts";
import type { Answer } from "../support/local-model.ts";
import { LOCAL_MODELS } from "../support/local-models.ts";

describe.each(LOCAL_MODELS)("the thinking of $name", ({ model, requests }) => {
  const engine = openPip({ model, sequences: 2, contextTokens: 2048 });
  const { thoughtful } = requests;
  let whole: Answer;

  beforeAll(async () => {
    whole = await read(engine, thoughtful);
  });

  it("is told from the answer, without its markers", () => {
    expect(whole.reasoning.length).toBeGreaterThan(20);
    expect(whole.reasoning).not.toMatch(/^\n|<\/?think>/u);
    expect(whole.text).not.toMatch(/^\n|<\/?think>/u);
    expect(whole.signal.reason).toBe("natural_completion");
    expect(whole.usage!.reasoningTokens).toBeGreaterThan(20);
    expect(whole.usage!.reasoningTokens).toBeLessThan(whole.usage!.outputTokens);
  });

  it("does not happen when it was not wanted", async () => {
    const answer = await read(engine, { ...thoughtful, reasoning: { effort: "none" } });
    expect(answer.reasoning).toBe("");
    expect(answer.usage?.reasoningTokens).toBe(0);
    expect(answer.text).not.toBe("");
  });

  it("is kept to itself when it is not to be shown", async () => {
    const answer = await read(engine, { ...thoughtful, reasoning: { show: false } });
    expect(answer.reasoning).toBe("");
    expect(answer.text).toBe(whole.text);
    expect(answer.usage?.reasoningTokens).toBe(whole.usage?.reasoningTokens);
  });

  it.each([2, 5, 12])("ends after a budget of %i tokens, and the answer follows", async (budgetTokens) => {
    const answer = await read(engine, { ...thoughtful, reasoning: { budgetTokens }, maxOutputTokens: 120 });
    expect(answer.reasoning).not.toBe("");
    expect(whole.reasoning.startsWith(answer.reasoning.trimEnd())).toBe(true);
    // The markers, and a line break before the closing one, come on top.
    expect(answer.usage!.reasoningTokens).toBeLessThanOrEqual(budgetTokens + 3);
    expect(answer.text).not.toBe("");
    expect(answer.text).not.toMatch(/^\n|<\/?think>/u);
  });

  it("ends with a sentence where one was given", async () => {
    const reasoning = { budgetTokens: 5, lastWords: "That is enough." };
    const answer = await read(engine, { ...thoughtful, reasoning, maxOutputTokens: 120 });
    expect(answer.reasoning.endsWith("That is enough.\n")).toBe(true);
    expect(answer.text).not.toContain("That is enough");
  });

  it("is skipped when somebody asks for it in the middle", async () => {
    let seen = 0;
    const skipped: boolean[] = [];
    const answer = await read(engine, { ...thoughtful, maxOutputTokens: 120 }, undefined, (event, generation) => {
      if (event.type === "reasoning" && (seen += 1) === 4) skipped.push(generation.skipThinking());
    });
    expect(skipped).toEqual([true]);
    expect(answer.reasoning.length).toBeLessThan(whole.reasoning.length);
    expect(whole.reasoning.startsWith(answer.reasoning.trimEnd())).toBe(true);
    expect(answer.text).not.toBe("");
    expect(answer.text).not.toMatch(/<\/?think>/u);
    expect(answer.events.filter(({ type }) => type === "start")).toHaveLength(1);
  });

  it("is skipped when somebody asked for it before it began", async () => {
    const generation = engine.generate({ ...thoughtful, maxOutputTokens: 120 }, new AbortController().signal);
    expect(generation.skipThinking()).toBe(true);
    let reasoning = "";
    let text = "";
    for await (const event of generation) {
      if (event.type === "reasoning") reasoning += event.text;
      if (event.type === "text") text += event.text;
    }
    expect(reasoning.trim()).toBe("");
    expect(text).not.toBe("");
    expect(text).not.toMatch(/<\/?think>/u);
  });

  it("cannot be skipped when it is over", async () => {
    const answers: boolean[] = [];
    await read(engine, thoughtful, undefined, (event, generation) => {
      if (event.type === "text") answers.push(generation.skipThinking());
    });
    expect(answers.length).toBeGreaterThan(0);
    expect(new Set(answers)).toEqual(new Set([false]));
  });

  it("counts for the limit of the whole answer", async () => {
    const answer = await read(engine, { ...thoughtful, maxOutputTokens: 10 });
    expect(answer.signal.reason).toBe("token_limit_reached");
    expect(answer.text).toBe("");
    expect(answer.usage).toMatchObject({ outputTokens: 10, reasoningTokens: 10 });
  });

  it("is not looked through for stop strings", async () => {
    const word = whole.reasoning.slice(4, 9);
    const answer = await read(engine, { ...thoughtful, stop: [word] });
    expect(answer.reasoning).toBe(whole.reasoning);
  });
});

describe("the thinking of Pip", () => {
  const engine = openPip({ sequences: 1 });

  it("is not broken off in the middle of a character", async () => {
    const request = think('Say "你好" 2 times');
    const whole = await read(engine, request);
    expect(whole.reasoning).toContain("你好");
    for (let budgetTokens = 1; budgetTokens < whole.usage!.reasoningTokens!; budgetTokens++) {
      const answer = await read(engine, { ...request, reasoning: { budgetTokens }, maxOutputTokens: 100 });
      expect(answer.reasoning).not.toContain("\uFFFD");
      expect(whole.reasoning.startsWith(answer.reasoning.trimEnd())).toBe(true);
    }
  });

  it("starts where the prompt has begun it", () => {
    const watch = new ThinkingWatch(
      { open: "<think>", close: "</think>", openId: 1, closeId: 2 },
      { startsInside: true, budgetTokens: 2 },
    );
    watch.read(10);
    expect([watch.isInside, watch.isOver]).toEqual([true, false]);
    watch.read(11);
    expect(watch.isOver).toBe(true);
    watch.read(2);
    expect([watch.isInside, watch.isOver, watch.tokens]).toEqual([false, false, 3]);
  });
});
