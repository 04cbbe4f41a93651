import { checkCount, checkNames } from "../check.ts";
import { invalidArgument } from "../errors.ts";
import { CONTINUING_ACTIONS } from "./decision.ts";
import type { ContinuingAction, Strategy } from "./decision.ts";

/** How often each action may be taken before an answer has to be accepted as it is; 0 forbids an action. */
export type ActionBounds = Readonly<Record<ContinuingAction, number>>;

/** How far a conversation may go before nothing is continued any more; null is no limit. */
export interface ConversationLimits {
  /** Answers of the model, those that were dropped included. */
  readonly turns: number | null;
  readonly messages: number | null;
  /** Tokens of all requests and answers together. */
  readonly totalTokens: number | null;
}

/** What may be done without asking anybody, and how often. All of it is plain data, but for the strategies. */
export interface TerminationPolicy {
  readonly bounds: ActionBounds;
  /** How often an error of a kind that nobody knows is retried; `bounds.retry` holds as well. */
  readonly unknownErrorRetries: number;
  readonly limits: ConversationLimits;
  /** Rules of the caller's own, asked in this order after the built-in ones. */
  readonly strategies: readonly Strategy[];
}

/** The names of the policies that come with the library. */
export type PolicyName = "chat" | "agent" | "batch";

const CHAT_BOUNDS: ActionBounds = {
  run_tools: 10,
  continue: 3,
  increase_budget: 1,
  retry: 2,
  modify_prompt: 2,
  resume: 10,
  switch_model: 1,
};

/**
 * The policies that come with the library.
 *
 * - `chat`: somebody reads along, and the conversation may go on for years.
 * - `agent`: a task of many steps, which has to end at some point.
 * - `batch`: many independent requests that nobody watches. Each is asked of one model in the same words, or their
 *   results could not be compared: no nudges and no other model. Nobody waits, so failures are retried more often.
 */
export const POLICIES: Readonly<Record<PolicyName, TerminationPolicy>> = Object.freeze({
  chat: freezePolicy({
    bounds: CHAT_BOUNDS,
    unknownErrorRetries: 1,
    limits: { turns: null, messages: null, totalTokens: null },
    strategies: [],
  }),
  agent: freezePolicy({
    bounds: { ...CHAT_BOUNDS, run_tools: 100 },
    unknownErrorRetries: 1,
    limits: { turns: 200, messages: null, totalTokens: null },
    strategies: [],
  }),
  batch: freezePolicy({
    bounds: { ...CHAT_BOUNDS, run_tools: 20, retry: 4, modify_prompt: 0, switch_model: 0 },
    unknownErrorRetries: 1,
    limits: { turns: 50, messages: null, totalTokens: null },
    strategies: [],
  }),
});

/** What {@link definePolicy} takes. What is left out is as in the preset. */
export interface PolicyOptions {
  /** Default `"agent"`. */
  readonly preset?: PolicyName | undefined;
  readonly bounds?: { readonly [Action in ContinuingAction]?: number | undefined } | undefined;
  readonly unknownErrorRetries?: number | undefined;
  /** null lifts a limit of the preset. */
  readonly limits?: { readonly [Limit in keyof ConversationLimits]?: number | null | undefined } | undefined;
  readonly strategies?: readonly Strategy[] | undefined;
}

const OPTIONS = {
  preset: true,
  bounds: true,
  unknownErrorRetries: true,
  limits: true,
  strategies: true,
} as const satisfies Record<keyof PolicyOptions, true>;

/** Every limit of a conversation, in the order in which they are looked at. */
export const CONVERSATION_LIMITS: readonly (keyof ConversationLimits)[] = ["turns", "messages", "totalTokens"];

/** Checks a policy and fills in what is left out. Bad options are refused here, before anything is decided. */
export function definePolicy(options: PolicyOptions = {}): TerminationPolicy {
  checkNames("policy", options, OPTIONS);
  const { preset = "agent", bounds = {}, limits = {}, unknownErrorRetries, strategies } = options;
  if (typeof preset !== "string" || !Object.hasOwn(POLICIES, preset)) {
    throw invalidArgument("preset", `must be one of ${Object.keys(POLICIES).join(", ")}`, preset);
  }
  const base = POLICIES[preset];
  checkNames("bounds", bounds, namesOf(CONTINUING_ACTIONS));
  checkNames("limits", limits, namesOf(CONVERSATION_LIMITS));
  for (const action of CONTINUING_ACTIONS) checkCount(`bounds ${action}`, bounds[action], 0);
  for (const name of CONVERSATION_LIMITS) checkCount(`limits ${name}`, limits[name] ?? undefined, 1);
  checkCount("unknownErrorRetries", unknownErrorRetries, 0);
  checkStrategies(strategies);
  return freezePolicy({
    bounds: { ...base.bounds, ...given(bounds) },
    unknownErrorRetries: unknownErrorRetries ?? base.unknownErrorRetries,
    limits: { ...base.limits, ...given(limits) },
    strategies: [...(strategies ?? base.strategies)],
  });
}

/** Refuses what is no policy, such as the name of one. */
export function checkPolicy(policy: TerminationPolicy): void {
  if (typeof policy === "object" && policy !== null && "bounds" in policy && "strategies" in policy) return;
  throw invalidArgument("policy", "must be made by definePolicy or be one of POLICIES, such as POLICIES.chat", policy);
}

function checkStrategies(strategies: unknown): void {
  if (strategies === undefined) return;
  if (!Array.isArray(strategies)) throw invalidArgument("strategies", "must be a list", strategies);
  const list: readonly unknown[] = strategies;
  for (const strategy of list) {
    if (typeof strategy !== "function") throw invalidArgument("strategies", "must hold functions", strategy);
  }
}

/** Options that are set; one that is present but undefined must not replace a default. */
function given<T>(options: Readonly<Record<string, T | undefined>>): Readonly<Record<string, T>> {
  const set: Record<string, T> = {};
  for (const [name, value] of Object.entries(options)) if (value !== undefined) set[name] = value;
  return set;
}

function namesOf(names: readonly string[]): Readonly<Record<string, true>> {
  return Object.fromEntries(names.map((name) => [name, true] as const));
}

/** A policy is shared between runs, so nobody may change it under another one's feet. */
function freezePolicy(policy: TerminationPolicy): TerminationPolicy {
  for (const part of [policy.bounds, policy.limits, policy.strategies]) Object.freeze(part);
  return Object.freeze(policy);
}
