import type { Usage } from "../../events.ts";
import { countOf, recordOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { createUsage } from "../reading/usage.ts";

/** Reads token counts as Responses gives them. */
export function decodeResponsesUsage(usage: JsonRecord): Usage | undefined {
  const input = recordOf(usage["input_tokens_details"]);
  const output = recordOf(usage["output_tokens_details"]);
  return createUsage({
    inputTokens: countOf(usage["input_tokens"]),
    outputTokens: countOf(usage["output_tokens"]),
    cachedInputTokens: countOf(input["cached_tokens"]),
    cacheWriteTokens: countOf(input["cache_write_tokens"]),
    reasoningTokens: countOf(output["reasoning_tokens"]),
  });
}
