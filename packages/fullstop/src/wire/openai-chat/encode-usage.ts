import type { Usage } from "../../events.ts";
import type { JsonRecord } from "../json.ts";

/** Token counts as Chat gives them. Details that are not known are left out. */
export function encodeOpenaiChatUsage(usage: Usage): JsonRecord {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, reasoningTokens } = usage;
  const knowsCache = cachedInputTokens !== undefined || cacheWriteTokens !== undefined;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    ...(knowsCache && {
      prompt_tokens_details: {
        ...(cachedInputTokens !== undefined && { cached_tokens: cachedInputTokens }),
        ...(cacheWriteTokens !== undefined && { cache_write_tokens: cacheWriteTokens }),
      },
    }),
    ...(reasoningTokens !== undefined && { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}
