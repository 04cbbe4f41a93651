import type { GenerationRequest } from "fullstop";
import type { GenerationStore } from "fullstop/control";
import type { WireWarning } from "fullstop/wire";
import type { Target } from "../models/model-router.ts";
import type { GenerationObserver } from "../operations/observer.ts";
import type { TraceHeaders } from "../operations/trace-headers.ts";
import type { GenerationSettings } from "../rules/generation-settings.ts";

/** What a generation is made of. */
export interface GenerationSpec {
  readonly id: string;
  /** Whose it is: only they, and operators, may see or stop it. */
  readonly owner: string;
  readonly request: GenerationRequest;
  readonly settings: GenerationSettings;
  /** The model to ask, and those to ask instead if it fails before it has said anything. */
  readonly targets: readonly Target[];
  /** The headers by which the caller's trace goes on here. */
  readonly trace?: TraceHeaders | undefined;
  /** What of the request was not understood. */
  readonly warnings?: readonly WireWarning[];
  /** Whether it was asked for without anybody who waits for it. */
  readonly isBackground?: boolean;
}

/** Where a generation runs. */
export interface Surroundings {
  readonly store: GenerationStore;
  /** The name of the replica that generates. */
  readonly replica: string;
  readonly observer: GenerationObserver;
  /** How many bytes its answer may have in memory. */
  readonly mostBytes: number;
  /** Whether what was written is recorded, or only how much. */
  readonly keepsContent: boolean;
  /** Told of what the store could not do. */
  readonly onStoreFailure: (error: unknown) => void;
}
