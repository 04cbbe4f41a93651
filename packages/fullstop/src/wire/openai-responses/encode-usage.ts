import type { Usage } from "../../events.ts";
import type { JsonRecord } from "../json.ts";

/** Token counts as Responses gives them. Its details are required, so those that are not known are zero. */
export function encodeOpenaiResponsesUsage(usage: Usage): JsonRecord {
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = usage;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}
