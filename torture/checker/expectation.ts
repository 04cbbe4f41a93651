import type { Observation } from "../observation.ts";
import type { Piece } from "../plan/content.ts";
import { FAILURES, REFUSALS } from "../plan/kinds.ts";
import { orderReasonOf } from "../plan/plan.ts";
import type { Plan } from "../plan/plan.ts";
import { REPLACEMENT } from "../provider/break.ts";
import { endingWordOf } from "../provider/endings.ts";
import { badPieceOf } from "../provider/provider.ts";
import type { Answer } from "./answer.ts";
import { outcomeOf } from "./reference.ts";
import type { Outcome } from "./reference.ts";

/** An ending that a generation may have. */
export interface ExpectedEnding {
  readonly reason: string;
  /** Undefined where any will do. */
  readonly detail?: string | undefined;
  readonly originalValue?: string | undefined;
  /** Whether everything has to be there that the reference says, or only the beginning of it. */
  readonly isExact: boolean;
}

/** What has to come of a generation. */
export interface Expectation {
  readonly outcome: Outcome;
  readonly endings: readonly ExpectedEnding[];
}

/** How long a run of a line is when it counts as a loop for certain, and how long it is at least. */
const LOOP = { least: 250, most: 700 } as const;

/** Works out what has to come of a generation, from its plan and from what has happened to it. */
export function expectationOf(observation: Observation, isSkipped: boolean): Expectation {
  const { plan, exchanges } = observation;
  const isStream = exchanges[0]?.isStream ?? true;
  const fails = !isSkipped && FAILURES.has(plan.fault);
  const pieces = deliveredOf(plan, isStream, isSkipped);
  const outcome = outcomeOf(pieces, plan.rules);
  return { outcome, endings: [...interruptionsOf(observation), ...ordinaryEndings(plan, outcome, fails)] };
}

/** The pieces that a provider has sent as a whole, when nobody hangs up on it. */
function deliveredOf(plan: Plan, isStream: boolean, isSkipped: boolean): readonly Piece[] {
  const { fault, pieces, faultAt } = plan;
  if (isSkipped) return pieces.filter(({ channel }) => channel !== "reasoning");
  if (REFUSALS.has(fault)) return [];
  if (FAILURES.has(fault)) return isStream ? [...pieces.slice(0, faultAt), ...openedBy(plan)] : [];
  if (fault !== "bad-utf8" || !isStream) return pieces;
  const bad = badPieceOf(pieces);
  const piece = pieces[bad];
  return piece === undefined ? pieces : pieces.with(bad, { ...piece, text: REPLACEMENT + piece.text });
}

/** A call whose first frame came before the one that was cut: some dialects open a call in a frame of its own. */
function openedBy({ fault, provider, pieces, faultAt }: Plan): readonly Piece[] {
  const next = pieces[faultAt];
  const opensFirst = provider === "anthropic-messages" || provider === "openai-responses";
  if (fault !== "cut" || !opensFirst || next?.channel !== "call" || !next.isFirst) return [];
  return [{ ...next, text: "", isLast: false }];
}

/** The endings that an answer comes to by itself. */
function ordinaryEndings(plan: Plan, outcome: Outcome, fails: boolean): readonly ExpectedEnding[] {
  const { fault, ending, rules } = plan;
  const failure: readonly ExpectedEnding[] = [
    { reason: "error_termination", detail: detailOf(plan), isExact: fault !== "reset" },
  ];
  const byRule = ruleEnding(outcome);
  const loopAt = rules.repetition && fault === "repetition" ? loopOf(outcome) : undefined;
  if (loopAt !== undefined && (byRule === undefined || outcome.at > loopAt + LOOP.least)) {
    const isCertain = byRule === undefined || outcome.at > loopAt + LOOP.most;
    return [{ reason: "repetition_detected", isExact: false }, ...(isCertain ? [] : [byRule])];
  }
  // A reset takes what was on its way, perhaps also what would have ended it.
  if (byRule !== undefined) return fault === "reset" && fails ? [byRule, ...failure] : [byRule];
  if (fails) return failure;
  const originalValue = endingWordOf(plan);
  const hasCalls = outcome.calls.length > 0;
  const reasons = { natural: hasCalls ? "tool_calls" : "natural_completion", length: "token_limit_reached" };
  const others = { filter: "content_filtered", strange: "unknown" };
  return [{ reason: { ...reasons, ...others }[ending], originalValue, isExact: true }];
}

function ruleEnding({ rule, stopSequence }: Outcome): ExpectedEnding | undefined {
  if (rule === undefined) return undefined;
  if (rule === "stop_sequence") return { reason: rule, originalValue: stopSequence, isExact: true };
  return { reason: "token_limit_reached", detail: "characters", isExact: true };
}

/** What is known of a failure beyond that it is one. */
function detailOf({ fault }: Plan): string | undefined {
  return fault === "close" ? "truncated" : undefined;
}

/** Where the loop of a text begins. */
function loopOf({ most }: Outcome): number | undefined {
  const at = most.text.indexOf("The very same line");
  return at < 0 ? undefined : at;
}

/** The endings that come from elsewhere, in the middle of an answer. */
function interruptionsOf({ plan, orders, houseFault }: Observation): readonly ExpectedEnding[] {
  const isOrdered = orders.some(({ mode, who, isLate }) => mode !== "skip-thinking" && who === "alice" && !isLate);
  const leaves = plan.conduct === "leave" || plan.conduct === "leave-early";
  return [
    ...(isOrdered ? [cancelled(orderReasonOf(plan))] : []),
    // A client whose gateway goes away is gone, too.
    ...((leaves || houseFault !== undefined) && plan.rules.onDisconnect === "stop" ? [cancelled("disconnect")] : []),
    ...(plan.rules.maxMilliseconds === undefined
      ? []
      : [{ reason: "budget_exceeded", detail: "deadline", isExact: false } as const]),
    ...(houseFault === "restart" ? [cancelled("shutdown")] : []),
    ...(houseFault === "kill" ? [{ reason: "error_termination", detail: "owner_lost", isExact: false } as const] : []),
  ];
}

const cancelled = (detail: string): ExpectedEnding => ({ reason: "cancelled", detail, isExact: false });

/** The ending among those expected that an answer has had; undefined if none fits. */
export function endingOf(expectation: Expectation, { signal }: Answer): ExpectedEnding | undefined {
  return expectation.endings.find(
    ({ reason, detail, originalValue }) =>
      reason === signal?.reason &&
      (detail === undefined || detail === signal.detail) &&
      (originalValue === undefined || originalValue === signal.providerSpecific?.originalValue),
  );
}
