import type { Usage } from "../../events.ts";
import type { JsonRecord } from "../json.ts";

/**
 * Token counts as Messages gives them: `input_tokens` leaves out what was read from or written to the cache. Both
 * sums are required there, so counts that are not known at all are zero, while details that are not known are null.
 */
export function encodeAnthropicMessagesUsage(usage: Usage | undefined): JsonRecord {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens, cacheWriteTokens, reasoningTokens } = usage ?? {};
  return {
    input_tokens: Math.max(0, inputTokens - (cachedInputTokens ?? 0) - (cacheWriteTokens ?? 0)),
    cache_creation_input_tokens: cacheWriteTokens ?? null,
    cache_read_input_tokens: cachedInputTokens ?? null,
    output_tokens: outputTokens,
    output_tokens_details: reasoningTokens === undefined ? null : { thinking_tokens: reasoningTokens },
  };
}
