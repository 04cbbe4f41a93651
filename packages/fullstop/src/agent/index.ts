export type { AgentEvent } from "./events.ts";
export { createCallWatch, judgeCalls } from "./call-cycles.ts";
export type { CallJudgement, CallVerdict, CallWatch, CallWatchOptions, CycleCall, WatchedCall } from "./call-cycles.ts";
export { canonicalJson } from "./canonical-json.ts";
export { createClient } from "./client.ts";
export type { Client, ClientOptions, ClientRequest, ClientResult, ClientRunOptions, RunListener } from "./client.ts";
export type { ReachedLimit, RunLimits } from "./limits.ts";
export { nextStep } from "./next-step.ts";
export type { NextStep } from "./next-step.ts";
export { createRunState } from "./run-state.ts";
export type { RunState } from "./run-state.ts";
export { findOverlap } from "./overlap.ts";
export type { OverlapOptions } from "./overlap.ts";
export { CONTINUATION_WORDING, continuationPrompt } from "./overlap-prompt.ts";
export type { ContinuationOptions } from "./overlap-prompt.ts";
export { defineOverlapTrimmer } from "./overlap-trimmer.ts";
export type { OverlapTrimmerOptions } from "./overlap-trimmer.ts";
export { INTERRUPTED_RESULT, repairHistory } from "./repair-history.ts";
export type { RepairOptions } from "./repair-history.ts";
export type { AgentEnd, AgentResult, FinishedCall } from "./result.ts";
export { createAgentRun } from "./run.ts";
export type { AgentOptions, AgentRun, StopReceipt } from "./run.ts";
export type { FallbackModel } from "./run-setup.ts";
export { AGENT_WORDING, defineAgentSettings } from "./settings.ts";
export type { AgentSettingOptions, AgentSettings, AgentWording, StepSettings } from "./settings.ts";
export type { StandardSchema } from "./standard-schema.ts";
export type { DeliveryMode, QueuedMessage } from "./steering.ts";
export { defineTool } from "./tools.ts";
export type {
  AgentTool,
  PlainToolOptions,
  PreparedCall,
  SchemaToolOptions,
  TextToolOptions,
  ToolContext,
} from "./tools.ts";
