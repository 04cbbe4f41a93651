import { ToolLoopAgent, generateText, isStepCount, streamText, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { decideLoop, stopWhenCallsRepeat, stopWhenDecided, stopWhenSpent } from "../../../src/adapters/ai-sdk/index.ts";
import type { LoopStopCondition } from "../../../src/adapters/ai-sdk/index.ts";
import { definePolicy } from "../../../src/decide/index.ts";
import { call, finish, text } from "../../support/official.ts";
import { MODELS, counts, done, guard, modelOf, opening, serve } from "../support/models.ts";

/** A model that asks for the weather for ever, and a tool that tells it. */
async function askForEver(tells: (times: number) => string, model = modelOf("openai-chat")) {
  let times = 0;
  const server = await serve(model.dialect, () => {
    times += 1;
    const spaces = times % 2 === 0 ? " " : "";
    return [opening, ...call(`c${times}`, "weather", `{"city":${spaces}"Oslo"}`), counts, finish("tool_calls")];
  });
  const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: () => tells(times) });
  return { server, model: guard(model.create(server.baseUrl)).model, tools: { weather } };
}

const MOST_STEPS = 12;

/** How many steps a loop takes that is ended by a condition. */
async function stepsUntil(condition: LoopStopCondition, tells: (times: number) => string): Promise<number> {
  const { model, tools } = await askForEver(tells);
  const stopWhen = [condition, isStepCount(MOST_STEPS)];
  const { steps } = await generateText({ model, tools, prompt: "Weather?", stopWhen });
  return steps.length;
}

const same = (): string => "rain";
const other = (times: number): string => `rain ${times}`;

describe("a loop of the SDK", () => {
  it.each<[string, LoopStopCondition, (times: number) => string, number]>([
    ["goes on for ever where no condition of ours ends it", () => false, same, MOST_STEPS],
    ["ends when the same calls get the same results for the fifth time", stopWhenDecided(), same, 5],
    ["goes on while results change", stopWhenDecided(), other, MOST_STEPS],
    ["ends by repeated calls alone", stopWhenCallsRepeat({ nudge: 2, halt: 3 }), same, 3],
    ["goes on while results change, by repeated calls alone", stopWhenCallsRepeat(), other, MOST_STEPS],
    ["does not look at repeated calls if it is told so", stopWhenDecided({ repeatedCalls: false }), same, MOST_STEPS],
    ["ends at a number of turns", stopWhenDecided({ limits: { maxTurns: 4 } }), other, 4],
    ["ends at a number of tokens, 13 a step", stopWhenDecided({ limits: { maxTokens: 30 } }), other, 3],
    ["ends after a number of calls", stopWhenSpent({ maxToolCalls: 2 }), other, 3],
    ["ends at a price", stopWhenSpent({ maxCost: { limit: 16, price: ({ outputTokens }) => outputTokens } }), other, 4],
    ["ends at once when there is no time", stopWhenSpent({ maxMilliseconds: 0 }), other, 1],
    [
      "ends at the bound of a policy",
      stopWhenDecided({ policy: definePolicy({ bounds: { run_tools: 2 } }) }),
      other,
      3,
    ],
    [
      "ends by a strategy of the caller's own",
      stopWhenDecided({
        policy: definePolicy({
          strategies: [
            (_signal, { conversation }, proposed) =>
              conversation.turns < 2
                ? undefined
                : { ...proposed, shouldContinue: false, suggestedAction: "stop", reason: "Enough" },
          ],
        }),
      }),
      other,
      2,
    ],
  ])("%s", async (_name, condition, tells, expected) => {
    expect(await stepsUntil(condition, tells)).toBe(expected);
  });

  it.each(MODELS)("ends for an agent and in a stream, with $name", async (model) => {
    const { model: guarded, tools } = await askForEver(same, model);
    const stopWhen = [stopWhenDecided(), isStepCount(MOST_STEPS)];
    const agent = new ToolLoopAgent({ model: guarded, tools, stopWhen });
    expect((await agent.generate({ prompt: "Weather?" })).steps.length).toBe(5);
    const streamed = streamText({ model: guarded, tools, prompt: "Weather?", stopWhen });
    await streamed.consumeStream();
    expect((await streamed.steps).length).toBe(5);
  });

  it.each([
    ["in the same way", "no weather today", 5],
    ["in another way", "no weather at", MOST_STEPS],
  ])("compares how a tool fails: %s", async (_name, message, expected) => {
    const fails = (times: number): string => {
      throw new Error(expected === MOST_STEPS ? `${message} ${times}` : message);
    };
    expect(await stepsUntil(stopWhenDecided(), fails)).toBe(expected);
  });

  it("does not count what is asked for twice at a time as repeated", async () => {
    const server = await serve("openai-chat", () => [
      opening,
      ...["a", "b", "c", "d", "e", "f"].flatMap((id) => call(id, "weather", '{"city":"Oslo"}')),
      counts,
      finish("tool_calls"),
    ]);
    const { model } = guard(modelOf("openai-chat").create(server.baseUrl));
    const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: same });
    const stopWhen = [stopWhenDecided(), isStepCount(3)];
    expect((await generateText({ model, tools: { weather }, prompt: "?", stopWhen })).steps.length).toBe(3);
  });
});

describe("what is decided of a loop that has ended", () => {
  it.each([
    ["an answer", [opening, text("Rain."), counts, done], "stop", "answer_complete"],
    ["an empty answer", [opening, counts, done], "modify_prompt", "empty_answer"],
    ["a limit", [opening, text("Ra"), counts, finish("token_limit_reached")], "continue", "cut_by_limit"],
    ["a refusal", [opening, text("I"), counts, finish("content_filtered")], "stop", "withheld"],
    ["an answer that broke off", [opening, text("Ra")], "continue", "interrupted"],
  ] as const)("after %s", async (_name, steps, action, rule) => {
    const { dialect, create } = modelOf("openai-chat");
    const { baseUrl } = await serve(dialect, steps);
    for (const model of [guard(create(baseUrl)).model, create(baseUrl)]) {
      const result = streamText({ model, prompt: "Weather?", onError: () => undefined });
      await result.consumeStream();
      const decision = decideLoop(await result.steps);
      expect(decision).toMatchObject({ suggestedAction: action, metadata: { rule } });
    }
  });

  it("says which bound was reached, and how far beyond it", async () => {
    const { model, tools } = await askForEver(other);
    const options = { limits: { maxTokens: 30 } };
    const { steps } = await generateText({ model, tools, prompt: "?", stopWhen: stopWhenDecided(options) });
    expect(decideLoop(steps, options)).toMatchObject({
      suggestedAction: "stop",
      metadata: { rule: "bound_reached", wanted: "run_tools", boundOn: "token_limit", bound: 30, taken: 39 },
    });
  });

  it("says how often the same calls were made", async () => {
    const { model, tools } = await askForEver(same);
    const { steps } = await generateText({ model, tools, prompt: "?", stopWhen: stopWhenDecided() });
    expect(decideLoop(steps)).toMatchObject({ metadata: { rule: "repetition", repetitions: 5 } });
  });
});
