import { describe, expect, it } from "vitest";
import { createAgentRun, createClient } from "../../src/agent/index.ts";
import { LEAST_REPLAY } from "../../src/agent/replay.ts";
import type { Engine, GenerationEvent } from "../../src/index.ts";
import { defineGuard, runGeneration } from "../../src/index.ts";
import { createScriptedEngine, finish, reasoning, text } from "../../src/testing/index.ts";
import { show } from "../support/viewer.ts";

const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: "Letters?" }] }];
const cut = finish("token_limit_reached");
const first = "alpha beta gamma delta epsilon zeta eta theta ";
const second = "iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi omega";

/** An engine that applies the limit to each of its answers, as engines do. */
function createEngine(answers: readonly (readonly GenerationEvent[])[], maxCharacters: number): Engine {
  const script = createScriptedEngine(answers);
  return {
    generate: (request, signal) => runGeneration(script.generate(request, signal), defineGuard({ maxCharacters })),
  };
}

describe("a limit on the characters of an answer", () => {
  it.each([
    { name: "goes on where it was cut", rest: second },
    { name: "repeats its end first", rest: `eta theta ${second}` },
  ])("holds for all of it where the rest $name", async ({ rest }) => {
    const answers = [
      [text(first), cut],
      [text(rest), finish()],
    ];
    const engine = createEngine(answers, 90);
    const request = { model: "m", messages, maxOutputTokens: 20, rules: { maxCharacters: 90 } };
    const result = await createClient({ providers: { engine } }).chat(request);
    expect(result.text).toBe((first + second).slice(0, 90));
    expect(result.signals.at(-1)).toMatchObject({ reason: "token_limit_reached", detail: "characters" });
    expect(result.decisions.at(-1)?.metadata["rule"]).toBe("length_as_set");
    expect(result.turns).toBe(2);
  });

  it.each([first.length, first.length - 3])(
    "is reached at %i characters by an answer that another limit has cut, so its rest is not asked for",
    async (maxCharacters) => {
      const engine = createScriptedEngine([[text(first), cut]]);
      const request = { model: "m", messages, rules: { maxCharacters } };
      const result = await createAgentRun({ engine, request }).result();
      expect(result).toMatchObject({ text: first, turns: 1 });
      expect(result.decisions[0]?.metadata["rule"]).toBe("length_as_set");
    },
  );

  it("holds for all of it where the provider paused amid it", async () => {
    const answers = [
      [text(first), finish("paused")],
      [text(second), finish()],
    ];
    const engine = createEngine(answers, 90);
    const result = await createClient({ providers: { engine } }).chat({
      model: "m",
      messages,
      rules: { maxCharacters: 90 },
    });
    expect(result.text).toBe((first + second).slice(0, 90));
  });

  it("leaves an answer alone that is as long in all as it may be", async () => {
    const answers = [
      [text(first), cut],
      [text(second), finish()],
    ];
    const most = first.length + second.length + 1;
    const engine = createEngine(answers, most);
    const request = { model: "m", messages, maxOutputTokens: 20, rules: { maxCharacters: most } };
    expect(await createClient({ providers: { engine } }).chat(request)).toMatchObject({
      end: "completed",
      text: first + second,
    });
  });

  it("counts another version of the answer from where it is another", async () => {
    const same = Array.from({ length: LEAST_REPLAY }, (_, index) => String.fromCodePoint(0x4e00 + index)).join("");
    const answers = [
      [text(`${same}old end`), cut],
      [text(`${same}new `), text("end and more"), finish()],
    ];
    const most = LEAST_REPLAY + 10;
    const rules = { maxCharacters: most };
    const request = { model: "m", messages, maxOutputTokens: 20, rules };
    const run = createAgentRun({ engine: createEngine(answers, 5_000), request });
    let shown = "";
    for await (const event of run) shown = show(shown, event);
    expect(shown).toBe(`${same}new end an`.slice(0, most));
    expect((await run.result()).text).toBe(shown);
  });
});

describe("a limit on the tokens of an answer that a guard in the stage has", () => {
  it.each([
    { name: "text", events: [text("a "), text("b "), text("c "), finish()], actions: ["continue", "stop"] },
    { name: "thinking", events: [reasoning("a "), reasoning("b "), finish()], actions: ["stop"] },
  ])("is the caller's, so no larger one is asked for: $name", async ({ events, actions }) => {
    const engine = createScriptedEngine([events, [text("c"), finish()]]);
    const request = { model: "m", messages };
    const result = await createAgentRun({ engine, request, stage: defineGuard({ maxTokens: 2 }) }).result();
    expect(result.decisions.map(({ suggestedAction }) => suggestedAction)).toEqual(actions);
    expect(engine.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual(actions.map(() => undefined));
  });
});
