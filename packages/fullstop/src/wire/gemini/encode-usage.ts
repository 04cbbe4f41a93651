import type { Usage } from "../../events.ts";
import type { JsonRecord } from "../json.ts";

/** Token counts as Gemini gives them: `candidatesTokenCount` leaves out the thinking. */
export function encodeGeminiUsage(usage: Usage): JsonRecord {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage;
  return {
    promptTokenCount: inputTokens,
    candidatesTokenCount: Math.max(0, outputTokens - (reasoningTokens ?? 0)),
    ...(cachedInputTokens !== undefined && { cachedContentTokenCount: cachedInputTokens }),
    ...(reasoningTokens !== undefined && { thoughtsTokenCount: reasoningTokens }),
    totalTokenCount: inputTokens + outputTokens,
  };
}
