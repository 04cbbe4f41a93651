import type { Usage } from "../../events.ts";
import { countOf, recordOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { createUsage } from "../reading/usage.ts";

/** Reads token counts as Chat Completions and legacy Completions give them. */
export function decodeChatUsage(usage: JsonRecord): Usage | undefined {
  const prompt = recordOf(usage["prompt_tokens_details"]);
  const completion = recordOf(usage["completion_tokens_details"]);
  return createUsage({
    inputTokens: countOf(usage["prompt_tokens"]),
    outputTokens: countOf(usage["completion_tokens"]),
    // DeepSeek's own name for it stands beside the usual one.
    cachedInputTokens: countOf(prompt["cached_tokens"]) ?? countOf(usage["prompt_cache_hit_tokens"]),
    cacheWriteTokens: countOf(prompt["cache_write_tokens"]),
    reasoningTokens: countOf(completion["reasoning_tokens"]),
  });
}
