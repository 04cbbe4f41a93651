export { systemClock } from "../clock.ts";
export { checkKeepMilliseconds, isExpectedVersion } from "./documents.ts";
export type { DocumentStore, DocumentVersion, StoredDocument, WriteDocumentOptions } from "./documents.ts";
export { followGeneration } from "./follow.ts";
export type { FollowOptions } from "./follow.ts";
export { createMemoryStore } from "./memory-store.ts";
export type { MemoryStoreOptions } from "./memory-store.ts";
export { Noticeboard } from "./noticeboard.ts";
export { STOP_MODES } from "./order.ts";
export type { StopMode, StopOrder, StopReason } from "./order.ts";
export { lastPhaseOf, phaseOf } from "./phase.ts";
export type { GenerationPhase } from "./phase.ts";
export { Recorder } from "./recorder.ts";
export type { RecordedEnding } from "./recorded-ending.ts";
export type { RecorderOptions } from "./recorder.ts";
export { joinReplicas, ownerLostSignal } from "./replica.ts";
export type { Replica, ReplicaOptions } from "./replica.ts";
export { applyRetention } from "./retention.ts";
export type { RetainedRecords, Retention } from "./retention.ts";
export { sizeOf } from "./size.ts";
export { SourceList } from "./sources.ts";
export type { Source } from "./sources.ts";
export type {
  EndedGeneration,
  EventRecords,
  GenerationRecord,
  GenerationStore,
  ImmediateRecords,
  Leases,
  Listener,
  OrderRecords,
  RecordResult,
  Store,
  StoredGeneration,
  Unwatch,
} from "./store.ts";
export { createTracker, generationContext } from "./tracker.ts";
export type {
  GenerationKey,
  GenerationTarget,
  StartOptions,
  StopOutcome,
  TrackedGeneration,
  Tracker,
} from "./tracker.ts";
