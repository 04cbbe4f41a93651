import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CONTINUING_ACTIONS, POLICIES, decide, definePolicy } from "../../src/decide/index.ts";
import type {
  DecisionContext,
  Strategy,
  SuggestedAction,
  TerminationDecision,
  TerminationPolicy,
} from "../../src/decide/index.ts";
import { createTerminationSignal, truncatedSignal } from "../../src/termination.ts";
import type { Confidence, TerminationReason, TerminationSignal } from "../../src/termination.ts";
import { contextOf } from "./contexts.ts";
import { REASONS } from "../support/reasons.ts";

const signalOf = (reason: TerminationReason, detail?: string): TerminationSignal =>
  createTerminationSignal({ reason, detail, originalField: "finish_reason", originalValue: "x" });

const DETAILS = [undefined, "truncated", "malformed_tool_call", "quota", "refusal", "characters", "a_new_kind"];

const anySignal: fc.Arbitrary<TerminationSignal> = fc
  .record({
    reason: fc.constantFrom(...REASONS),
    confidence: fc.constantFrom<Confidence>("high", "medium", "low"),
    detail: fc.constantFrom(...DETAILS),
    shouldTerminate: fc.boolean(),
  })
  .map((parts) => createTerminationSignal({ ...parts, originalField: "finish_reason", originalValue: "x" }));

const anyAnswer = fc.record({
  hasText: fc.boolean(),
  hasReasoning: fc.boolean(),
  completeCalls: fc.nat(2),
  cutCalls: fc.nat(2),
});

const anyContext: fc.Arbitrary<DecisionContext> = fc.record({
  answer: anyAnswer,
  wasShown: fc.boolean(),
  attempts: fc.dictionary(fc.constantFrom(...CONTINUING_ACTIONS), fc.nat(12)),
  hasOwnTokenLimit: fc.boolean(),
  isFullLength: fc.boolean(),
  isOnePiece: fc.boolean(),
  hasFallbackModel: fc.boolean(),
  conversation: fc.record({ turns: fc.nat(300), messages: fc.nat(300), totalTokens: fc.nat(10_000) }),
});

const anyPolicy: fc.Arbitrary<TerminationPolicy> = fc
  .record({
    preset: fc.constantFrom("chat", "agent", "batch"),
    bounds: fc.dictionary(fc.constantFrom(...CONTINUING_ACTIONS), fc.nat(5)),
    unknownErrorRetries: fc.nat(5),
    limits: fc.record({ turns: fc.constantFrom(null, 5, 100), totalTokens: fc.constantFrom(null, 1, 5000) }),
    strategies: fc.constantFrom<readonly Strategy[]>([], [() => always("retry")], [() => always("switch_model")]),
  })
  .map((options) => definePolicy(options));

function always(suggestedAction: SuggestedAction): TerminationDecision {
  return { shouldContinue: true, reason: "as the caller wishes", suggestedAction, metadata: {} };
}

/** Freezes a value and all it holds, so that a write to any of it throws. */
function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

describe("a decision", () => {
  it("is the same for the same input, which it leaves alone", () => {
    fc.assert(
      fc.property(anySignal, anyContext, anyPolicy, (signal, context, policy) => {
        const inputs = [deepFreeze(signal), deepFreeze(context), policy] as const;
        const before = JSON.stringify(inputs);
        expect(decide(...inputs)).toEqual(decide(...inputs));
        expect(JSON.stringify(inputs)).toBe(before);
      }),
    );
  });

  it("continues exactly when the action is not stop, and names a rule and a reason", () => {
    fc.assert(
      fc.property(anySignal, anyContext, anyPolicy, (signal, context, policy) => {
        const { shouldContinue, suggestedAction, reason, metadata } = decide(signal, context, policy);
        expect(shouldContinue).toBe(suggestedAction !== "stop");
        expect(reason).not.toBe("");
        expect(metadata["rule"]).toEqual(expect.any(String));
      }),
    );
  });

  it("is never an action whose bound is reached, nor any action beyond a limit of the conversation", () => {
    fc.assert(
      fc.property(anySignal, anyContext, anyPolicy, (signal, context, policy) => {
        const { suggestedAction: action } = decide(signal, context, policy);
        if (action === "stop") return;
        const { limits, bounds } = policy;
        const { turns, messages, totalTokens } = context.conversation;
        expect(context.attempts[action] ?? 0).toBeLessThan(bounds[action]);
        expect(turns).toBeLessThan(limits.turns ?? Infinity);
        expect(messages).toBeLessThan(limits.messages ?? Infinity);
        expect(totalTokens).toBeLessThan(limits.totalTokens ?? Infinity);
      }),
    );
  });

  it("never sends a request again that was refused, nor asks for the rest of a refusal, nor nudges", () => {
    fc.assert(
      fc.property(anySignal, anyContext, fc.constantFrom(...Object.values(POLICIES)), (signal, context, policy) => {
        const { suggestedAction } = decide({ ...signal, reason: "content_filtered" }, context, policy);
        expect(["stop", "switch_model"]).toContain(suggestedAction);
      }),
    );
  });

  it("never runs tools for an answer without calls, and never those of an answer that broke off", () => {
    fc.assert(
      fc.property(anySignal, anyContext, (signal, context) => {
        const { completeCalls, cutCalls } = context.answer;
        const { suggestedAction } = decide(signal, context);
        if (completeCalls + cutCalls === 0) expect(suggestedAction).not.toBe("run_tools");
        expect(decide(truncatedSignal(), context).suggestedAction).not.toBe("run_tools");
      }),
    );
  });

  it("comes to a stop within the sum of the bounds, whatever the model does", () => {
    const steps = fc.array(fc.tuple(anySignal, anyAnswer, fc.boolean()), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(steps, anyContext, anyPolicy, (script, start, policy) => {
        const most = Object.values(policy.bounds).reduce((sum, bound) => sum + bound, 0);
        const attempts: Partial<Record<SuggestedAction, number>> = {};
        for (let step = 0; step <= most; step++) {
          const [signal, answer, wasShown] = script[step % script.length]!;
          const conversation = { turns: 1, messages: 1, totalTokens: 0 };
          const { suggestedAction: action } = decide(
            signal,
            { ...start, answer, wasShown, attempts, conversation },
            policy,
          );
          if (action === "stop") return;
          attempts[action] = (attempts[action] ?? 0) + 1;
        }
        expect.fail(`still going after ${most} steps`);
      }),
    );
  });
});

describe("what a decision tells", () => {
  it("counts the calls to run and those that were cut", () => {
    const context = contextOf({ answer: { completeCalls: 2, cutCalls: 1 } });
    expect(decide(signalOf("token_limit_reached"), context).metadata).toEqual({
      rule: "calls_pending",
      completeCalls: 2,
      cutCalls: 1,
    });
  });

  it.each([signalOf("context_window_exceeded"), signalOf("error_termination", "context_window")])(
    "has a hint for a full context window ($reason)",
    (signal) => {
      expect(decide(signal, contextOf()).metadata).toEqual({
        rule: "context_full",
        hint: "shorten the conversation",
      });
    },
  );

  it("names the bound that was reached, what was taken and what was wanted", () => {
    expect(decide(signalOf("paused"), contextOf({ attempts: { resume: 10 } }))).toEqual({
      shouldContinue: false,
      suggestedAction: "stop",
      reason: "Stopped at the bound of 10 on resume, where resume was wanted",
      metadata: {
        rule: "bound_reached",
        wanted: "resume",
        wantedBy: "paused",
        boundOn: "resume",
        bound: 10,
        taken: 10,
      },
    });
  });

  it.each([
    { boundOn: "turns", limits: { turns: 7 }, bound: 7, taken: 9 },
    { boundOn: "messages", limits: { messages: 20 }, bound: 20, taken: 20 },
    { boundOn: "totalTokens", limits: { totalTokens: 500 }, bound: 500, taken: 512 },
  ])("names the limit on $boundOn that was reached", ({ boundOn, limits, bound, taken }) => {
    const context = contextOf({ conversation: { turns: 9, messages: 20, totalTokens: 512 } });
    const policy = definePolicy({ limits });
    expect(decide(signalOf("paused"), context, policy)).toMatchObject({
      suggestedAction: "stop",
      metadata: { rule: "bound_reached", wanted: "resume", boundOn, bound, taken },
    });
    expect(
      decide(signalOf("natural_completion"), contextOf({ ...context, answer: { hasText: true } }), policy),
    ).toEqual(decide(signalOf("natural_completion"), contextOf({ answer: { hasText: true } })));
  });

  it("notes that an answer was accepted in doubt", () => {
    const signal: TerminationSignal = { ...signalOf("natural_completion"), confidence: "low" };
    expect(decide(signal, contextOf({ answer: { hasText: true } })).metadata).toEqual({
      rule: "doubtful_ending",
      note: "the answer may be incomplete",
    });
  });

  it("tells a nudge what was wrong", () => {
    const rule = (signal: TerminationSignal, context: DecisionContext): unknown =>
      decide(signal, context).metadata["rule"];
    expect(rule(signalOf("natural_completion"), contextOf())).toBe("empty_answer");
    expect(rule(signalOf("natural_completion"), contextOf({ answer: { hasReasoning: true } }))).toBe("only_thinking");
    expect(rule(signalOf("tool_calls"), contextOf({ answer: { hasText: true } }))).toBe("calls_missing");
    expect(rule(signalOf("unknown"), contextOf({ answer: { cutCalls: 1 } }))).toBe("malformed_call");
    expect(decide(signalOf("error_termination", "unexpected_tool_call"), contextOf()).metadata).toEqual({
      rule: "malformed_call",
      detail: "unexpected_tool_call",
    });
  });
});

describe("a strategy", () => {
  const natural = signalOf("natural_completion");
  const withText = contextOf({ answer: { hasText: true } });

  it("sees the signal, the context and the proposal, and may leave it as it is", () => {
    const seen: unknown[] = [];
    const strategy: Strategy = (...inputs) => void seen.push(inputs);
    const decision = decide(natural, withText, definePolicy({ strategies: [strategy] }));
    expect(decision).toEqual(decide(natural, withText));
    expect(seen).toEqual([[natural, withText, decision]]);
  });

  it("may replace the proposal, and the next strategy sees the replacement", () => {
    const seen: unknown[] = [];
    const strategies: readonly Strategy[] = [
      () => always("modify_prompt"),
      (_, __, proposed) => void seen.push(proposed.suggestedAction),
    ];
    expect(decide(natural, withText, definePolicy({ strategies }))).toEqual({
      shouldContinue: true,
      suggestedAction: "modify_prompt",
      reason: "as the caller wishes",
      metadata: { rule: "strategy" },
    });
    expect(seen).toEqual(["modify_prompt"]);
  });

  it("is held to the bounds", () => {
    const policy = definePolicy({ strategies: [() => always("retry")] });
    const context = contextOf({ attempts: { retry: 2 } });
    expect(decide(natural, context, policy)).toMatchObject({
      shouldContinue: false,
      suggestedAction: "stop",
      metadata: { wanted: "retry", wantedBy: "strategy", boundOn: "retry", bound: 2, taken: 2 },
    });
  });

  it("sees that a bound was reached and may do something else instead", () => {
    const strategy: Strategy = (_, context, proposed) =>
      proposed.metadata["wanted"] === "retry" && context.hasFallbackModel ? always("switch_model") : undefined;
    const policy = definePolicy({ strategies: [strategy] });
    const context = contextOf({ attempts: { retry: 2 }, hasFallbackModel: true });
    expect(decide(truncatedSignal(), context, policy).suggestedAction).toBe("switch_model");
  });

  it("cannot say that a stop goes on", () => {
    const policy = definePolicy({ strategies: [() => ({ ...always("stop"), shouldContinue: true })] });
    expect(decide(natural, withText, policy).shouldContinue).toBe(false);
  });

  it.each([null, {}, "stop", { suggestedAction: "again", reason: "", metadata: {} }, { suggestedAction: "stop" }])(
    "is refused when it returns %j",
    (returned) => {
      const policy = definePolicy({ strategies: [() => returned as unknown as TerminationDecision] });
      const quoted = JSON.stringify(returned);
      expect(() => decide(natural, withText, policy)).toThrow(
        `what a strategy returns must be a decision or undefined, got ${quoted}`,
      );
    },
  );
});

describe("bad input is refused at the door, with the value quoted", () => {
  it("a signal that is none", () => {
    const signal = { reason: "finished" } as unknown as TerminationSignal;
    expect(() => decide(signal, contextOf())).toThrow('signal must be a termination signal, got {"reason":"finished"}');
  });

  it.each([
    { context: null, message: "context must be an object, got null" },
    { context: {}, message: "context answer must be an object, got undefined" },
    { context: { ...contextOf(), shown: true }, message: 'got "shown"' },
    { context: { ...contextOf(), wasShown: 1 }, message: "context wasShown must be true or false, got 1" },
    {
      context: { ...contextOf(), hasFallbackModel: undefined },
      message: "context hasFallbackModel must be true or false, got undefined",
    },
    {
      context: contextOf({ answer: { cutCalls: -1 } }),
      message: "context answer cutCalls must be a whole number of at least 0, got -1",
    },
    { context: contextOf({ attempts: { retry: Number.NaN } }), message: "context attempts retry must be a whole" },
    { context: { ...contextOf(), attempts: { retries: 1 } }, message: 'got "retries"' },
    { context: { ...contextOf(), attempts: undefined }, message: "context attempts must be an object" },
    {
      context: { ...contextOf(), conversation: { turns: 1, messages: 1 } },
      message: "context conversation totalTokens must be a whole number of at least 0, got NaN",
    },
  ])("a context: $message", ({ context, message }) => {
    expect(() => decide(signalOf("paused"), context as DecisionContext)).toThrow(message);
  });

  it("and a policy put together by hand that lacks a bound allows nothing", () => {
    const policy = { ...POLICIES.agent, bounds: {} } as unknown as TerminationPolicy;
    expect(decide(signalOf("paused"), contextOf(), policy).suggestedAction).toBe("stop");
  });
});
