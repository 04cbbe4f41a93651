export { BrokenAnswerError } from "../broken-answer.ts";
export { signalOf } from "./call-metadata.ts";
export type { CutCall } from "./collected-content.ts";
export { decideLoop, stopWhenCallsRepeat, stopWhenDecided, stopWhenSpent } from "./decide-loop.ts";
export type { LoopOptions, LoopStopCondition } from "./decide-loop.ts";
export type { FinishedModelCall } from "./finished-call.ts";
export type { LoopStep } from "./loop-step.ts";
export { createStopMiddleware } from "./stop-middleware.ts";
export type { StopMiddleware, StopMiddlewareOptions } from "./stop-middleware.ts";
