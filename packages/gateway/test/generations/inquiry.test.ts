import type { GenerationRequest } from "fullstop";
import { createGate, finish, reasoning, start, text, usage } from "fullstop/testing";
import { describe, expect, it } from "vitest";
import type { LiveGeneration } from "../../src/generations/live-generation.ts";
import { startWith, targetOf } from "../support/generations.ts";

const isThoughtless = ({ reasoning: wish }: GenerationRequest): boolean => wish?.effort === "none";

const skip = (generation: LiveGeneration): Promise<boolean> =>
  generation.carryOut({ mode: "skip-thinking", reason: "user" });

describe("a model that fails while it is told to leave its thinking", () => {
  it.each([true, false])("has whoever is asked instead leave it, whatever comes of the order: %s", async (isTold) => {
    const [failing, thinking] = [createGate(), createGate()];
    const control = {
      async endThinking(): Promise<boolean> {
        failing.open();
        await thinking.reached;
        return isTold;
      },
    };
    const first = targetOf(() => [start(), failing.pass, finish("error_termination")], { control });
    const second = targetOf((request) =>
      isThoughtless(request) ? [text("42"), finish()] : [reasoning("Hm"), thinking.pass, finish()],
    );
    const generation = await startWith([first, second]);
    await failing.reached;
    expect(await skip(generation)).toBe(true);
    expect(await generation.ended).toMatchObject({ reason: "natural_completion", skippedThinking: true });
    const events = (await generation.read()).filter(({ type }) => type !== "usage");
    expect(events.slice(1, -1)).toEqual([reasoning("Hm"), { type: "reasoning", text: "", skipped: true }, text("42")]);
    thinking.open();
  });

  it("has left nothing where nobody is asked instead", async () => {
    const [failing, ended] = [createGate(), createGate()];
    const control = {
      async endThinking(): Promise<boolean> {
        failing.open();
        await ended.pass();
        return true;
      },
    };
    const generation = await startWith([
      targetOf(() => [start(), failing.pass, finish("error_termination")], { control }),
    ]);
    void generation.ended.then(() => ended.open());
    await failing.reached;
    expect(await skip(generation)).toBe(false);
    expect(await generation.ended).not.toHaveProperty("skippedThinking");
  });
});

describe("answers that were given up", () => {
  it("cost their prompts, each of them", async () => {
    const gates = [createGate(), createGate()] as const;
    const first = targetOf((request) => (isThoughtless(request) ? [finish("error_termination")] : [gates[0].pass]));
    let asked = 0;
    const second = targetOf(() => {
      asked += 1;
      return asked === 1 ? [gates[1].pass] : [text("42"), usage(1000, 1), finish()];
    });
    const generation = await startWith([first, second]);
    for (const gate of gates) {
      await gate.reached;
      expect(await skip(generation)).toBe(true);
    }
    await generation.ended;
    const counted = (await generation.read()).findLast(({ type }) => type === "usage");
    expect(counted).toEqual({ type: "usage", usage: { inputTokens: 3000, outputTokens: 1, estimated: true } });
    for (const gate of gates) gate.open();
  });
});
