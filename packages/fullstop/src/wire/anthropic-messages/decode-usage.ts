import type { Usage } from "../../events.ts";
import { countOf, recordOf } from "../json.ts";
import type { JsonRecord } from "../json.ts";
import { createUsage, sumOf } from "../reading/usage.ts";

/**
 * Opens a reader of token counts. The input side comes with the first event and the output side grows from event to
 * event; every figure replaces the one before. Cached input is counted apart there and belongs to the input here.
 */
export function createUsageReader(): (usage: JsonRecord) => Usage | undefined {
  let input: number | undefined;
  let cached: number | undefined;
  let written: number | undefined;
  let output: number | undefined;
  let thinking: number | undefined;
  return (usage) => {
    input = countOf(usage["input_tokens"]) ?? input;
    cached = countOf(usage["cache_read_input_tokens"]) ?? cached;
    written = countOf(usage["cache_creation_input_tokens"]) ?? written;
    output = countOf(usage["output_tokens"]) ?? output;
    thinking = countOf(recordOf(usage["output_tokens_details"])["thinking_tokens"]) ?? thinking;
    return createUsage({
      inputTokens: sumOf(input, cached, written),
      outputTokens: output,
      cachedInputTokens: cached,
      cacheWriteTokens: written,
      reasoningTokens: thinking,
    });
  };
}
