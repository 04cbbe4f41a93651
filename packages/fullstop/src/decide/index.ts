export { decide } from "./decide.ts";
export { CONTINUING_ACTIONS } from "./decision.ts";
export type {
  BuiltInRule,
  ContinuingAction,
  DecisionContext,
  Strategy,
  SuggestedAction,
  TerminationDecision,
} from "./decision.ts";
export { POLICIES, definePolicy } from "./policy.ts";
export type { ActionBounds, ConversationLimits, PolicyName, PolicyOptions, TerminationPolicy } from "./policy.ts";
export { createTerminationReport } from "./report.ts";
export { formatTerminationReport } from "./report-text.ts";
export type { ReportedBound, ReportedDecision, TerminationExecution, TerminationReport } from "./report-types.ts";
