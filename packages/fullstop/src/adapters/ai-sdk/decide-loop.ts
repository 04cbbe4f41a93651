import { createCallWatch } from "../../agent/call-cycles.ts";
import type { CallVerdict, CallWatchOptions } from "../../agent/call-cycles.ts";
import { checkRunLimits, reachedLimit } from "../../agent/limits.ts";
import type { ReachedLimit, RunLimits, Spent } from "../../agent/limits.ts";
import { judgeRound } from "../../agent/round-judge.ts";
import { checkNames } from "../../check.ts";
import { boundReached } from "../../decide/bounds.ts";
import { decide } from "../../decide/decide.ts";
import { createDecision } from "../../decide/decision.ts";
import type { TerminationDecision } from "../../decide/decision.ts";
import { POLICIES } from "../../decide/policy.ts";
import type { TerminationPolicy } from "../../decide/policy.ts";
import { invalidArgument } from "../../errors.ts";
import { contextOfSteps, ownCalls, roundOf, signalOfStep, usageOfSteps } from "./loop-step.ts";
import type { LoopStep } from "./loop-step.ts";

/** When a loop of steps ends. */
export interface LoopOptions {
  /** What may be done, and how often. Default: the policy for agents. */
  readonly policy?: TerminationPolicy | undefined;
  /** What all steps may use up together. */
  readonly limits?: RunLimits | undefined;
  /** When the same calls with the same results are a loop; false for never. Default: at the fifth time. */
  readonly repeatedCalls?: CallWatchOptions | false | undefined;
}

/** A condition for the SDK's `stopWhen`. */
export type LoopStopCondition = (options: { readonly steps: readonly LoopStep[] }) => boolean;

/**
 * Decides what to do after the last of some steps: by how it ended, by what all of them have used up, and by whether the
 * model makes the same calls over and over. Give it the `steps` of a result to learn why a loop ended, and what is left
 * to do.
 */
export function decideLoop(steps: readonly LoopStep[], options: LoopOptions = {}): TerminationDecision {
  return createLoopJudge(options)(steps);
}

/**
 * A condition for `stopWhen` by which a loop ends as `decideLoop` says. The SDK asks only while it could go on, that is
 * after all calls of a step have their results.
 *
 * ```ts
 * await generateText({ model, tools, prompt, stopWhen: stopWhenDecided({ limits: { maxTurns: 20, maxTokens: 100_000 } }) });
 * ```
 */
export function stopWhenDecided(options: LoopOptions = {}): LoopStopCondition {
  const judge = createLoopJudge(options);
  return ({ steps }) => !judge(steps).shouldContinue;
}

/** A condition for `stopWhen`: all steps together have used up one of these limits. */
export function stopWhenSpent(limits: RunLimits): LoopStopCondition {
  checkRunLimits(limits);
  return ({ steps }) => reachedLimit(limits, spentBy(steps)) !== undefined;
}

/**
 * A condition for `stopWhen`: the model makes the same calls and gets the same results over and over, by default for the
 * fifth time. Polling whose results change is no loop.
 */
export function stopWhenCallsRepeat(options: CallWatchOptions = {}): LoopStopCondition {
  createCallWatch(options);
  return ({ steps }) => judgeRounds(steps, options).verdict === "halt";
}

const OPTIONS = { policy: true, limits: true, repeatedCalls: true } as const satisfies Record<keyof LoopOptions, true>;

function createLoopJudge(options: LoopOptions): (steps: readonly LoopStep[]) => TerminationDecision {
  checkNames("loop", options, OPTIONS);
  const { policy = POLICIES.agent, limits = {}, repeatedCalls = {} } = options;
  checkRunLimits(limits);
  if (repeatedCalls !== false) createCallWatch(repeatedCalls);
  return (steps) => {
    const last = steps.at(-1);
    if (last === undefined) throw invalidArgument("steps", "must hold at least one step", steps);
    const decision = decide(signalOfStep(last), contextOfSteps(steps, last), policy);
    if (!decision.shouldContinue) return decision;
    const spent = spentBy(steps);
    const reached = reachedLimit(limits, spent);
    if (reached !== undefined) return boundReached(decision, { name: reached, ...AMOUNTS[reached](limits, spent) });
    if (repeatedCalls === false) return decision;
    const { verdict, repetitions } = judgeRounds(steps, repeatedCalls);
    if (verdict !== "halt") return decision;
    return createDecision("stop", "repetition", "The model makes the same calls over and over", { repetitions });
  };
}

interface Judgement {
  readonly verdict: CallVerdict;
  readonly repetitions: number;
}

/** Looks at all calls again each time: a condition serves any number of loops, and nobody tells it which one it is in. */
function judgeRounds(steps: readonly LoopStep[], options: CallWatchOptions): Judgement {
  const watch = createCallWatch(options);
  let verdict: CallVerdict = "fine";
  for (const step of steps) {
    const { calls, results } = roundOf(step);
    verdict = judgeRound(watch, calls, results);
  }
  return { verdict, repetitions: watch.repetitions };
}

function spentBy(steps: readonly LoopStep[]): Spent {
  let toolCalls = 0;
  let milliseconds = 0;
  for (const step of steps) {
    toolCalls += ownCalls(step).length;
    milliseconds += step.performance.stepTimeMs;
  }
  return { turns: steps.length, toolCalls, milliseconds, usage: usageOfSteps(steps) };
}

type Amounts = (limits: RunLimits, spent: Spent) => { readonly bound: number; readonly taken: number };

/** Where each limit is, and how much of it was taken. */
const AMOUNTS: Readonly<Record<ReachedLimit, Amounts>> = {
  turn_limit: ({ maxTurns = 0 }, { turns }) => ({ bound: maxTurns, taken: turns }),
  token_limit: ({ maxTokens = 0 }, { usage }) => ({ bound: maxTokens, taken: usage.inputTokens + usage.outputTokens }),
  tool_call_limit: ({ maxToolCalls = 0 }, { toolCalls }) => ({ bound: maxToolCalls, taken: toolCalls }),
  time_limit: ({ maxMilliseconds = 0 }, { milliseconds }) => ({ bound: maxMilliseconds, taken: milliseconds }),
  cost_limit: ({ maxCost }, { usage }) => ({ bound: maxCost?.limit ?? 0, taken: maxCost?.price(usage) ?? 0 }),
};
