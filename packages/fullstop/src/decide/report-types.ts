import type { Usage } from "../events.ts";
import type { Confidence, TerminationReason } from "../termination.ts";
import type { ContinuingAction, SuggestedAction, TerminationDecision } from "./decision.ts";

/** How a run went, as the loop that carried it out can tell. */
export interface TerminationExecution {
  /** Answers of the model, those that were dropped included. */
  readonly turns: number;
  readonly durationMilliseconds: number;
  /** Why the run as a whole is over, in the words of whatever carried it out, where that is more than the signal says. */
  readonly end?: string | undefined;
  /** Every decision of the run, in order. */
  readonly decisions: readonly TerminationDecision[];
  /** The tokens of all turns together. */
  readonly usage?: Usage | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
}

/** One decision, without what somebody may have written into it. */
export interface ReportedDecision {
  readonly action: SuggestedAction;
  readonly rule?: string | undefined;
}

/** The bound at which a run ended. */
export interface ReportedBound {
  /** The action that was not taken any more. */
  readonly wanted: string;
  /** What the bound is on: an action, or a limit of the conversation. */
  readonly boundOn: string;
  readonly bound: number;
  readonly taken: number;
}

/**
 * Why a run ended and what it took to get there, as plain data for logs. It holds words, names and counts, and
 * nothing that a person or a model has written.
 */
export interface TerminationReport {
  readonly reason: TerminationReason;
  readonly confidence: Confidence;
  readonly detail?: string | undefined;
  /** Where the source said so. */
  readonly originalField?: string | undefined;
  /** The source's own word for it. */
  readonly originalValue?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  /** Why the run as a whole is over. */
  readonly end?: string | undefined;
  readonly turns: number;
  readonly durationMilliseconds: number;
  readonly usage?: Usage | undefined;
  /** How often each action was taken; one that was not taken is absent. */
  readonly actions: Readonly<Partial<Record<ContinuingAction, number>>>;
  readonly decisions: readonly ReportedDecision[];
  /** Present when the run ended at a bound and not because it was done. */
  readonly boundReached?: ReportedBound | undefined;
  /** One or two plain sentences for people. */
  readonly summary: string;
}
