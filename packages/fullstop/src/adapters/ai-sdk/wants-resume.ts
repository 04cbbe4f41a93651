import { decide } from "../../decide/decide.ts";
import type { TerminationPolicy } from "../../decide/policy.ts";
import type { TerminationSignal } from "../../termination.ts";
import type { CollectedContent } from "./collected-content.ts";

/**
 * Whether a turn that ended so is to be sent back as it stands. A pause with calls that wait for their results is not:
 * with the results the SDK resumes it by itself.
 */
export function wantsResume(
  signal: TerminationSignal,
  { text, reasoning, completeCalls, cutCalls }: CollectedContent,
  resumes: number,
  policy: TerminationPolicy,
): boolean {
  const decision = decide(
    signal,
    {
      answer: { hasText: text !== "", hasReasoning: reasoning !== "", completeCalls, cutCalls: cutCalls.length },
      wasShown: true,
      attempts: { resume: resumes },
      hasOwnTokenLimit: true,
      hasFallbackModel: false,
      // Of the conversation nothing is known here; its limits are for whoever runs the loop.
      conversation: { turns: resumes, messages: 0, totalTokens: 0 },
    },
    policy,
  );
  return decision.suggestedAction === "resume";
}
