import type { TerminationPolicy } from "../decide/policy.ts";
import type { Engine } from "../engine.ts";
import type { GenerationEvent } from "../events.ts";
import type { GenerationRequest } from "../request.ts";
import type { Stage } from "../stage.ts";
import type { CallWatchOptions } from "./call-cycles.ts";
import type { Clock } from "../clock.ts";
import type { CurrentGeneration } from "./current-generation.ts";
import type { RunLimits } from "./limits.ts";
import type { StepSettings } from "./settings.ts";
import type { SteeringQueue } from "./steering.ts";
import type { AgentTool } from "./tools.ts";

/** Another model for the one case in which the first one will not answer. */
export interface FallbackModel {
  readonly model: string;
  /** Where it runs; the same engine unless another is given. */
  readonly engine?: Engine | undefined;
}

/** All that a run works with, checked and filled in. */
export interface RunSetup {
  readonly engine: Engine;
  readonly request: GenerationRequest;
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly policy: TerminationPolicy;
  readonly limits: RunLimits;
  readonly settings: StepSettings;
  readonly repetition: CallWatchOptions;
  readonly fallback: FallbackModel | undefined;
  /** What every answer passes through, such as a guard. */
  readonly stage: Stage<GenerationEvent, GenerationEvent>;
  readonly queue: SteeringQueue;
  readonly current: CurrentGeneration;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}
