import type { Usage } from "../../events.ts";
import { countOf, recordOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { createUsage, sumOf } from "../reading/usage.ts";

/** Reads token counts as Chat Completions and legacy Completions give them. */
export function decodeChatUsage(usage: JsonRecord): Usage | undefined {
  const prompt = recordOf(usage["prompt_tokens_details"]);
  const completion = recordOf(usage["completion_tokens_details"]);
  const inputTokens = countOf(usage["prompt_tokens"]);
  const written = countOf(usage["completion_tokens"]);
  const reasoningTokens = countOf(completion["reasoning_tokens"]);
  // xAI counts thinking apart, which shows in the total.
  const isApart = sumOf(inputTokens, written, reasoningTokens) === usage["total_tokens"];
  return createUsage({
    inputTokens,
    outputTokens: isApart ? sumOf(written, reasoningTokens) : written,
    // DeepSeek's own name for it stands beside the usual one.
    cachedInputTokens: countOf(prompt["cached_tokens"]) ?? countOf(usage["prompt_cache_hit_tokens"]),
    cacheWriteTokens: countOf(prompt["cache_write_tokens"]),
    reasoningTokens,
  });
}
