export type { Clock } from "./clock.ts";
export type { Engine, Generation, RequestWarning, Take, TokenCount } from "./engine.ts";
export { FullstopError } from "./errors.ts";
export type { FullstopErrorCode } from "./errors.ts";
export { CHANNELS } from "./events.ts";
export type {
  Channel,
  CitationEvent,
  FinishEvent,
  GenerationEvent,
  OpaqueEvent,
  ReasoningEvent,
  StartEvent,
  TextEvent,
  ToolCallDeltaEvent,
  ToolCallEndEvent,
  ToolCallStartEvent,
  Usage,
  UsageEvent,
} from "./events.ts";
export { REASONING_MARKERS, detectReasoningMarkers } from "./reasoning/markers.ts";
export type { ReasoningMarkers, ReasoningTokenMarkers } from "./reasoning/markers.ts";
export { defineReasoningSplitter } from "./reasoning/split.ts";
export type { ReasoningSplitterOptions } from "./reasoning/split.ts";
export type {
  AllowedTools,
  AssistantMessage,
  GenerationRequest,
  Grammar,
  ImagePart,
  ImageSource,
  JsonObject,
  Message,
  NativeFields,
  OpaquePart,
  OutputShape,
  ReasoningPart,
  ReasoningSettings,
  SamplingSettings,
  SystemMessage,
  TextInput,
  TextPart,
  ToolCallPart,
  ToolChoice,
  ToolDefinition,
  ToolMessage,
  UserMessage,
} from "./request.ts";
export { runGeneration, seal } from "./seal.ts";
export type { RunGenerationOptions } from "./seal.ts";
export { compose, run } from "./stage.ts";
export type { RunOptions, Sink, Stage } from "./stage.ts";
export {
  cancelledSignal,
  createTerminationSignal,
  failedSignal,
  isTerminationSignal,
  truncatedSignal,
} from "./termination.ts";
export type {
  Confidence,
  ProviderSpecific,
  TerminationReason,
  TerminationSignal,
  TerminationSignalParts,
} from "./termination.ts";
export { defineGuard } from "./stop/guard.ts";
export { costSignal, deadlineSignal } from "./stop/limits.ts";
export type { CostLimit } from "./stop/limits.ts";
export type { RepetitionSettings } from "./stop/repetition.ts";
export type { Step, StopRule } from "./stop/step.ts";
export { defineStopRules, stopRulesFromConfig } from "./stop/stop-rules.ts";
export type { StopRuleOptions, StopRules, StoppingConfig } from "./stop/stop-rules.ts";
export type { StopScope, StopString, StopStringOptions } from "./stop/stop-strings.ts";
export { createTextGuard } from "./stop/text-guard.ts";
export type { TextGuard } from "./stop/text-guard.ts";
export { createUtf8Decoder } from "./text/utf8-decoder.ts";
export type { Utf8Decoder } from "./text/utf8-decoder.ts";
