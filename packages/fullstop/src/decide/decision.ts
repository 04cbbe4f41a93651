import type { TerminationSignal } from "../termination.ts";

/**
 * What to do after an answer has ended.
 *
 * - `stop`: nothing more; the answer is final, or nothing helps.
 * - `run_tools`: run the calls that are whole, and answer those that were cut with an error.
 * - `continue`: keep what came and ask for the rest of it.
 * - `increase_budget`: drop what came and ask again with a larger output limit.
 * - `retry`: drop what came and send the same request once more.
 * - `modify_prompt`: drop what came and ask again with a nudge that says what was wrong.
 * - `resume`: send the turn back as it stands, with no new message.
 * - `switch_model`: drop what came and send the request to the fallback model.
 */
export type SuggestedAction =
  | "stop"
  | "run_tools"
  | "continue"
  | "increase_budget"
  | "retry"
  | "modify_prompt"
  | "resume"
  | "switch_model";

/** An action after which the model is asked again, and which therefore has a bound. */
export type ContinuingAction = Exclude<SuggestedAction, "stop">;

/** Keyed by action so that one added to the union without an entry here does not compile. */
const CONTINUING: Readonly<Record<ContinuingAction, true>> = {
  run_tools: true,
  continue: true,
  increase_budget: true,
  retry: true,
  modify_prompt: true,
  resume: true,
  switch_model: true,
};

/** Whether a value from outside is an action after which the model is asked again. */
export function isContinuingAction(value: unknown): value is ContinuingAction {
  return typeof value === "string" && Object.hasOwn(CONTINUING, value);
}

/** Whether a value from outside is an action. */
export function isAction(value: unknown): value is SuggestedAction {
  return value === "stop" || isContinuingAction(value);
}

/** Every action after which the model is asked again, in the order in which documentation and tables list them. */
export const CONTINUING_ACTIONS: readonly ContinuingAction[] = Object.keys(CONTINUING).filter(isContinuingAction);

/** The built-in rules by name; every decision of theirs carries the name as `metadata.rule`. */
export type BuiltInRule =
  | "answer_complete"
  | "calls_pending"
  | "calls_missing"
  | "empty_answer"
  | "only_thinking"
  | "nothing_asked"
  | "cut_by_limit"
  | "cut_while_thinking"
  | "length_as_set"
  | "context_full"
  | "withheld"
  | "paused"
  | "repetition"
  | "budget_spent"
  | "cancelled"
  | "malformed_call"
  | "interrupted"
  | "unknown_error"
  | "final_error"
  | "doubtful_ending"
  | "in_progress"
  | "bound_reached";

/** What has to be known beside the signal to decide what comes next. */
export interface DecisionContext {
  /** What of the answer has come. */
  readonly answer: {
    readonly hasText: boolean;
    readonly hasReasoning: boolean;
    /** Calls whose arguments are whole. */
    readonly completeCalls: number;
    /** Calls that were cut. They are never run. */
    readonly cutCalls: number;
  };
  /** Whether a viewer has seen anything of this answer. */
  readonly wasShown: boolean;
  /** How often each action was taken since the last answer that was simply accepted. */
  readonly attempts: Readonly<Partial<Record<SuggestedAction, number>>>;
  /** Whether the caller set the output limit itself, so that it must not be raised. */
  readonly hasOwnTokenLimit: boolean;
  /** Whether the text is as long as the caller allows: more of it is not asked for. Default false. */
  readonly isFullLength?: boolean | undefined;
  /** Whether an answer is of use only as one piece, as JSON is: the rest of it is not asked for. Default false. */
  readonly isOnePiece?: boolean | undefined;
  readonly hasFallbackModel: boolean;
  /** How far the conversation has come, this answer included. */
  readonly conversation: { readonly turns: number; readonly messages: number; readonly totalTokens: number };
}

/** What to do next, and why. */
export interface TerminationDecision {
  /** Whether the model is to be asked again: false exactly for the action `stop`. */
  readonly shouldContinue: boolean;
  /** One sentence for people and logs. */
  readonly reason: string;
  readonly suggestedAction: SuggestedAction;
  /** `rule` names the rule that decided; what else there is depends on the rule. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * A rule of the caller's own. It sees the decision as it stands and may return another one; undefined leaves it as it
 * is. The bounds of the policy hold for what it returns.
 */
export type Strategy = (
  signal: TerminationSignal,
  context: DecisionContext,
  proposed: TerminationDecision,
) => TerminationDecision | undefined;

/** Builds the decision of a built-in rule. */
export function createDecision(
  suggestedAction: SuggestedAction,
  rule: BuiltInRule,
  reason: string,
  metadata: Readonly<Record<string, unknown>> = {},
): TerminationDecision {
  return { shouldContinue: suggestedAction !== "stop", reason, suggestedAction, metadata: { ...metadata, rule } };
}
