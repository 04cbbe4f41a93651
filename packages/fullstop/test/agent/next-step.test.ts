import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createAgentRun, createRunState, defineAgentSettings, defineTool, nextStep } from "../../src/agent/index.ts";
import type { RunState } from "../../src/agent/index.ts";
import { closeState } from "../../src/agent/settle.ts";
import { CONTINUING_ACTIONS, definePolicy } from "../../src/decide/index.ts";
import type { SuggestedAction } from "../../src/decide/index.ts";
import { call, createScriptedEngine, finish, text, usage } from "../../src/testing/index.ts";
import { same } from "../support/same.ts";

const settings = defineAgentSettings();
const ACTIONS: readonly SuggestedAction[] = ["stop", ...CONTINUING_ACTIONS];

/** Freezes a value with everything in it. */
function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) freeze(part);
  }
  return value;
}

const anyText = fc.record({ type: fc.constant("text" as const), text: fc.string({ minLength: 1 }) });
const anyCall = fc.record({
  type: fc.constant("tool-call" as const),
  callId: fc.constantFrom("a", "b"),
  name: fc.constant("f"),
  json: fc.constant("{}"),
});
const anyAnswer = fc.record({
  content: fc.array(fc.oneof(anyText, anyCall), { maxLength: 4 }),
  cutCalls: fc.array(anyCall, { maxLength: 2 }),
  usage: fc.constant(undefined),
  signal: fc
    .constantFrom("natural_completion", "token_limit_reached", "cancelled")
    .map((reason) => finish(reason).signal),
  wasShown: fc.boolean(),
});
const anyState: fc.Arbitrary<RunState> = fc
  .record({ draft: fc.array(anyText, { maxLength: 2 }), retry: fc.nat(3) })
  .map(({ draft, retry }) => ({ ...createRunState([]), draft, attempts: { retry } }));
const anyDecision = fc.constantFrom(...ACTIONS).map((suggestedAction) => ({
  shouldContinue: suggestedAction !== "stop",
  reason: "because",
  suggestedAction,
  metadata: {},
}));

const textIn = (messages: readonly unknown[]): string =>
  [...JSON.stringify(messages).matchAll(/"text":(?<text>"(?:[^"\\]|\\.)*")/g)]
    .map((match) => JSON.parse(match.groups!["text"]!) as string)
    .join("");

describe("the next step", () => {
  it("follows from its input alone", () => {
    fc.assert(
      fc.property(anyState, anyAnswer, anyDecision, (state, answer, decision) => {
        freeze([state, answer, decision, settings]);
        same(nextStep(state, answer, decision, settings), nextStep(state, answer, decision, settings));
      }),
      { numRuns: 5_000 },
    );
  });

  it("keeps every word of an answer that is accepted, and of one that is to be completed", () => {
    fc.assert(
      fc.property(anyState, anyAnswer, anyDecision, (state, answer, decision) => {
        const step = nextStep(state, answer, decision, settings);
        const words = textIn([...state.draft, ...answer.content]);
        const answers = step.state.messages.filter(({ role }) => role === "assistant");
        if (step.type !== "generate") same(textIn(answers), words);
        else if (step.keep === undefined) same(textIn(step.state.draft), words);
        else same(step.state.messages, state.messages);
      }),
      { numRuns: 5_000 },
    );
  });

  it("never runs a call that was cut", () => {
    fc.assert(
      fc.property(anyState, anyAnswer, anyDecision, (state, answer, decision) => {
        const step = nextStep(state, answer, decision, settings);
        if (step.type !== "tools") return;
        same(
          step.calls,
          answer.content.filter(({ type }) => type === "tool-call"),
        );
        same(step.refused.length, answer.cutCalls.length);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a run that ends in the middle of an answer", () => {
  it("stays with the model that has taken over, for whatever is asked next", () => {
    const draft = [{ type: "text", text: "Half an ans" }] as const;
    expect(closeState({ ...createRunState([]), draft, model: "fallback" })).toMatchObject({
      messages: [{ role: "assistant", content: draft, isPartial: true }],
      model: "fallback",
    });
  });
});

describe("a long run", () => {
  it("of a thousand turns comes to its end", async () => {
    let turn = 0;
    const engine = createScriptedEngine(() => {
      turn += 1;
      const counts = usage(1, 1);
      if (turn > 1_000) return [text("done"), counts, finish()];
      return [...call(`c${turn}`, "step", { turn }), counts, finish("tool_calls")];
    });
    const step = defineTool({ name: "step", execute: (input) => JSON.stringify(input) });
    const run = createAgentRun({
      engine,
      request: { model: "m", messages: [] },
      tools: [step],
      policy: definePolicy({ bounds: { run_tools: 2_000 }, limits: { turns: 2_000 } }),
    });
    const result = await run.result();
    expect(result).toMatchObject({ end: "completed", text: "done", turns: 1_001 });
    expect(result.messages).toHaveLength(2_001);
  });

  it("is bounded by its policy", async () => {
    const engine = createScriptedEngine((request) => [
      ...call(`c${request.messages.length}`, "step", { at: request.messages.length }),
      usage(1, 1),
      finish("tool_calls"),
    ]);
    const step = defineTool({ name: "step", execute: (input) => JSON.stringify(input) });
    const result = await createAgentRun({ engine, request: { model: "m", messages: [] }, tools: [step] }).result();
    expect(result).toMatchObject({ end: "incomplete", turns: 101 });
    expect(result.decisions.at(-1)?.metadata).toMatchObject({
      rule: "bound_reached",
      boundOn: "run_tools",
      bound: 100,
    });
  });
});
