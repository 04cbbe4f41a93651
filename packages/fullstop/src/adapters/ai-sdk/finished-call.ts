import type { LanguageModelV4Content, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Usage } from "../../events.ts";
import type { TerminationSignal } from "../../termination.ts";
import { writeMetadata } from "./call-metadata.ts";
import { readUsage, writeUsage } from "./call-usage.ts";
import type { CutCall } from "./collected-content.ts";
import { toFinishReason } from "./finish-reason.ts";

/** A model call that has ended, in whatever way, and what came of it. */
export interface FinishedModelCall {
  readonly signal: TerminationSignal;
  /** The text that was shown, or would have been had the call not been aborted. */
  readonly text: string;
  readonly reasoning: string;
  /** All that has come, in its order. */
  readonly content: readonly LanguageModelV4Content[];
  /** Tool calls whose arguments did not come to their end. */
  readonly cutCalls: readonly CutCall[];
  /** The provider's counts, or ours with `estimated` where it has given none, as after an abort. */
  readonly usage: Usage;
  readonly provider: string;
  readonly modelId: string;
  /** How often a paused turn was sent back. */
  readonly resumes: number;
}

/** The last part of an answer. */
export type FinishPart = Extract<LanguageModelV4StreamPart, { readonly type: "finish" }>;

/** The last part of an answer that ended so. What the provider told in its own stays where it is true. */
export function writeFinish({ signal, usage, resumes }: FinishedModelCall, told: FinishPart | undefined): FinishPart {
  const isEstimated = usage.estimated === true;
  const isAsTold = told !== undefined && resumes === 0 && readUsage(told.usage) !== undefined;
  return {
    type: "finish",
    finishReason: toFinishReason(signal, told?.finishReason),
    usage: isAsTold ? told.usage : writeUsage(usage),
    providerMetadata: { ...told?.providerMetadata, fullstop: writeMetadata(signal, { isEstimated, resumes }) },
  };
}
